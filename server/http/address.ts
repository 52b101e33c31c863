/**
 * Parts of a request's address, cut out of its text: a `Host` that is no host makes the whole one unreadable as a URL,
 * and is no reason to refuse what does not need it.
 */
import { isIP } from "node:net";

/** From the first slash behind the host. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return url.slice(url.indexOf("/", 8), query === -1 ? undefined : query);
}

export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}

export const hostOf = (url: string) => url.slice(url.indexOf("//") + 2, url.indexOf("/", 8));

/**
 * Who calls. What stands in `X-Forwarded-For` is anybody's word, but for what the trusted proxies have added at its
 * end: the last of them adds the address before it, and so on.
 *
 * @param proxies how many stand in front
 */
export function addressOf({ headers }: Request, remote: Deno.Addr | undefined, proxies: number): string {
  const connected = remote && "hostname" in remote ? remote.hostname : "127.0.0.1";
  if (proxies === 0) return plain(connected);
  const told = headers.get("x-forwarded-for")?.split(",").at(-proxies)?.trim() ?? "";
  return plain(isIP(told) ? told : connected);
}

/** An IPv4 address is written as one, however it came. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");
