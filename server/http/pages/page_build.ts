/** Renders an app's page once, so that a request only fills in its viewer and page token. */
import type { Served } from "../../domains/apps/served.ts";
import { prepared, sizeOf, type Variants, variantsOf } from "../files/variants.ts";
import { inScript, renderPage } from "./page_html.ts";
import { OWN_ORIGIN, type PageHeaders, SANDBOX } from "./sandbox.ts";

export interface ServedApp extends Served {
  /** The page for a visitor, without a page token. */
  page: Variants;
  /** Answers with that page, in an encoding that the client accepts. @param more further headers */
  answer(request: Request, headers: PageHeaders, more: Record<string, string>): Response;
  script: Variants | undefined;
  style: Variants | undefined;
  /**
   * The page for one caller.
   *
   * @param user the viewer's data for the app, as JSON; `null` for a visitor
   */
  pageFor(user: string, page_token: string): string;
}

/** The size in memory, in bytes. Strings take two bytes per character. */
export const bytesOf = ({ page, script, style, code, css }: ServedApp) =>
  2 * (code.length + css.length) + sizeOf(page) + (script ? sizeOf(script) : 0) + (style ? sizeOf(style) : 0);

/** Removes comments, indentation, and the last semicolon: `shim_token.js` is a function expression that is called. */
const scriptOf = async (file: string) =>
  (await Deno.readTextFile(new URL(`../../../client/app/${file}`, import.meta.url)))
    .replace(/^\s*\/\*[^]*?\*\/\s*/gm, "").replace(/^\s+/gm, "").replace(/;\s*$/, "");

export async function buildPage(app: Served): Promise<ServedApp> {
  const [storage, frame, carry] = await Promise.all([
    scriptOf("shim.js"),
    scriptOf("shim_frame.js"),
    scriptOf("shim_token.js"),
  ]);
  const shim = `${storage};${frame}`;
  const script = app.engine === "html" ? undefined : variantsOf(app.code, "text/javascript; charset=utf-8");
  const style = app.css ? variantsOf(app.css, "text/css; charset=utf-8") : undefined;
  const parts = {
    ...app,
    script: `/a/${app.id}/${script?.hash}.js`,
    style: style && `/a/${app.id}/${style.hash}.css`,
  };
  const page = variantsOf(renderPage(parts, "null", shim), "text/html; charset=utf-8");
  const pageFor = withGaps((user, token) => renderPage(parts, user, `${carry}(${token});${shim}`));
  const [sandboxed, own] = [
    prepared(page, "private, no-cache", SANDBOX),
    prepared(page, "private, no-cache", OWN_ORIGIN),
  ];
  return {
    ...app,
    script,
    style,
    page,
    answer: (request, headers, more) => (headers === SANDBOX ? sandboxed : own)(request, more),
    pageFor,
  };
}

/** Renders the page once, with two gaps that each request fills. */
function withGaps(render: (user: string, token: string) => string): (user: string, token: string) => string {
  const [user, token] = [crypto.randomUUID(), crypto.randomUUID()];
  const [before = "", between = "", after = ""] = render(`"${user}"`, `"${token}"`)
    .split(new RegExp(`"${user}"|"${token}"`));
  return (viewer, sent) => before + inScript(viewer) + between + inScript(JSON.stringify(sent)) + after;
}
