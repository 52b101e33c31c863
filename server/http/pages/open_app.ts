/**
 * Apps as people open them. An app is untrusted code on this server's own address, so its page runs in a sandbox: from
 * there it reaches neither the API as its viewer nor another app.
 */
import { findUserName } from "../../domains/user_settings/queries.ts";
import { allow, findViewer, mayDo, namesViewer, type Viewer } from "../../viewer.ts";
import { appsHostOf } from "../../apps_site.ts";
import { hostOf } from "../../input/host.ts";
import { queryTextOf } from "../address.ts";
import { stamp } from "../answers.ts";
import { FOR_EVERYONE } from "../files/assets.ts";
import { respond } from "../files/variants.ts";
import type { HttpContext } from "../http_context.ts";
import { type PlainRoute, refusedAs, UNCHANGED } from "../plain_route.ts";
import { appFor, cachedPageForVisitor, sees } from "./app_page.ts";
import { CODE, ID, segment } from "./app_path.ts";
import { appOnItsHost, ENTER_APP, leadToApp } from "./apps_host.ts";
import { BAR_POLICY, barHtml } from "./bar_html.ts";
import { loadsFrame, REOPEN_HEADERS, REOPEN_HTML, showsPicture } from "./framed.ts";
import { missingApp, missingAppForMember, signInFirst } from "./notices.ts";
import type { ServedApp } from "./page_build.ts";

const BAR = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": BAR_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const URL_CODE = {
  in: "path",
  name: "url_code",
  example: "my-counter",
  description: "The app's `url_code` or id",
} as const;

export const APP_PAGES: readonly PlainRoute[] = [
  ENTER_APP,
  {
    method: "GET",
    path: "/a/:url_code",
    name: "open_app",
    tag: "files",
    summary: "Open an app",
    description:
      "A public app opens for anyone. Any other opens for a viewer who may see it. A member with a session " +
      "gets a page with a bar and the app in a frame. A page that carries no page token has a strong `ETag`. A page " +
      "with a token is made for one browser: it is never cached and has none.",
    callers: "viewers and visitors",
    parameters: [URL_CODE],
    replies: {
      200: { description: "The app's page", content: { "text/html": {} } },
      303: {
        description: "For a browser without a session, where no public app is at the address: to the sign-in page. " +
          "With `APPS_ORIGIN`: to the host that serves the app",
      },
      304: UNCHANGED,
      401: refusedAs("There is no valid token, and no public app at this address"),
      403: refusedAs("The token lacks the scope `apps:read`"),
      404: { description: "For a viewer: no such app, or it is switched off, or hidden", content: { "text/html": {} } },
    },
    refuses: [503],
    answer: answerPage,
  },
  {
    method: "GET",
    path: "/a/:url_code/frame",
    name: "open_app_frame",
    tag: "files",
    summary: "Open an app in the frame of its page",
    description:
      "Only browsers get the app here, and only in a frame of a page of this site; any other request is sent to the " +
      "app's page. The frame has a sandbox, also with `APPS_ORIGIN`.",
    callers: "viewers and visitors",
    parameters: [URL_CODE],
    replies: {
      200: {
        description: "The app itself; without a session a page that asks the page around to load the frame again",
        content: { "text/html": {} },
      },
      303: { description: "To the app's page: the request loads no frame" },
      404: { description: "No such app, or it is switched off, or hidden", content: { "text/html": {} } },
    },
    refuses: [503],
    answer: answerFrame,
  },
  {
    method: "GET",
    path: "/a/:id/:file",
    name: "read_app_file",
    tag: "files",
    summary: "Read an app's compiled script or stylesheet",
    description: "Its address, which only the app's page carries, has the hash of the content.",
    callers: "everyone",
    parameters: [
      { in: "path", name: "id", example: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", description: "The app's id" },
      { in: "path", name: "file", example: `${"0123456789abcdef".repeat(2)}.js`, description: "As in the app's page" },
    ],
    replies: {
      200: { description: "The file", content: { "text/javascript": {}, "text/css": {} } },
      304: UNCHANGED,
      404: { description: "No such file", content: { "text/html": {} } },
    },
    refuses: [503],
    answer: answerFile,
  },
];

function answerPage(context: HttpContext): Response | Promise<Response> {
  return cachedPage(context) ?? openPage(context);
}

/** A visitor's page of a public app costs least without a promise. */
function cachedPage(context: HttpContext): Response | undefined {
  const { call, config, pages } = context;
  if (config.apps_origin !== undefined || namesViewer(context)) return undefined;
  const opened = pages.cachedPublic(call.request.url, call.path, call.started);
  return opened && cachedPageForVisitor(context, opened);
}

async function openPage(context: HttpContext): Promise<Response> {
  const { call, config } = context;
  const code = segment(call.path, 2);
  const host = appsHostOf(config, call.request.url);
  if (host) return await appOnItsHost(context, host, code);
  const app = await findApp(context, code);
  const viewer = app?.public && !namesViewer(context) ? undefined : await findViewer(context);
  if (app && (app.public || viewer && sees(app, viewer))) return await openedApp(context, app, viewer);
  // From here on a private app is answered like a missing one.
  if (!viewer) return signInFirst(call.request);
  allow(viewer, "guest", "apps:read");
  return missingAppForMember();
}

/** An app that opens for its caller, in the form that keeps the site's address from it. API tokens get the app itself. */
async function openedApp(context: HttpContext, app: ServedApp, viewer: Viewer | undefined): Promise<Response> {
  const { call, config } = context;
  if (call.token !== undefined) return await appFor(context, app, viewer);
  if (viewer && showsPicture(call.request)) return await appFor(context, app, viewer, false);
  if (config.apps_origin !== undefined) {
    return await leadToApp(context, app, viewer && sees(app, viewer) ? viewer : undefined);
  }
  // Nothing but a bar of ours fills the window of a browser with a session.
  if (viewer && !loadsFrame(call.request)) return await pageWithBar(context, app, viewer);
  return await appFor(context, app, viewer);
}

async function answerFrame(context: HttpContext): Promise<Response> {
  const { call } = context;
  const code = segment(call.path, 2);
  if (!loadsFrame(call.request)) {
    const location = `/a/${code}${queryTextOf(call.request.url)}`;
    return new Response(null, { status: 303, headers: { location, "cache-control": "no-store", ...stamp(call) } });
  }
  const [app, viewer] = [await findApp(context, code), await findViewer(context)];
  if (!viewer) return new Response(REOPEN_HTML, { headers: { ...REOPEN_HEADERS, ...stamp(call) } });
  return app && (app.public || sees(app, viewer)) ? await appFor(context, app, viewer) : missingApp();
}

/** The query of the address is the app's. */
async function pageWithBar({ call, sql }: HttpContext, app: ServedApp, viewer: Viewer): Promise<Response> {
  const html = barHtml({
    app: app.name,
    viewer: await findUserName(sql, viewer.account_id, viewer.user_id) ?? "",
    frame: `/a/${segment(call.path, 2)}/frame${queryTextOf(call.request.url)}`,
    edit: sees(app, viewer) && mayDo(viewer, "manager", "apps:write") ? `/apps/${app.id}` : undefined,
  });
  return new Response(html, { headers: { ...BAR, ...stamp(call) } });
}

/** The app that the request's path names. */
export const appOfPath = (context: HttpContext): Promise<ServedApp | undefined> =>
  findApp(context, segment(context.call.path, 2));

async function findApp({ pages, call }: HttpContext, code: string): Promise<ServedApp | undefined> {
  if (ID.test(code)) return await pages.byId(code);
  if (CODE.test(code)) return await pages.byCode(hostOf(call.request.url), code);
}

/** A sandboxed page's module requests carry no credentials, so the hash in the address is the only proof. */
async function answerFile({ call: { request, path }, pages }: HttpContext): Promise<Response> {
  const id = segment(path, 2);
  const [, hash, kind] = /^([0-9a-f]{32})\.(js|css)$/.exec(segment(path, 3)) ?? [];
  const app = ID.test(id) && hash ? await pages.byId(id) : undefined;
  const file = kind === "css" ? app?.style : app?.script;
  if (!app || !file) return missingApp();
  if (file.hash === hash) return respond(request, file, "public, max-age=31536000, immutable", FOR_EVERYONE);
  // A page opened just before a change asks for the old hash. The new file may go to anyone where the app is public.
  return app.public ? respond(request, file, "no-store", FOR_EVERYONE) : missingApp();
}
