/** Renders an app's page once, so that a request only fills in its viewer and page token. */
import type { Served } from "../../domains/apps/served.ts";
import { prepared, sizeOf, type Variants, variantsOf } from "../files/variants.ts";
import { inScript, renderPage } from "./page_html.ts";
import { OWN_ORIGIN, type PageHeaders, SANDBOX } from "./sandbox.ts";

/** Of a page token that a host page renews. */
export interface Renewal {
  /** Seconds. */
  expires_in: number;
  /** Origins from which a new token is taken. */
  hosts: readonly string[];
}

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
   * @param renewal how the token is renewed; undefined where it lives as long as the page may
   */
  pageFor(user: string, page_token: string, renewal?: Renewal): string;
}

/** The size in memory, in bytes. Strings take two bytes per character. */
export const bytesOf = ({ page, script, style, code, css }: ServedApp) =>
  2 * (code.length + css.length) + sizeOf(page) + (script ? sizeOf(script) : 0) + (style ? sizeOf(style) : 0);

/** Removes comments, indentation, and the last semicolon: `shim_token.js` is a function expression that is called. */
const scriptOf = async (file: string) =>
  (await Deno.readTextFile(new URL(`../../../client/app/${file}`, import.meta.url)))
    .replace(/^\s*\/\*[^]*?\*\/\s*/gm, "").replace(/^\s+/gm, "").replace(/;\s*$/, "");

/** What runs before an app's own code, as JavaScript. */
export interface Shims {
  /** In every page. */
  always: string;
  /** In pages with a token: a function that is called with the token. */
  carry: string;
  /** In pages with a token: a function that is called with the carrier and the token's renewal, or null. */
  renewal: string;
  /** In previews: a function that is called with what the preview is. */
  preview: string;
}

export async function readShims(): Promise<Shims> {
  const [storage, frame, embed, carry = "", renewal = "", preview = ""] = await Promise.all(
    ["shim", "shim_frame", "shim_embed", "shim_token", "shim_renewal", "shim_preview"].map((name) =>
      scriptOf(`${name}.js`)
    ),
  );
  return { always: `${storage};${frame};${embed}`, carry, renewal, preview };
}

/** @param token and `renewal`: JavaScript */
export const shimWithToken = ({ always, carry, renewal }: Shims, token: string, renewed: string) =>
  `${renewal}(${carry}(${token}),${renewed});${always}`;

export function buildPage(app: Served, shims: Shims): ServedApp {
  const script = app.engine === "html" ? undefined : variantsOf(app.code, "text/javascript; charset=utf-8");
  const style = app.css ? variantsOf(app.css, "text/css; charset=utf-8") : undefined;
  const parts = {
    ...app,
    script: `/a/${app.id}/${script?.hash}.js`,
    style: style && `/a/${app.id}/${style.hash}.css`,
  };
  const page = variantsOf(renderPage(parts, "null", shims.always), "text/html; charset=utf-8");
  const pageFor = withGaps((user, token, renewed) => renderPage(parts, user, shimWithToken(shims, token, renewed)));
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

/** Renders the page once, with three gaps that each request fills. */
function withGaps(render: (user: string, token: string, renewal: string) => string): ServedApp["pageFor"] {
  const gaps = [1, 2, 3].map(() => `"${crypto.randomUUID()}"`);
  const [user = "", token = "", renewal = ""] = gaps;
  const [before = "", between = "", behind = "", after = ""] = render(user, token, renewal).split(
    new RegExp(gaps.join("|")),
  );
  return (viewer, sent, renewed) =>
    before + inScript(viewer) + between + inScript(JSON.stringify(sent)) + behind +
    inScript(JSON.stringify(renewed ?? null)) + after;
}
