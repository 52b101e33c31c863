/**
 * Who calls without a login, or from an app's page: a browser is known by a random cookie, a page in the sandbox,
 * which has no cookies, by the token that the server wrote into it.
 */
import { randomBytes } from "node:crypto";
import { readAppToken, signAppToken } from "../secrets/page_tokens.ts";
import type { Context, Viewer } from "../context.ts";
import type { Caller } from "../domains/records/public.ts";
import { unauthorized } from "../errors.ts";
import { visibleTo } from "../visibility.ts";
import { hostOf } from "./address.ts";
import type { ServedApp } from "./pages/page_build.ts";
import type { PageCache } from "./pages/page_cache.ts";

interface Identity {
  /** Undefined where neither a login nor a page says it: then the host does. */
  account_id: number | undefined;
  viewer: Viewer | undefined;
  /** The browser's key: never sent to a page, never stored. */
  browser: string;
  /** The app whose page calls. */
  app: string | undefined;
  /** For the answer, where the browser has no key yet. */
  headers: Record<string, string>;
}

const KEY = /^[\w-]{43}$/;
const YEAR_S = 365 * 24 * 60 * 60;

/** @throws {Refusal} 401 where a login or a page's token is no longer good, or its app is not */
async function identify(context: Context, { headers }: Request, pages: PageCache): Promise<Identity> {
  const { call, viewers, keys, clock } = context;
  const sent = headers.get("x-app-token");
  if (sent !== null) {
    const token = readAppToken(keys, sent, clock.now());
    const viewer = token?.token ? await viewers.byTokenId(token.token) : undefined;
    if (!token || token.token && viewer?.user_id !== token.user) {
      throw unauthorized("This page is no longer signed in: load it again");
    }
    const app = await pages.byId(token.app);
    if (!app || !opensFor(app, viewer)) {
      throw unauthorized(
        "This page's app is no longer there: it has been deleted, switched off or closed to its viewer",
      );
    }
    call.viewer = viewer;
    return { account_id: token.account, viewer, browser: token.browser, app: token.app, headers: {} };
  }
  const viewer = call.token === undefined ? undefined : await viewers.byToken(call.token);
  if (call.token !== undefined && !viewer) throw unauthorized();
  call.viewer = viewer;
  return { account_id: viewer?.account_id, viewer, app: undefined, ...browserOf(context, headers) };
}

/** The caller of a public method; without a login or a page its account is that of the host. */
export async function callerOf(context: Context, request: Request, pages: PageCache): Promise<CallerOfPage> {
  const { account_id, viewer, browser, app, headers } = await identify(context, request, pages);
  return {
    account_id: account_id ?? await pages.accountOf(hostOf(request.url)) ?? 0,
    viewer,
    browser,
    address: context.call.address,
    app,
    headers,
  };
}

/** Whether the page would be given out again. */
const opensFor = (app: ServedApp, viewer: Viewer | undefined): boolean =>
  app.public || viewer !== undefined && visibleTo(viewer, app.department_id);

export interface CallerOfPage extends Caller {
  app: string | undefined;
  /** For the answer. */
  headers: Record<string, string>;
}

/** The browser by its cookie, or a new one. */
export function browserOf({ config }: Context, headers: Headers): Pick<Identity, "browser" | "headers"> {
  const secure = config.base_url.startsWith("https:");
  const name = secure ? "__Host-browser" : "browser";
  const known = headers.get("cookie")?.split(/;\s*/).find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);
  if (known && KEY.test(known)) return { browser: known, headers: {} };
  const browser = randomBytes(32).toString("base64url");
  const cookie = `${name}=${browser}; Path=/; Max-Age=${YEAR_S}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return { browser, headers: { "set-cookie": cookie } };
}

/** For the page of an app, in the eyes of one viewer or nobody. */
export const pageToken = (
  { keys, clock }: Context,
  app: { id: string; account_id: number },
  viewer: Viewer | undefined,
  browser: string,
): string =>
  signAppToken(keys, {
    app: app.id,
    account: app.account_id,
    user: viewer?.user_id ?? null,
    token: viewer?.token_id ?? null,
    browser,
  }, clock.now());
