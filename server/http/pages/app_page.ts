/** The document of an app itself, for one viewer or for a visitor. The callers decide who gets it, and where. */
import { appsHostOf } from "../../apps_site.ts";
import { findAppUser } from "../../domains/user_settings/queries.ts";
import { type Call, secondsUntil, signPageToken, type Viewer } from "../../viewer.ts";
import { visibleTo } from "../../visibility.ts";
import { stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { ServedApp } from "./page_build.ts";
import type { CachedPage } from "./page_cache.ts";
import { framedBy, OWN_ORIGIN, type PageHeaders, SANDBOX } from "./sandbox.ts";

/**
 * The app itself. A public app that the viewer does not see opens as it does for a visitor.
 *
 * @param is_shown false for a picture of the app, which is no opening
 */
export async function appFor(
  context: HttpContext,
  app: ServedApp,
  viewer: Viewer | undefined,
  is_shown = true,
): Promise<Response> {
  if (is_shown && isOpening(context.call)) context.openings.count(app.id);
  if (!viewer || !sees(app, viewer)) return await pageForVisitor(context, app);
  const user = await findAppUser(context.sql, viewer);
  return await pageWithToken(context, app, user ?? "null", viewer);
}

/** A person opens the page: it is neither a look at the headers nor a browser's guess of what is opened next. */
const isOpening = ({ is_head, request: { headers } }: Call): boolean =>
  !is_head && !(headers.get("sec-purpose") ?? headers.get("purpose"))?.startsWith("prefetch");

/** With a token of other scopes a public app opens as it does for a visitor. */
export const sees = (app: ServedApp, viewer: Viewer): boolean =>
  viewer.account_id === app.account_id && visibleTo(viewer, app.department_id) &&
  (viewer.scopes?.includes("apps:read") ?? true);

/**
 * Deno Deploy's CDN may keep the page of a public app for a moment, for visitors. A session or a token opens another page
 * at the same address. Answers to requests with a cookie are not kept, because some depend on further headers, such as
 * `Sec-Fetch-Dest`. The header is for this CDN only: browsers get the page's own `cache-control`.
 */
const FOR_CDN = {
  "deno-cdn-cache-control": "public, s-maxage=10",
  vary: "accept-encoding, authorization, cookie",
};

const isAnonymous = ({ token, request }: Call): boolean => token === undefined && !request.headers.has("cookie");

async function pageForVisitor(context: HttpContext, app: ServedApp): Promise<Response> {
  if (app.asks) return await pageWithToken(context, app, "null", undefined);
  return pageForAnyVisitor(context, app, await hostsOf(context, app));
}

/** An app that sends no requests to the server needs no page token: its page is the same for every visitor. */
function pageForAnyVisitor(context: HttpContext, app: ServedApp, hosts: readonly string[]): Response {
  const { call, config } = context;
  const headers = headersOf(context, app);
  const own: Record<string, string> = stamp(call);
  if (hosts.length > 0) Object.assign(own, framedBy(headers, hosts));
  if (config.hosted && app.public && isAnonymous(call)) Object.assign(own, FOR_CDN);
  return app.answer(call.request, headers, own);
}

/** The page of a public app from memory, for a visitor of the site's own address. */
export function cachedPageForVisitor(context: HttpContext, { app, hosts }: CachedPage): Response {
  if (isOpening(context.call)) context.openings.count(app.id);
  return pageForAnyVisitor(context, app, hosts);
}

/**
 * A page that names its viewer or browser is never cached.
 *
 * @param user the viewer's data for the app, as JSON; `null` for a visitor
 */
async function pageWithToken(
  context: HttpContext,
  app: ServedApp,
  user: string,
  viewer: Viewer | undefined,
): Promise<Response> {
  const { call, clock, config } = context;
  const [headers, hosts] = [headersOf(context, app), await hostsOf(context, app)];
  const expires_in = viewer?.grant && secondsUntil(viewer.expires_at, clock.now());
  const renewal = expires_in ? { expires_in, hosts: [new URL(config.base_url).origin, ...hosts] } : undefined;
  const page = app.pageFor(user, signPageToken(context, app, viewer), renewal);
  const cookie = call.set_cookie === undefined ? undefined : { "set-cookie": call.set_cookie };
  return new Response(page, {
    headers: { ...headers, ...framedBy(headers, hosts), ...UNCACHED, ...stamp(call), ...cookie },
  });
}

/** Origins of pages that may show the app in a frame. The site's own is another one for a host of apps. */
async function hostsOf({ pages, call, config }: HttpContext, { account_id }: ServedApp): Promise<readonly string[]> {
  const hosts = await pages.embeddingHosts(account_id);
  return appsHostOf(config, call.request.url) ? [new URL(config.base_url).origin, ...hosts] : hosts;
}

const UNCACHED = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };

/** Only on a host that serves no other app, an app's page has no sandbox. */
const headersOf = ({ call, config }: HttpContext, app: ServedApp): PageHeaders =>
  appsHostOf(config, call.request.url)?.app_id === app.id ? OWN_ORIGIN : SANDBOX;
