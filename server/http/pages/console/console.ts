/** The web console: one page for all its addresses, and its files. Its data comes over the public API. */
import { LRUCache } from "lru-cache";
import type { ConsoleManifest } from "../../../compiler/compiler.ts";
import { notFound } from "../../../errors.ts";
import { findViewer } from "../../../viewer.ts";
import { stamp } from "../../answers.ts";
import { hashOf, prepared, variantsOf } from "../../files/variants.ts";
import type { HttpContext } from "../../http_context.ts";
import type { Parameter, PlainRoute } from "../../plain_route.ts";
import { consolePage, RELOAD_SCRIPT, waitingPage } from "./console_html.ts";

/** No inline script or style, no frame around the console, nothing from elsewhere. */
const policyFor = (apps_origin: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    // Previews and tiles are frames of app pages.
    `frame-src ${["'self'", apps_origin].filter(Boolean).join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types svelte-trusted-html",
  ].join("; ");

const headersOf = (apps_origin: string | undefined) => ({
  "content-security-policy": policyFor(apps_origin),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

type Respond = ReturnType<typeof prepared>;

/** Pages by the manifest that they load, and files by name. */
const pages = new WeakMap<ConsoleManifest, Respond>();
const files = new LRUCache<string, Respond>({ max: 200 });

async function openConsole(context: HttpContext): Promise<Response> {
  const { call, compiler, config } = context;
  if (!await findViewer(context)) {
    const path = call.request.url.slice(call.request.url.indexOf("/", 8));
    const location = path === "/" ? "/sign_in" : `/sign_in?return_to=${encodeURIComponent(path)}`;
    return new Response(null, { status: 303, headers: { location, "cache-control": "no-store", ...stamp(call) } });
  }
  const manifest = await compiler.console.manifest();
  if (!manifest) return waiting(context);
  let page = pages.get(manifest);
  if (!page) {
    const html = variantsOf(consolePage(manifest, config.dev), "text/html; charset=utf-8");
    pages.set(manifest, page = prepared(html, "private, no-cache", headersOf(config.apps_origin)));
  }
  return page(call.request, stamp(call));
}

/** Whether a person has followed a link or typed an address, of which no file is expected. */
export const isVisit = ({ method, headers }: Request, path: string): boolean =>
  method === "GET" && headers.get("sec-fetch-dest") === "document" && !/\.\w+$/.test(path);

/** The console says at unknown addresses that there is no page, with its menu around it. */
export async function openUnknown(context: HttpContext): Promise<Response> {
  const { body, headers, status } = await openConsole(context);
  return new Response(body, { headers, status: status === 200 ? 404 : status });
}

/** Reloads itself until the build is done. */
function waiting({ call, compiler }: HttpContext): Response {
  const fault = compiler.console.fault();
  return new Response(waitingPage(fault !== undefined), {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
      "cache-control": "no-store",
      "retry-after": "2",
      "x-content-type-options": "nosniff",
      ...stamp(call),
    },
  });
}

async function openFile({ call, compiler, config }: HttpContext, name: string): Promise<Response> {
  if (config.dev && name === "reload.js") {
    const headers = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" };
    return new Response(RELOAD_SCRIPT, { headers });
  }
  if (config.dev && name === "build.json") return Response.json((await compiler.console.manifest())?.files ?? []);
  let respond = files.get(name);
  if (!respond) {
    const file = await compiler.console.file(name);
    if (!file) throw notFound();
    const { content_type, body, brotli, gzip } = file;
    const variants = { content_type, hash: hashOf(body), identity: body, br: brotli, gzip };
    const headers = { "x-content-type-options": "nosniff" };
    files.set(name, respond = prepared(variants, "public, max-age=31536000, immutable", headers));
  }
  return respond(call.request, stamp(call));
}

const REPLIES = {
  200: { description: "The page", content: { "text/html": {} } },
  303: { description: "Redirects to the sign-in page" },
};

const id: Parameter = { in: "path", name: "id", example: "new", description: "An id" };
const part: Parameter = { in: "path", name: "part", example: "records", description: "A table or a tab" };

/** Addresses of the console's pages: client/console/pages.ts has the component of each. */
const ADDRESSES: readonly (readonly [name: string, path: string])[] = [
  ["home", "/"],
  ["apps", "/apps"],
  ["app", "/apps/:id"],
  ["data", "/data"],
  ["database", "/data/:id"],
  ["database_part", "/data/:id/:part"],
  ["flows", "/flows"],
  ["flow", "/flows/:id"],
  ["modules", "/modules"],
  ["module", "/modules/:id"],
  ["runs", "/runs"],
  ["run", "/runs/:id"],
  ["triggers", "/triggers"],
  ["trigger", "/triggers/:id"],
  ["departments", "/departments"],
  ["department", "/departments/:id"],
  ["connectors", "/connectors"],
  ["connector", "/connectors/:id"],
  ["people", "/people"],
  ["person", "/people/:id"],
  ["account", "/account"],
  ["account_tokens", "/account/tokens"],
  ["account_embedding", "/account/embedding"],
  ["account_agents", "/account/agents"],
  ["account_sign_in", "/account/sign_in"],
  ["account_limits", "/account/limits"],
  ["account_audit", "/account/audit"],
  ["account_about", "/account/about"],
  ["operations", "/operations"],
  ["profile", "/profile"],
  ["docs", "/docs"],
  ["docs_page", "/docs/:id"],
];

export const CONSOLE_PAGES: readonly PlainRoute[] = [
  ...ADDRESSES.map(([name, path]): PlainRoute => ({
    method: "GET",
    path,
    name: `open_console_${name}`,
    tag: "console",
    summary: "Open the console",
    callers: "viewers and visitors",
    ...(path.includes(":id") && { parameters: path.includes(":part") ? [id, part] : [id] }),
    replies: REPLIES,
    refuses: [503],
    answer: openConsole,
  })),
  {
    method: "GET",
    path: "/console/:file",
    name: "read_console_file",
    tag: "console",
    summary: "Read a file of the console",
    callers: "everyone",
    parameters: [{ in: "path", name: "file", example: "main-ABCDEFGH.js", description: "Named after its content" }],
    replies: { 200: { description: "The file", content: { "text/javascript": {}, "text/css": {} } } },
    refuses: [404],
    answer: (context, { file = "" }) => openFile(context, file),
  },
];
