/** What a request carries so that the other side lets it in. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { ConnectorFault } from "../call/fault.ts";
import { authHeaders, type Hmac } from "../definition/auth.ts";
import type { Outgoing } from "../egress/redirects.ts";
import type { OpenConnector } from "../secret/open_connector.ts";

const invalid = (message: string) => new ConnectorFault("invalid", message);

export const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

/** @throws {ConnectorFault} `invalid` if the connector has none, although its authentication needs one */
export function secretOf(
  { code, fields: { auth }, secret }: Pick<OpenConnector, "code" | "fields" | "secret">,
): string {
  if (secret !== undefined) return secret;
  throw invalid(`${code} has no secret_token, which auth of type ${auth?.type} needs`);
}

/** The query parameter that carries the secret. @throws {ConnectorFault} `invalid` */
export function secretParameter(connector: OpenConnector): [name: string, value: string] | undefined {
  const { auth } = connector.fields;
  return auth?.type === "query" ? [auth.name, secretOf(connector)] : undefined;
}

/**
 * @param body what is signed
 * @param token the connector's OAuth token
 * @param now in milliseconds since 1970
 * @throws {ConnectorFault} `invalid`
 */
export function secretHeaders(
  connector: OpenConnector,
  body: Outgoing["body"],
  token: string | undefined,
  now: number,
): Record<string, string> {
  const { code, fields: { auth } } = connector;
  if (!auth || auth.type === "none" || auth.type === "query") return {};
  if (auth.type === "hmac") return signature(auth, secretOf(connector), body?.content ?? "", now);
  const [name = ""] = authHeaders(auth);
  const secret = secretOf(connector);
  if (auth.type === "basic") {
    return { [name]: `Basic ${Buffer.from(`${auth.username}:${secret}`).toString("base64")}` };
  }
  if (auth.type === "oauth2_client_credentials") return { [name]: `Bearer ${token ?? ""}` };
  if (!isHeaderValue(secret)) throw invalid(`the secret_token of ${code} has characters that no header can carry`);
  return { [name]: auth.type === "bearer" ? `Bearer ${secret}` : secret };
}

function signature(auth: Hmac, secret: string, content: string | Uint8Array, now: number): Record<string, string> {
  const { header, algorithm, encoding, prefix, timestamp_header } = auth;
  const seconds = String(Math.floor(now / 1000));
  const hmac = createHmac(algorithm, secret);
  if (timestamp_header !== undefined) hmac.update(`${seconds}.`);
  return {
    [header.toLowerCase()]: `${prefix}${hmac.update(content).digest(encoding)}`,
    ...timestamp_header !== undefined && { [timestamp_header.toLowerCase()]: seconds },
  };
}
