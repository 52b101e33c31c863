/** Builds the HTTP request of a call from the method's templates, the parameters and the secret. */
import { Buffer } from "node:buffer";
import type { ConnectorCall } from "../call/call.ts";
import { ConnectorFault } from "../call/fault.ts";
import { type Auth, secretHeader } from "../definition/auth.ts";
import { hasFixedType } from "../definition/body_type.ts";
import { headerFault } from "../definition/header_names.ts";
import type { Method } from "../definition/method.ts";
import type { Outgoing } from "../egress/redirects.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { buildAddress, queryPairs } from "./address.ts";
import { requestBody } from "./body.ts";
import { fillText, fillValue, newRoom, type Room } from "./template.ts";

const invalid = (message: string) => new ConnectorFault("invalid", message);

/** @throws {ConnectorFault} `invalid` or `refused` */
export function requestOf(connector: OpenConnector, method: Method, call: ConnectorCall): Outgoing {
  const { params } = call;
  const room = newRoom();
  const credentials = credentialsOf(connector);
  const filled = fillValue(method.query ?? {}, params, room);
  const query = queryPairs(call.query ?? (typeof filled === "object" && !Array.isArray(filled) && filled || {}))
    .filter(([name]) => name !== credentials.query?.[0]);
  if (credentials.query) query.push(credentials.query);
  const headers = {
    ...headersOf(method, call, secretHeader(connector.fields.auth), room),
    ...credentials.headers,
  };
  return {
    url: buildAddress(connector.url, method.path, params, query, room),
    method: method.method,
    headers,
    body: requestBody(method, call, room, headers["content-type"]),
  };
}

interface Credentials {
  headers: Record<string, string>;
  query?: [name: string, value: string];
}

function credentialsOf({ code, fields: { auth }, secret }: OpenConnector): Credentials {
  if (!auth || auth.type === "none") return { headers: {} };
  if (secret === undefined) throw invalid(`${code} has no secret_token, which auth of type ${auth.type} needs`);
  if (auth.type === "query") return { headers: {}, query: [auth.name, secret] };
  return { headers: { [secretHeader(auth) ?? ""]: headerSecret(auth, code, secret) } };
}

function headerSecret(auth: Auth, code: string, secret: string): string {
  if (auth.type === "basic") return `Basic ${Buffer.from(`${auth.username}:${secret}`).toString("base64")}`;
  if (!isHeaderValue(secret)) throw invalid(`the secret_token of ${code} has characters that no header can carry`);
  return auth.type === "bearer" ? `Bearer ${secret}` : secret;
}

const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

/**
 * The call's headers override the method's. Neither may set the header that carries the secret.
 *
 * @returns lower-case names
 */
function headersOf(
  method: Method,
  call: ConnectorCall,
  secret_header: string | undefined,
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
    const fault = lower === secret_header ? "is reserved for the secret" : own_fault;
    if (fault) throw invalid(`the header ${name} ${fault}`);
    headers[lower] = value;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderValue(value)) throw invalid(`the header ${name} has characters that no header can carry`);
  }
  return headers;
}
