/**
 * Apps as people open them.
 *
 * | path | answer |
 * |---|---|
 * | GET /a/:url_code, /a/:id | the app's page |
 * | GET /a/:id/:hash.js, /a/:id/:hash.css | its own code, by content |
 *
 * An app is hostile code on our own address: its page lives in a sandbox with an opaque origin (the
 * Content-Security-Policy below), from where it can reach neither the API as its viewer nor another app.
 */
import type { Context as HonoContext, Hono } from "hono";
import { type Context, stamp, type Viewer } from "../../context.ts";
import { findAppUser } from "../../domains/user_settings/queries.ts";
import { unauthorized } from "../../errors.ts";
import { allow } from "../../trpc.ts";
import { visibleTo } from "../../visibility.ts";
import { hostOf, pathOf } from "../address.ts";
import { FOR_EVERYONE } from "../files/assets.ts";
import { browserOf, pageToken } from "../identity.ts";
import { noticePage } from "./page_html.ts";
import type { ServedApp } from "./page_build.ts";
import type { PageCache } from "./page_cache.ts";
import { type Env, mountOthers, refuse } from "../rest/rest.ts";
import { respond, variantsOf } from "../files/variants.ts";

/** Never `allow-same-origin`, never `allow-popups-to-escape-sandbox`. */
const SANDBOX = {
  "content-security-policy":
    "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; frame-ancestors 'self'; " +
    "object-src 'none'; base-uri 'self'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
const HTML = "text/html; charset=utf-8";

const CODE = /^[a-z0-9_-]{1,100}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function mountApps(app: Hono<Env>, pages: PageCache): void {
  app.get("/a/:code", (c) => answerPage(c, pages));
  app.get("/a/:id/:file", (c) => answerFile(c, pages));
  app.get("/a/*", (c) => missing(c.req.raw));
  mountOthers(app, "/a/:code", ["GET"]);
  mountOthers(app, "/a/:id/:file", ["GET"]);
}

/** A segment as it was sent: encoded slashes and NULs name no app. */
const segment = (url: string, index: number) => pathOf(url).split("/")[index] ?? "";

async function answerPage(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const request = c.req.raw;
  const code = segment(request.url, 2);
  const app = await find(pages, request, code);
  if (!app) return missing(request);
  const { context } = c.env;
  if (app.public && !context.call.token) return pageForAnyone(context, request, app);
  const viewer = context.call.viewer = await viewerOf(context);
  if (viewer && sees(app, viewer)) return await pageFor(context, request, app, viewer);
  if (app.public) return pageForAnyone(context, request, app);
  return viewer ? missing(request) : signIn(request);
}

/** An app that asks the server for nothing has one page for everybody. */
function pageForAnyone(context: Context, request: Request, app: ServedApp): Response {
  if (!app.asks) {
    return respond(request, app.page, "private, no-cache", { ...SANDBOX, ...stamp(context.call) });
  }
  return pageWithToken(context, request, app, "null", undefined);
}

async function find(pages: PageCache, request: Request, code: string): Promise<ServedApp | undefined> {
  if (ID.test(code)) return await pages.byId(code);
  if (CODE.test(code)) return await pages.byCode(hostOf(request.url), code);
}

const viewerOf = async ({ viewers, call }: Context) => call.token ? await viewers.byToken(call.token) : undefined;

function sees(app: ServedApp, viewer: Viewer): boolean {
  if (viewer.account_id !== app.account_id || !visibleTo(viewer, app.department_id)) return false;
  // What is public opens for a token of any scopes as it does for nobody.
  if (app.public) return viewer.scopes?.includes("apps:read") ?? true;
  allow(viewer, "guest", "apps:read");
  return true;
}

async function pageFor(context: Context, request: Request, app: ServedApp, viewer: Viewer): Promise<Response> {
  return pageWithToken(
    context,
    request,
    app,
    await findAppUser(context.sql, viewer.account_id, viewer.user_id) ?? "null",
    viewer,
  );
}

/** What names a viewer or a browser is never kept by a cache. @param user JSON */
function pageWithToken(
  context: Context,
  { headers }: Request,
  app: ServedApp,
  user: string,
  viewer: Viewer | undefined,
): Response {
  const known = browserOf(context, headers);
  return new Response(app.pageFor(user, pageToken(context, app, viewer, known.browser)), {
    headers: {
      ...SANDBOX,
      ...stamp(context.call),
      ...known.headers,
      "content-type": HTML,
      "cache-control": "no-store",
    },
  });
}

/** Reached by whoever got the page: a module request of a sandboxed page carries no credentials, only the hash. */
async function answerFile(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const request = c.req.raw;
  const id = segment(request.url, 2);
  const [, hash, kind] = /^([0-9a-f]{32})\.(js|css)$/.exec(segment(request.url, 3)) ?? [];
  const app = ID.test(id) && hash ? await pages.byId(id) : undefined;
  const file = kind === "css" ? app?.style : app?.script;
  if (!app || !file) return missing(request);
  if (file.hash === hash) return respond(request, file, "public, max-age=31536000, immutable", FOR_EVERYONE);
  // A page made a moment before a change still asks for the old code; what is public may be given anew.
  return app.public ? respond(request, file, "no-store", FOR_EVERYONE) : missing(request);
}

const wantsHtml = ({ headers }: Request) => headers.get("accept")?.includes("text/html") ?? false;

const missing = (request: Request) =>
  notice(request, 404, "There is no app here", "The address may be mistyped, or the app is switched off or deleted.");

function signIn(request: Request): Response {
  if (!wantsHtml(request)) return refuse(unauthorized("This app is not public: a valid access token is needed"));
  return notice(request, 401, "This app is not public", "It opens for signed-in members of its team.", {
    "www-authenticate": "Bearer",
  });
}

function notice(
  request: Request,
  status: number,
  title: string,
  sentence: string,
  headers: Record<string, string> = {},
): Response {
  const { identity } = variantsOf(noticePage(title, sentence), HTML);
  return new Response(request.method === "HEAD" ? null : identity, {
    status,
    headers: {
      ...headers,
      "content-type": HTML,
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      "x-content-type-options": "nosniff",
    },
  });
}
