/**
 * How a member's browser asks for an app. While apps share the address of the sign-in page, an app that fills the window
 * could draw a false one there. A member therefore gets a page of ours with the app in a frame (bar_html.ts), and the app
 * itself only where the browser says that it loads a frame. Frames of the console use the same address, also with
 * `APPS_ORIGIN`: a host of apps would need a cookie there, and browsers block cookies of other sites in frames.
 */
import { createHash } from "node:crypto";
import { SANDBOX_FLAGS } from "./sandbox.ts";

/**
 * Whether the request loads a frame. Pages cannot set these headers. Browsers send `Sec-Fetch-Dest` to https sites and to
 * their own machine. Elsewhere the `Referer` names the page with the bar, or the page of the console that has the frame:
 * a sandboxed app sends none.
 */
export function loadsFrame({ headers, url }: Request): boolean {
  const loads = headers.get("sec-fetch-dest");
  if (loads !== null) return loads === "iframe" || loads === "frame";
  const from = headers.get("referer");
  if (from === null || !URL.canParse(from) || !URL.canParse(url)) return false;
  const [page, frame] = [new URL(from), new URL(url)];
  // An app may have the code `frame`.
  if (page.host !== frame.host || !/^\/a\/[^/]+\/frame$/.test(frame.pathname)) return false;
  return `${page.pathname}/frame` === frame.pathname || !/^\/(a|previews)\//.test(page.pathname);
}

/**
 * Whether the request loads a small picture of an app in the console's gallery. Other frames of this site have the address
 * `/a/…/frame`. Hosts of apps are not asked, so that it also works where browsers block cookies of other sites.
 */
export const showsPicture = ({ headers }: Request): boolean =>
  headers.get("sec-fetch-dest") === "iframe" && headers.get("sec-fetch-site") === "same-origin";

/** Asks the page around to load this frame again, with its session: requests of a sandboxed page carry none. */
const REOPEN = `parent.postMessage({atrium:"reopen",to:location.href},"*")`;

export const REOPEN_HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Signing in</title></head>
<body><script>${REOPEN}</script></body>
</html>
`;

export const REOPEN_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `sandbox ${SANDBOX_FLAGS}; default-src 'none'; script-src 'sha256-${
    createHash("sha256").update(REOPEN).digest("base64")
  }'; frame-ancestors 'self'`,
  "x-content-type-options": "nosniff",
};
