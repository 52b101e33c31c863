/** Origins of pages that may show an account's apps in frames, as `frame-ancestors` writes them. */

const HOST = /^https?:\/\/(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?$/;

/** The host in its one spelling; undefined if it is no origin such as `https://crm.example.com` or `https://*.example.com`. */
export function embeddingHost(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username } = new URL(text);
  return pathname === "/" && !search && !hash && !username && HOST.test(origin) ? origin : undefined;
}

/** Whether a page of this origin is at one of the hosts. */
export const isEmbeddingHost = (origin: string, hosts: readonly string[]): boolean =>
  hosts.some((host) => {
    const [before = "", after] = host.split("*");
    return after === undefined ? origin === host : origin.startsWith(before) && origin.endsWith(after);
  });
