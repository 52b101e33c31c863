/**
 * Apps as people open them. An app is untrusted code on this server's own address, so its page runs in a sandbox: from
 * there it reaches neither the API as its viewer nor another app.
 */
import { findAppUser } from "../../domains/user_settings/queries.ts";
import { visibleTo } from "../../visibility.ts";
import { allow, findViewer, namesViewer, signPageToken, type Viewer } from "../../viewer.ts";
import { hostOf } from "../../input/host.ts";
import { stamp } from "../answers.ts";
import { FOR_EVERYONE } from "../files/assets.ts";
import { respond } from "../files/variants.ts";
import type { HttpContext } from "../http_context.ts";
import { type PlainRoute, refusedAs, UNCHANGED } from "../plain_route.ts";
import { missingApp, signInFirst } from "./notices.ts";
import type { ServedApp } from "./page_build.ts";
import { SANDBOX } from "./sandbox.ts";

const PAGE_WITH_TOKEN = {
  ...SANDBOX,
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
};

const CODE = /^[a-z0-9_-]{1,100}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const APP_PAGES: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/a/:url_code",
    name: "open_app",
    tag: "files",
    summary: "Open an app",
    description: "A public app opens for anyone. Any other opens for a viewer who may see it. A page that carries no " +
      "page token has a strong `ETag`. A page with a token is made for one browser: it is never cached and has none.",
    callers: "viewers and visitors",
    parameters: [{
      in: "path",
      name: "url_code",
      example: "my-counter",
      description: "The app's `url_code` or id",
    }],
    replies: {
      200: { description: "The app's page", content: { "text/html": {} } },
      303: {
        description: "For a browser without a session, where no public app is at the address: to the sign-in page",
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

/** A segment of the path as it was sent: encoded slashes and NULs name no app. */
const segment = (path: string, index: number) => path.split("/")[index] ?? "";

async function answerPage(context: HttpContext): Promise<Response> {
  const { call } = context;
  const app = await findApp(context, segment(call.path, 2));
  if (app?.public && !namesViewer(context)) return pageForVisitor(context, app);
  const viewer = await findViewer(context);
  if (app && viewer && sees(app, viewer)) {
    const user = await findAppUser(context.sql, viewer.account_id, viewer.user_id);
    return pageWithToken(context, app, user ?? "null", viewer);
  }
  if (app?.public) return pageForVisitor(context, app);
  // From here on a private app is answered like a missing one.
  if (!viewer) return signInFirst(call.request);
  allow(viewer, "guest", "apps:read");
  return missingApp();
}

async function findApp({ pages, call }: HttpContext, code: string): Promise<ServedApp | undefined> {
  if (ID.test(code)) return await pages.byId(code);
  if (CODE.test(code)) return await pages.byCode(hostOf(call.request.url), code);
}

/** With a token of other scopes a public app opens as it does for a visitor. */
const sees = (app: ServedApp, viewer: Viewer): boolean =>
  viewer.account_id === app.account_id && visibleTo(viewer, app.department_id) &&
  (viewer.scopes?.includes("apps:read") ?? true);

/** An app that sends no requests to the server needs no page token: its page is the same for every visitor. */
function pageForVisitor(context: HttpContext, app: ServedApp): Response {
  const { call } = context;
  if (app.asks) return pageWithToken(context, app, "null", undefined);
  return app.answer(call.request, stamp(call));
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
  return new Response(page, { headers: { ...PAGE_WITH_TOKEN, ...stamp(call), ...cookie } });
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
