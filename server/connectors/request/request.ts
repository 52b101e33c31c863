/** Builds the HTTP request of a call from the method's templates, the parameters and the secret. */
import type { ConnectorCall } from "../call/call.ts";
import { ConnectorFault } from "../call/fault.ts";
import { authHeaders } from "../definition/auth.ts";
import { hasFixedType } from "../definition/body_type.ts";
import { headerFault } from "../definition/header_names.ts";
import type { Method } from "../definition/method.ts";
import type { Outgoing } from "../egress/redirects.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { buildAddress, linkedAddress, queryPairs } from "./address.ts";
import { requestBody } from "./body.ts";
import { isHeaderValue, secretHeaders, secretParameter } from "./credentials.ts";
import { fillText, fillValue, newRoom, type Room } from "./template.ts";

const invalid = (message: string) => new ConnectorFault("invalid", message);

/** The request without the headers that the authentication sets. @throws {ConnectorFault} `invalid` or `refused` */
export function requestOf(connector: OpenConnector, method: Method, call: ConnectorCall): Outgoing {
  const { params } = call;
  const room = newRoom();
  const secret = secretParameter(connector);
  const filled = fillValue(method.query ?? {}, params, room);
  const query = queryPairs(call.query ?? (typeof filled === "object" && !Array.isArray(filled) && filled || {}))
    .filter(([name]) => name !== secret?.[0]);
  if (secret) query.push(secret);
  const headers = headersOf(method, call, authHeaders(connector.fields.auth), room);
  const body = requestBody(method, call, room, headers["content-type"]);
  const built = buildAddress(connector.url, method.path, params, query, room);
  const url = call.link === undefined ? built : linkedAddress(connector.url, built, call.link, secret);
  return { url, method: method.method, headers, body };
}

/**
 * Adds what the authentication puts into headers.
 *
 * @param now in milliseconds since 1970
 * @throws {ConnectorFault} `invalid`
 */
export const withSecret = (
  connector: OpenConnector,
  outgoing: Outgoing,
  token: string | undefined,
  now: number,
): Outgoing => ({
  ...outgoing,
  headers: { ...outgoing.headers, ...secretHeaders(connector, outgoing.body, token, now) },
});

/**
 * The call's headers override the method's. Neither may set the header that carries the secret.
 *
 * @returns lower-case names
 */
function headersOf(
  method: Method,
  call: ConnectorCall,
  secret_headers: readonly string[],
  room: Room,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (call.idempotency_key !== undefined) headers["idempotency-key"] = call.idempotency_key;
  for (const [name, template] of Object.entries(method.headers ?? {})) {
    headers[name.toLowerCase()] = fillText(template, call.params, room);
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const lower = name.toLowerCase();
    const is_fixed = lower === "content-type" && hasFixedType(method.body_type);
    const own_fault = is_fixed ? `is set by the server with the body_type ${method.body_type}` : headerFault(name);
    const fault = secret_headers.includes(lower) ? "is reserved for the secret" : own_fault;
    if (fault) throw invalid(`the header ${name} ${fault}`);
    headers[lower] = value;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderValue(value)) throw invalid(`the header ${name} has characters that no header can carry`);
  }
  return headers;
}
