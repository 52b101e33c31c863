/** The HTML of the page that shows a member an app: a bar, and the app in a sandboxed frame below it. */
import { createHash } from "node:crypto";
import { text } from "./page_html.ts";
import { SANDBOX_FLAGS } from "./sandbox.ts";

export interface BarParts {
  /** The app's name. */
  app: string;
  /** The viewer's name. */
  viewer: string;
  /** Root-relative address of the frame. */
  frame: string;
  /** Root-relative address of the app's page in the console; undefined for viewers who may not edit it. */
  edit: string | undefined;
}

const STYLE = `
:root{color-scheme:light dark;--bg:light-dark(oklch(.982 .003 95),oklch(.178 .009 262));--line:light-dark(oklch(.905 .005 95),oklch(.292 .012 262));--fg:light-dark(oklch(.22 .018 262),oklch(.935 .005 262));--muted:light-dark(oklch(.46 .016 262),oklch(.715 .012 262));--accent:light-dark(oklch(.5 .145 258),oklch(.745 .12 254));--hover:light-dark(oklch(.22 .02 262/.045),oklch(.95 .01 262/.06))}
*{box-sizing:border-box;margin:0}
html,body{height:100%}
body{display:grid;grid-template:auto minmax(0,1fr)/minmax(0,1fr);color:var(--fg);background:var(--bg);font:400 13px/20px -apple-system,"Segoe UI Variable Text","Segoe UI",Inter,Roboto,"Liberation Sans",system-ui,sans-serif}
header{display:flex;align-items:center;gap:4px;height:40px;padding:0 8px;border-bottom:1px solid var(--line)}
h1{flex:1;min-width:0;font-size:13px;font-weight:600;letter-spacing:-.003em;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.item{display:flex;align-items:center;gap:6px;height:28px;min-width:28px;justify-content:center;padding:0 8px;border:0;border-radius:6px;background:transparent;color:var(--muted);font:inherit;text-decoration:none;white-space:nowrap;cursor:pointer}
.item:hover{background:var(--hover);color:var(--fg)}.item[hidden]{display:none}
.home{padding:0;margin-right:4px;color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
svg{flex:none;fill:currentColor}.i{fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
iframe{display:block;width:100%;height:100%;border:0;background:Canvas}
iframe:focus-visible:not([data-tabbed]){outline:0}
@media(max-width:560px){header{height:44px}.item{height:36px;min-width:36px;padding:0 6px}.item span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
`;

/** Without the comment at its head. */
const SCRIPT = Deno.readTextFileSync(new URL("../../../client/bar/bar.js", import.meta.url))
  .replace(/^\/\*[^]*?\*\/\s*/, "");

const hashOf = (inline: string) => `'sha256-${createHash("sha256").update(inline).digest("base64")}'`;

/** Allows this page's style and script, frames and forms of this site, and no page around it. */
export const BAR_POLICY =
  `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; frame-src 'self'; ` +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** What a sandboxed game or tool may use of the browser, as it may in a page of its own. */
const ALLOWED = ["autoplay", "clipboard-write", "fullscreen", "gamepad"].map((name) => `${name} *`)
  .join("; ");

const icon = (paths: string) =>
  `<svg class="i" width="16" height="16" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`;
const EDIT = icon(
  `<path d="M21.17 6.81a2.82 2.82 0 0 0-3.98-3.98L3.84 16.17a2 2 0 0 0-.5.83l-1.32 4.35a.5.5 0 0 0 .62.62l4.35-1.32a2 2 0 0 0 .83-.5z"/><path d="m15 5 4 4"/>`,
);
const FULL_SCREEN = icon(
  `<path d="M8 3H5a2 2 0 0 0-2 2v3"/><path d="M21 8V5a2 2 0 0 0-2-2h-3"/><path d="M3 16v3a2 2 0 0 0 2 2h3"/><path d="M16 21h3a2 2 0 0 0 2-2v-3"/>`,
);
const SIGN_OUT = icon(
  `<path d="m16 17 5-5-5-5"/><path d="M21 12H9"/><path d="M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4"/>`,
);
const MARK =
  `<svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d="M2.6 1h18.8l-5.2 5.6H7.8z"/><path d="M23 2.6v18.8l-5.6-5.2V7.8z" opacity=".62"/><path d="M21.4 23H2.6l5.2-5.6h8.4z" opacity=".3"/><path d="M1 21.4V2.6l5.6 5.2v8.4z" opacity=".46"/></svg>`;

export const barHtml = ({ app, viewer, frame, edit }: BarParts): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text(app)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<a class="item home" href="/" aria-label="Home" title="Home">${MARK}</a>
<h1>${text(app)}</h1>
${edit === undefined ? "" : `<a class="item" href="${text(edit)}" title="Edit this app">${EDIT}<span>Edit</span></a>`}
<button class="item" type="button" title="Full screen" hidden>${FULL_SCREEN}<span>Full screen</span></button>
<form method="post" action="/sign_out"><button class="item" title="Signed in as ${
    text(viewer)
  }">${SIGN_OUT}<span>Sign out</span></button></form>
</header>
<iframe src="${text(frame)}" title="${text(app)}" sandbox="${SANDBOX_FLAGS}" allow="${ALLOWED}"></iframe>
<script>${SCRIPT}</script>
</body>
</html>
`;
