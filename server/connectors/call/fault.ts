/** Failures of connector calls. */
import type { ConnectorAnswer } from "./call.ts";

/**
 * - `unknown`: the account has no such connector, or the connector no such method.
 * - `not_public`: see `ConnectorCall.public_only`.
 * - `invalid`: parameters, headers or body do not fit the method.
 * - `refused`: the address may not be called.
 * - `network`: no connection, or a broken answer.
 * - `timeout`: no complete answer within `timeout_ms`.
 * - `status`: an answer with status 400 or above.
 * - `too_large`: an answer above 10 MiB.
 * - `cancelled`: the caller's signal was aborted.
 */
export type ConnectorFaultKind =
  | "unknown"
  | "not_public"
  | "invalid"
  | "refused"
  | "network"
  | "timeout"
  | "status"
  | "too_large"
  | "cancelled";

/** A failed call. Its message is shown to the flow's author and contains no secret. */
export class ConnectorFault extends Error {
  override name = "ConnectorFault";
  constructor(readonly kind: ConnectorFaultKind, message: string, readonly answer?: ConnectorAnswer) {
    super(message);
  }
}
