/** The cookie of a browser key, which says that the same browser calls again. */
import { randomBytes } from "node:crypto";
import { parse } from "hono/utils/cookie";
import type { Keys } from "./keys.ts";

const BROWSER_KEY = /^[\w-]{43}$/;
const YEAR_S = 365 * 24 * 60 * 60;

export interface Browser {
  /** The browser key. */
  browser: string;
  /** For the answer; undefined where the browser has its key already. */
  set_cookie: string | undefined;
}

/** The browser key of the request's cookie, or a new one with the cookie that carries it. */
export function readBrowser(request: Request, { base_url }: { base_url: string }): Browser {
  const secure = base_url.startsWith("https:");
  const name = secure ? "__Host-browser" : "browser";
  const cookies = request.headers.get("cookie");
  const known = cookies === null ? undefined : parse(cookies, name)[name];
  if (known && BROWSER_KEY.test(known)) return { browser: known, set_cookie: undefined };
  const browser = randomBytes(32).toString("base64url");
  const attributes = `Path=/; Max-Age=${YEAR_S}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return { browser, set_cookie: `${name}=${browser}; ${attributes}` };
}

/** The browser key of a visitor that a user plays. No browser has it: it is derived, and differs by user. */
export const playedBrowser = (keys: Keys, user_id: number, visitor: string): string =>
  keys.sign("played visitor", `${user_id} ${visitor}`).toString("base64url");
