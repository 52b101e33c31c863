/**
 * Apps on hosts of their own (`APPS_ORIGIN`). The site's address of an app leads to the app's host. A member gets there
 * with a one-time code, for which the host sets a cookie that opens this app's page only. A host of apps asks the site
 * again when its cookie no longer opens the app.
 */
import { UUID } from "../../database/uuid_v7.ts";
import { type AppsHost, appsHostOf, entryCookie, entryOf, hasOwnOrigins, originOfApp } from "../../apps_site.ts";
import { signInOrigin } from "../../domains/account/site.ts";
import { insertEntryCode, takeEntryCode } from "../../domains/apps/entry_codes.ts";
import { notFound } from "../../errors.ts";
import { readAppEntry, signAppEntry } from "../../secrets/app_entries.ts";
import { findEntered, type Viewer } from "../../viewer.ts";
import { queryOf, queryTextOf } from "../address.ts";
import { stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { PlainRoute } from "../plain_route.ts";
import { missingApp } from "./notices.ts";
import type { ServedApp } from "./page_build.ts";
import { appFor, sees } from "./app_page.ts";

export const ENTER_APP: PlainRoute = {
  method: "GET",
  path: "/enter",
  name: "enter_app",
  tag: "files",
  summary: "Enter an app on the host that serves it",
  description:
    "With `APPS_ORIGIN`. The site redirects here with a code that is valid once, for this app and 30 seconds.",
  callers: "everyone",
  parameters: [
    { in: "query", name: "code", example: "j3v1…", description: "None for a visitor" },
    { in: "query", name: "to", example: "/a/0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55?page=2", required: true },
  ],
  replies: {
    303: { description: "To the app's page, with a cookie for it, or with its removal" },
    404: { description: "No such app, or not on this host", content: { "text/html": {} } },
  },
  refuses: [503],
  answer: answerEntry,
};

/** @param viewer undefined for a visitor */
export async function leadToApp(context: HttpContext, app: ServedApp, viewer: Viewer | undefined): Promise<Response> {
  const { call, sql, config } = context;
  const to = new URLSearchParams({ to: `/a/${app.id}${queryTextOf(call.request.url)}` });
  if (viewer?.session_id) to.set("code", await insertEntryCode(sql, app, viewer.session_id));
  return goTo(context, `${originOfApp(config, app.id)}/enter?${to}`);
}

/** The app's page, on a host that serves it. @param code as in the address: there only ids name apps */
export async function appOnItsHost(context: HttpContext, host: AppsHost, code: string): Promise<Response> {
  const { call, config } = context;
  const app = await findApp(context, host, code);
  const entered = app && await findEntered(context, app);
  if (app && entered?.viewer && sees(app, entered.viewer)) return await appFor(context, app, entered.viewer);
  if (app?.public && !entered) return await appFor(context, app, undefined);
  const site = app && hasEntered(context, app) ? await signInOrigin(context, app.account_id) : config.base_url;
  return goTo(context, `${site}/a/${code}${queryTextOf(call.request.url)}`);
}

/** Whether the browser knows of the app already. The address of another account's site would tell a stranger of it. */
function hasEntered({ call, keys, clock, config }: HttpContext, { id }: ServedApp): boolean {
  return readAppEntry(keys, entryOf(call.request, config, id) ?? "", clock.now())?.app === id;
}

async function answerEntry(context: HttpContext): Promise<Response> {
  const { call: { request }, sql, viewers, keys, clock, config } = context;
  const host = appsHostOf(config, request.url);
  if (!host) throw notFound();
  const query = queryOf(request.url);
  const [, id = "", search = ""] = /^\/a\/([0-9a-f-]{36})(\?.*)?$/.exec(query.get("to") ?? "") ?? [];
  const app = await findApp(context, host, id);
  if (!app) return missingApp();
  const code = query.get("code");
  const session_id = code === null ? undefined : await takeEntryCode(sql, app, code);
  const viewer = session_id === undefined ? undefined : await viewers.bySessionId(session_id);
  const to = new URL(search, `${originOfApp(config, app.id)}/a/${app.id}`).href;
  // A code that was used before changes nothing.
  if (code !== null && !viewer?.session_id) return goTo(context, to);
  const before = readAppEntry(keys, entryOf(request, config, app.id) ?? "", clock.now());
  const entry = viewer?.session_id && { app: app.id, user: viewer.user_id, session: viewer.session_id };
  return goTo(context, to, {
    "set-cookie": entryCookie(config, app.id, entry ? signAppEntry(keys, entry, clock.now()) : undefined),
    // What the app stored for another member is not for this one.
    ...before && before.user !== viewer?.user_id && hasOwnOrigins(config)
      ? { "clear-site-data": '"storage"' }
      : undefined,
  });
}

async function findApp({ pages }: HttpContext, { app_id }: AppsHost, code: string): Promise<ServedApp | undefined> {
  const is_served = UUID.test(code) && (app_id === undefined || app_id === code.toLowerCase());
  return is_served ? await pages.byId(code) : undefined;
}

const goTo = ({ call }: HttpContext, location: string, more?: Record<string, string>): Response =>
  new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer", ...more, ...stamp(call) },
  });
