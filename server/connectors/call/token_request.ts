/** Requests an OAuth token with the client's credentials (RFC 6749, 4.4). */
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { OAuth2 } from "../definition/auth.ts";
import type { Egress } from "../egress/egress.ts";
import type { Outgoing } from "../egress/redirects.ts";
import { bodyOf } from "../egress/response_body.ts";
import { secretOf } from "../request/credentials.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import type { StoredToken } from "../secret/token_store.ts";
import { answerOf } from "./answer.ts";
import { ConnectorFault } from "./fault.ts";

const MOST_BYTES = 64 * 1024;
/** Without `expires_in`. */
const DEFAULT_S = 600;
/** A token is replaced so long before it expires, but never before nine tenths of its life. */
const MARGIN_S = 60;

const Answer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,8192}$/),
  expires_in: z.coerce.number().min(1).max(365 * 86_400).optional().catch(undefined),
});

/** @throws {ConnectorFault} without the secret and without a token; also the signal's reason */
export async function requestToken(
  egress: Egress,
  connector: OpenConnector,
  auth: OAuth2,
  signal: AbortSignal,
): Promise<StoredToken> {
  const incoming = await egress.send(tokenRequest(connector, auth), signal, MOST_BYTES);
  if (incoming.status >= 300) {
    const answer = await answerOf(incoming, connector.redactor, 0, undefined, signal);
    const said = z.object({ error: z.string() }).safeParse(answer.body).data?.error.slice(0, 200);
    const message = `the token_url of ${connector.code} answered ${answer.status}${said ? `: ${said}` : ""}`;
    throw new ConnectorFault("status", message, answer);
  }
  const { data } = Answer.safeParse(bodyOf(incoming.bytes, "application/json"));
  if (!data) throw new ConnectorFault("network", `the token_url of ${connector.code} sent no access_token`);
  const life_s = data.expires_in ?? DEFAULT_S;
  return { token: data.access_token, expires_at: Date.now() + Math.max(life_s - MARGIN_S, life_s * 0.9) * 1000 };
}

function tokenRequest(connector: OpenConnector, auth: OAuth2): Outgoing {
  const { token_url, client_id, scope, audience, client_auth } = auth;
  const secret = secretOf(connector);
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...scope !== undefined && { scope },
    ...audience !== undefined && { audience },
    ...client_auth === "body" && { client_id, client_secret: secret },
  });
  const basic = Buffer.from(`${encoded(client_id)}:${encoded(secret)}`).toString("base64");
  return {
    url: new URL(token_url),
    method: "POST",
    headers: { accept: "application/json", ...client_auth === "basic" && { authorization: `Basic ${basic}` } },
    body: { content: form.toString(), type: "application/x-www-form-urlencoded" },
    // A redirect would carry the secret of the body to another origin.
    follows: false,
  };
}

/** RFC 6749, 2.3.1: as in a form. */
const encoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
