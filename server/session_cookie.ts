/** The cookie of a member's session: its name and attributes, and the requests in which it proves the member. */
import { parse } from "hono/utils/cookie";
import { appsHostOf, type AppsSite } from "./apps_site.ts";
import { hostOf } from "./input/host.ts";

/** A session ends after this time without a request, and at the latest 90 days after its sign-in. */
export const IDLE_DAYS = 14;
export const LONGEST_DAYS = 90;

interface Site extends AppsSite {
  base_url: string;
}

const isSecure = ({ base_url }: Site) => base_url.startsWith("https:");

/** Browsers accept `__Host-` only with `Secure` and without `Domain`: no other host can set it. */
const nameOn = (site: Site) => isSecure(site) ? "__Host-session" : "session";

const SECRET = /^[\w-]{43}$/;

/** The secret of the request's session cookie; undefined where it has none, or where the cookie proves nothing here. */
export function sessionSecret(request: Request, site: Site): string | undefined {
  const cookies = request.headers.get("cookie");
  if (cookies === null) return undefined;
  const name = nameOn(site);
  const secret = parse(cookies, name)[name];
  // The code of an app could set such a cookie on its own host.
  if (!secret || !SECRET.test(secret) || appsHostOf(site, request.url)) return undefined;
  return comesFromUs(request, site) ? secret : undefined;
}

/** `Set-Cookie` for a new session, or, without a secret, for the removal of the cookie. */
export function sessionCookie(site: Site, secret?: string): string {
  const value = secret === undefined ? "; Max-Age=0" : `; Max-Age=${LONGEST_DAYS * 24 * 60 * 60}`;
  return `${nameOn(site)}=${secret ?? ""}; Path=/${value}; HttpOnly; SameSite=Lax${isSecure(site) ? "; Secure" : ""}`;
}

/**
 * Whether a cookie proves its member in this request: one of this site's own pages sends it, or a person opens an address.
 * Opening an address changes nothing. Apps run on an opaque origin, so their requests come from elsewhere.
 */
function comesFromUs(request: Request, site: Site): boolean {
  const { headers, method } = request;
  const from = headers.get("sec-fetch-site");
  if (from === "same-origin") return true;
  const reads = method === "GET" || method === "HEAD";
  if (from !== null) {
    return reads && headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  }
  const origin = headers.get("origin");
  if (origin !== null) return isOwn(origin, request, site);
  return reads && !tellsOrigins(request, site);
}

/** Whether a request that has a form's effect was sent by one of this site's own pages, or by no browser at all. */
export function isSentByOwnPage(request: Request, site: Site): boolean {
  const from = request.headers.get("sec-fetch-site");
  if (from !== null) return from === "same-origin" || from === "none";
  const origin = request.headers.get("origin");
  return origin === null || isOwn(origin, request, site);
}

/** Whether the request comes from a page of this site, as far as its `Origin` says. */
export const isOwnOrigin = (origin: string, request: Request, site: Site): boolean => isOwn(origin, request, site);

/** The site may have several names, such as localhost and 127.0.0.1. */
function isOwn(origin: string, { url }: Request, { base_url }: Site): boolean {
  if (origin === new URL(base_url).origin) return true;
  const [scheme, host] = origin.split("://");
  return scheme === (base_url.startsWith("https:") ? "https" : "http") && host === hostOf(url);
}

/**
 * Whether browsers send `Sec-Fetch-Site` with this request. They do to https and to their own machine. To any other http
 * host, also of a site whose `BASE_URL` is on localhost, they send no sign of the origin when they read; there
 * SameSite=Lax alone keeps the cookie from other sites.
 */
function tellsOrigins({ url }: Request, { base_url }: Site): boolean {
  const hostname = hostOf(url).replace(/:\d+$/, "");
  return base_url.startsWith("https:") ||
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$|\.localhost$/i.test(hostname);
}
