/** Builds the HTTP request of a call from the method's templates, the parameters and the secret. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../../input/json_value.ts";
import type { ConnectorCall } from "../call/call.ts";
import { ConnectorFault } from "../call/fault.ts";
import { type Auth, secretHeader } from "../definition/auth.ts";
import { headerFault } from "../definition/header_names.ts";
import type { Method } from "../definition/method.ts";
import type { Outgoing } from "../egress/redirects.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { buildAddress, queryPairs } from "./address.ts";
import { fillText, fillValue, newRoom, type Room } from "./template.ts";

/** Characters of the body. */
const MAX_BODY = 2 * 1024 * 1024;

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
    const fault = name.toLowerCase() === secret_header ? "is reserved for the secret" : headerFault(name);
    if (fault) throw invalid(`the header ${name} ${fault}`);
    headers[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderValue(value)) throw invalid(`the header ${name} has characters that no header can carry`);
  }
  return headers;
}

function requestBody(method: Method, call: ConnectorCall, room: Room, type = "application/json"): Outgoing["body"] {
  const body = call.body === undefined ? fillValue(method.body ?? null, call.params, room) : call.body;
  if (body === null) return undefined;
  if (method.method === "GET" || method.method === "HEAD") throw invalid(`a ${method.method} request has no body`);
  const text = encodedBody(body, type);
  if (text.length > MAX_BODY) throw invalid(`the body is larger than ${MAX_BODY.toLocaleString("en")} characters`);
  return { text, type };
}

/** A form for the form type, text unchanged for other types that are not JSON, otherwise JSON. */
function encodedBody(body: JsonValue, type: string): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(type) && typeof body === "object" && body && !Array.isArray(body)) {
    return new URLSearchParams(queryPairs(body)).toString();
  }
  return typeof body === "string" && !/[/+]json\b/i.test(type) ? body : JSON.stringify(body);
}
