/**
 * Reads parts of a request's URL from its text. A request with an invalid `Host` header has an URL that `URL` does not
 * parse, and must still be answered.
 */
import { isIP } from "node:net";

/** The path as sent, without the query. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return url.slice(url.indexOf("/", 8), query === -1 ? undefined : query);
}

/** The query as sent, with its question mark; empty where there is none. */
export function queryTextOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
}

export const queryOf = (url: string): URLSearchParams => new URLSearchParams(queryTextOf(url));

/**
 * The caller's IP address. Clients can send any `X-Forwarded-For`, so only the entries that trusted proxies append count:
 * each proxy appends the address of its own client.
 *
 * @param info the connection; without it the request comes from this machine
 * @param proxies the number of trusted proxies in front of this server
 */
export function addressOf(
  { headers }: Request,
  info: { remoteAddr: Deno.Addr } | undefined,
  proxies: number,
): string {
  const reported = proxies === 0 ? null : headers.get("x-forwarded-for");
  if (reported !== null) {
    const address = withoutPort(reported.split(",").at(-proxies)?.trim() ?? "");
    if (isIP(address)) return plain(address);
  }
  // Read only where it is used: Deno asks the connection for it.
  const remote = info?.remoteAddr;
  return plain(remote && "hostname" in remote ? remote.hostname : "127.0.0.1");
}

/** Some proxies report `203.0.113.9:4711` or `[2001:db8::7]:4711`. */
const withoutPort = (reported: string) =>
  reported.replace(/^\[(.+)\](?::\d{1,5})?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d{1,5}$/, "$1");

/** Writes an IPv4-mapped IPv6 address as IPv4. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");
