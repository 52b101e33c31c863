/** The document of an app itself, for one viewer or for a visitor. The callers decide who gets it, and where. */
import { appsHostOf, hasOwnOrigins } from "../../apps_site.ts";
import { findAppUser } from "../../domains/user_settings/queries.ts";
import { signPageToken, type Viewer } from "../../viewer.ts";
import { visibleTo } from "../../visibility.ts";
import { stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { ServedApp } from "./page_build.ts";
import { OWN_ORIGIN, type PageHeaders, SANDBOX } from "./sandbox.ts";

/** The app itself. A public app that the viewer does not see opens as it does for a visitor. */
export async function appFor(context: HttpContext, app: ServedApp, viewer: Viewer | undefined): Promise<Response> {
  if (!viewer || !sees(app, viewer)) return pageForVisitor(context, app);
  const user = await findAppUser(context.sql, viewer.account_id, viewer.user_id);
  return pageWithToken(context, app, user ?? "null", viewer);
}

/** With a token of other scopes a public app opens as it does for a visitor. */
export const sees = (app: ServedApp, viewer: Viewer): boolean =>
  viewer.account_id === app.account_id && visibleTo(viewer, app.department_id) &&
  (viewer.scopes?.includes("apps:read") ?? true);

/** An app that sends no requests to the server needs no page token: its page is the same for every visitor. */
function pageForVisitor(context: HttpContext, app: ServedApp): Response {
  const { call } = context;
  if (app.asks) return pageWithToken(context, app, "null", undefined);
  return app.answer(call.request, headersOf(context), stamp(call));
}

/**
 * A page that names its viewer or browser is never cached.
 *
 * @param user the viewer's data for the app, as JSON; `null` for a visitor
 */
function pageWithToken(context: HttpContext, app: ServedApp, user: string, viewer: Viewer | undefined): Response {
  const { call } = context;
  const page = app.pageFor(user, signPageToken(context, app, viewer));
  const cookie = call.set_cookie === undefined ? undefined : { "set-cookie": call.set_cookie };
  return new Response(page, { headers: { ...headersOf(context), ...UNCACHED, ...stamp(call), ...cookie } });
}

const UNCACHED = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };

/** Only on a host that serves no other app, an app's page has no sandbox. */
const headersOf = ({ call, config }: HttpContext): PageHeaders =>
  hasOwnOrigins(config) && appsHostOf(config, call.request.url) ? OWN_ORIGIN : SANDBOX;
