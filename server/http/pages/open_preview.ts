/**
 * Previews: sources that nobody has saved, in frames of this site's own pages. A preview is as untrusted as an app and
 * has the same sandbox, under every APPS_ORIGIN. Only the session that made it opens its page. Its files are opened by
 * the key in their address, because requests of a sandboxed page carry no credentials.
 */
import { findPreviewFile, findPreviewPage, type PreviewPage } from "../../domains/apps/previews/queries.ts";
import { findAppUser } from "../../domains/user_settings/queries.ts";
import { hostOf } from "../../input/host.ts";
import { allow, findViewer, signPageToken, type Viewer } from "../../viewer.ts";
import { stamp } from "../answers.ts";
import { FOR_EVERYONE } from "../files/assets.ts";
import { respond, variantsOf } from "../files/variants.ts";
import type { HttpContext } from "../http_context.ts";
import { type PlainRoute, UNCHANGED } from "../plain_route.ts";
import type { Params } from "../route_table.ts";
import { REOPEN_HEADERS, REOPEN_HTML } from "./framed.ts";
import { missingPreview } from "./notices.ts";
import { type Shims, shimWithToken } from "./page_build.ts";
import { CONTEXT, renderPage } from "./page_html.ts";
import { SANDBOX } from "./sandbox.ts";

const KEY = {
  in: "path",
  name: "key",
  example: "TVd9dGhlIGtleSBvZiBhIHByZXZpZXcgaW4gYmFzZTY0",
  description: "As in the preview's `url`",
} as const;

export const PREVIEW_PAGES: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/previews/:key/frame",
    name: "open_preview",
    tag: "files",
    summary: "Open a preview of a source in a frame",
    description: "The `url` of `POST /platform/apps/preview.json`, for 10 minutes and for the user who made it.",
    callers: "viewers and visitors",
    parameters: [KEY],
    replies: {
      200: {
        description: "The preview; without a session a page that asks the page around to load the frame again",
        content: { "text/html": {} },
      },
      404: { description: "No such preview, or not in a frame", content: { "text/html": {} } },
    },
    refuses: [403, 503],
    answer: answerFrame,
  },
  {
    method: "GET",
    path: "/previews/:key/:file",
    name: "read_preview_file",
    tag: "files",
    summary: "Read a preview's compiled script, stylesheet or positions",
    description: "`positions.txt` has the mappings of a source map from the script to the source.",
    callers: "everyone",
    parameters: [KEY, { in: "path", name: "file", example: "app.js", description: "As in the preview's page" }],
    replies: {
      200: { description: "The file", content: { "text/javascript": {}, "text/css": {}, "text/plain": {} } },
      304: UNCHANGED,
      404: { description: "No such file", content: { "text/html": {} } },
    },
    refuses: [503],
    answer: answerFile,
  },
];

const FORM = /^[\w-]{43}$/;

const FILES = {
  "app.js": ["code", "text/javascript; charset=utf-8"],
  "app.css": ["css", "text/css; charset=utf-8"],
  "positions.txt": ["positions", "text/plain; charset=utf-8"],
} as const;

const isFile = (name: string): name is keyof typeof FILES => Object.hasOwn(FILES, name);

async function answerFile({ call, sql }: HttpContext, { key = "", file = "" }: Params): Promise<Response> {
  if (!FORM.test(key) || !isFile(file)) return missingPreview();
  const [column, content_type] = FILES[file];
  const text = await findPreviewFile(sql, key, column);
  if (text === undefined) return missingPreview();
  return respond(call.request, variantsOf(text, content_type), "private, max-age=600, immutable", FOR_EVERYONE);
}

async function answerFrame(context: HttpContext, { key = "" }: Params): Promise<Response> {
  const { call, sql, pages } = context;
  const viewer = await findViewer(context);
  if (call.token === undefined && !isFramedHere(call.request)) return missingPreview();
  if (!viewer) return new Response(REOPEN_HTML, { headers: { ...REOPEN_HEADERS, ...stamp(call) } });
  allow(viewer, "guest", "apps:read");
  const preview = FORM.test(key) ? await findPreviewPage(sql, viewer, key) : undefined;
  if (!preview) return missingPreview();
  const user = await findAppUser(sql, viewer) ?? "null";
  const html = pageOf(preview, key, user, tokenOf(context, preview, viewer), await pages.shims());
  const cookie = call.set_cookie === undefined ? undefined : { "set-cookie": call.set_cookie };
  return new Response(html, {
    headers: {
      ...SANDBOX,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      ...stamp(call),
      ...cookie,
    },
  });
}

/**
 * Whether a frame loads. Browsers that send no `Sec-Fetch-Dest` send the `Referer` of a page of ours, and none from an
 * app. Pages of apps have other addresses.
 */
function isFramedHere({ headers, url }: Request): boolean {
  const loads = headers.get("sec-fetch-dest");
  if (loads !== null) return loads === "iframe";
  const from = headers.get("referer");
  if (from === null || !URL.canParse(from)) return false;
  const { host, pathname } = new URL(from);
  return host === hostOf(url) && !/^\/(a|previews)\//.test(pathname);
}

/** A preview without an app has no token: it calls public methods as a visitor, and no actions. */
const tokenOf = (context: HttpContext, { app_id }: PreviewPage, viewer: Viewer): string | undefined =>
  app_id === null ? undefined : signPageToken(context, { id: app_id, account_id: viewer.account_id }, viewer);

/** What shim_preview.js is called with. */
interface Settings {
  /** The address of the app's script; null for html, whose script is in the document. */
  script: string | null;
  /** The address of the positions; null where the script is the source. */
  positions: string | null;
  /** Of an html document: where the server's part has been inserted, in lines and in characters of the line. */
  inserted: { after: number; unit: number; lines: number } | null;
}

function pageOf(preview: PreviewPage, key: string, user: string, token: string | undefined, shims: Shims): string {
  const { app_id: id, app_engine: engine, css_engine, name, db_code, document, imports, scripts } = preview;
  const base = `/previews/${key}`;
  const script = `${base}/app.js`;
  const style = preview.has_style ? `${base}/app.css` : undefined;
  const parts = { id, name, db_code, engine, css_engine, code: document, script, style, imports, scripts };
  const render = (inserted: Settings["inserted"]) => {
    const settings: Settings = {
      script: engine === "html" ? null : script,
      positions: preview.has_positions ? `${base}/positions.txt` : null,
      inserted,
    };
    const more = token === undefined ? shims.always : shimWithToken(shims, JSON.stringify(token), "null");
    const shim = `${shims.preview}(${JSON.stringify(settings)});${more}`;
    return renderPage({ ...parts, is_preview: true }, user, shim);
  };
  if (engine !== "html") return render(null);
  const once = render({ after: 0, unit: 0, lines: 0 });
  const at = once.indexOf(CONTEXT);
  const before = document.slice(0, at).split("\n");
  const lines = linesIn(once) - linesIn(document);
  return render({ after: before.length, unit: before.at(-1)?.length ?? 0, lines });
}

const linesIn = (text: string): number => text.split("\n").length;
