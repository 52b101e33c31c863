/** An outgoing request, and the request that a redirect makes of it. */
import { ConnectorFault } from "../call/fault.ts";

export interface Outgoing {
  url: URL;
  method: string;
  /** Set by the connector, secrets included. */
  headers: Readonly<Record<string, string>>;
  body: { content: string | Uint8Array; type: string } | undefined;
  /** False: a redirect is an answer like others. */
  follows?: boolean | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export const isRedirect = (status: number) => REDIRECTS.has(status);

/**
 * Headers of the connector are dropped when the origin changes, also for all later redirects.
 *
 * @throws {ConnectorFault} `refused`
 */
export function redirected(outgoing: Outgoing, status: number, location: string): Outgoing {
  const { method, headers, body } = outgoing;
  if (!URL.canParse(location, outgoing.url)) {
    throw new ConnectorFault("refused", "the answer leads to an invalid address");
  }
  const url = new URL(location, outgoing.url);
  const becomes_get = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  return {
    url,
    headers: url.origin === outgoing.url.origin ? headers : {},
    ...(becomes_get ? { method: "GET", body: undefined } : { method, body }),
  };
}
