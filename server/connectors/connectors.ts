/**
 * Interface of the connectors room. Other rooms import only this file.
 *
 * - **Connector**: a named HTTP API of a third party: base URL, authentication, secret and methods. Same word in the API.
 * - **Connector method**: one request template of a connector. Flows call it by its name.
 * - **Call**: one execution of a connector method, redirects included.
 * - **Egress**: outgoing requests. Only public addresses and the exceptions in `EGRESS_ALLOW` may be called.
 * - **Health**: calls, failures and durations by hour, counted in memory and written every 2 s.
 * - **Redaction**: replaces a connector's secret by `[redacted]` in everything that a call returns.
 *
 * Defaults: 20 concurrent calls per account, 15 per connector, 3 redirects, 10 MiB per response (2 MiB in flows).
 */
export type { ConnectorAnswer, ConnectorCall } from "./call/call.ts";
export { type Connectors, createConnectors } from "./call/create_connectors.ts";
export { ConnectorFault, type ConnectorFaultKind } from "./call/fault.ts";
export { KEPT_DAYS as HEALTH_KEPT_DAYS } from "./health/call_counts.ts";
export { secretOrigins } from "./definition/auth.ts";
export { ConnectorFields } from "./definition/fields.ts";
export { headerFault } from "./definition/header_names.ts";
export { type Method, METHOD_NAME, paramsOf } from "./definition/method.ts";
export type { Lookup } from "./egress/reach.ts";
export { createRedactor, REDACTED, type Redactor } from "./redaction/redact.ts";
export { baseFault } from "./request/address.ts";
export { ParamFault } from "./request/template.ts";
export { decryptSecret, encryptSecret } from "./secret/encryption.ts";
export { rotateSecrets } from "./secret/rotate.ts";
