/**
 * Parts of a request's address, cut out of its text: a `Host` that is no host makes the whole one unreadable as a URL,
 * and is no reason to refuse what does not need it.
 */

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
