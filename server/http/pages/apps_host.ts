/**
 * Apps on hosts of their own (`APPS_ORIGIN`). The site's address of an app leads to the app's host. A member gets there
 * with a one-time code, for which the host sets a cookie that opens this app's page only. A host of apps asks the site
 * again when its cookie no longer opens the app.
 */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { UUID } from "../../database/uuid_v7.ts";
import {
  type AppsHost,
  appsHostOf,
  entryCookie,
  entryOf,
  hasOwnOrigins,
  originOfApp,
  questionCookie,
  questionOf,
} from "../../apps_site.ts";
import { signInOrigin } from "../../domains/account/site.ts";
import { insertEntryCode, takeEntryCode } from "../../domains/apps/entry_codes.ts";
import { notFound } from "../../errors.ts";
import { readAppEntry, signAppEntry } from "../../secrets/app_entries.ts";
import { findEntered, findViewer, type Viewer } from "../../viewer.ts";
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
    "With `APPS_ORIGIN`. The site redirects here with a code that is valid once, for this app and 30 seconds. Where another " +
    "member has entered the app in this browser before, the host asks the site, which answers for this browser only.",
  callers: "everyone",
  parameters: [
    { in: "query", name: "code", example: "j3v1…", description: "None for a visitor" },
    { in: "query", name: "visitor", example: "j3v1…", description: "Instead of a code, for a visitor after a member" },
    { in: "query", name: "asked", example: "j3v1…", description: "On the site: the question of the app's host" },
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
  if (!host) return await answerHost(context);
  const query = queryOf(request.url);
  const [id, search] = targetOf(query);
  const app = await findApp(context, host, id);
  if (!app) return missingApp();
  const [code, visitor] = [query.get("code"), query.get("visitor")];
  // An answer of the site counts in the browser that has asked only.
  const asked = query.has("asked") ? askedBy(request, config, app) : "";
  const session_id = code === null || asked === undefined ? undefined : await takeEntryCode(sql, app, code, asked);
  const viewer = session_id === undefined ? undefined : await viewers.bySessionId(session_id);
  const is_visitor = visitor !== null && isVisitor(context, app, asked, visitor);
  const to = new URL(search, `${originOfApp(config, app.id)}/a/${app.id}`).href;
  // A code that was used before changes nothing.
  if (code !== null && !viewer?.session_id || visitor !== null && !is_visitor) return goTo(context, to);
  const before = readAppEntry(keys, entryOf(request, config, app.id) ?? "", clock.now());
  const replaces = before && before.user !== viewer?.user_id;
  // Pages of other apps could load this address as a part of themselves.
  if (replaces && (request.headers.get("sec-fetch-dest") ?? "document") !== "document") return goTo(context, to);
  if (replaces && !is_visitor && !(asked && viewer)) return await askSite(context, app, search);
  const entry = viewer?.session_id && { app: app.id, user: viewer.user_id, session: viewer.session_id };
  return goTo(context, to, {
    "set-cookie": entryCookie(config, app.id, entry ? signAppEntry(keys, entry, clock.now()) : undefined),
    // What the app stored for another member is not for this one.
    ...replaces && hasOwnOrigins(config) ? { "clear-site-data": '"storage"' } : undefined,
  });
}

/**
 * Any site may lead a browser to `/enter`, also with a code of its own. Before the storage of another member is deleted,
 * the site is asked who is signed in, with a question that this browser alone can answer.
 */
async function askSite(context: HttpContext, app: ServedApp, search: string): Promise<Response> {
  const question = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({ to: `/a/${app.id}${search}`, asked: hashOf(question) });
  const site = await signInOrigin(context, app.account_id);
  return goTo(context, `${site}/enter?${query}`, { "set-cookie": questionCookie(context.config, app.id, question) });
}

/** On the site: says to the host that asks who is signed in. */
async function answerHost(context: HttpContext): Promise<Response> {
  const { call, sql, config, keys, pages } = context;
  const query = queryOf(call.request.url);
  const [asked, [id, search]] = [query.get("asked") ?? "", targetOf(query)];
  if (config.apps_origin === undefined || !SHA256.test(asked)) throw notFound();
  const [app, viewer] = [UUID.test(id) ? await pages.byId(id) : undefined, await findViewer(context)];
  const member = app && viewer && sees(app, viewer) ? viewer : undefined;
  // The app's address says why it does not open.
  if (!app || !app.public && !member) return goTo(context, `/a/${id}${search}`);
  const answer = new URLSearchParams({ to: `/a/${app.id}${search}`, asked: "" });
  if (member?.session_id) answer.set("code", await insertEntryCode(sql, app, member.session_id, asked));
  else answer.set("visitor", keys.sign(VISITOR, `${app.id} ${asked}`).toString("base64url"));
  return goTo(context, `${originOfApp(config, app.id)}/enter?${answer}`);
}

const VISITOR = "visitor of an app";
const SHA256 = /^[\w-]{43}$/;
const hashOf = (question: string) => createHash("sha256").update(question).digest("base64url");

/** The hash of the question that this browser has asked; undefined where it has asked none. */
function askedBy(request: Request, config: HttpContext["config"], { id }: ServedApp): string | undefined {
  const question = questionOf(request, config, id);
  return question ? hashOf(question) : undefined;
}

const isVisitor = ({ keys }: HttpContext, { id }: ServedApp, asked: string | undefined, signature: string): boolean =>
  Boolean(asked) && keys.verify(VISITOR, `${id} ${asked}`, Buffer.from(signature, "base64url"));

/** @returns the app's id as it was sent, and the query of its page */
function targetOf(query: URLSearchParams): [id: string, search: string] {
  const [, id = "", search = ""] = /^\/a\/([0-9a-f-]{36})(\?.*)?$/.exec(query.get("to") ?? "") ?? [];
  return [id, search];
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
