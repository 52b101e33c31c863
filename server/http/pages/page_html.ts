/** The HTML around an app. Pure: the same app and user give the same page. */
import type { CssEngine, Engine } from "../../compiler/compiler.ts";

export interface PageParts {
  id: string;
  name: string;
  db_code: string | null;
  engine: Engine;
  css_engine: CssEngine;
  /** The app's own module or script; the whole document for html. */
  code: string;
  /** Root-relative addresses. */
  script: string;
  /** Undefined where the app has no stylesheet. */
  style: string | undefined;
  /** Modules that the script imports, to be fetched beside it. */
  imports: readonly string[];
  /** Classic scripts that run before it, such as the browser build of Tailwind. */
  scripts: readonly string[];
}

/**
 * @param user the viewer as JSON; `null` if nobody is signed in
 * @param shim what runs before the app's own code, as JavaScript
 */
export function renderPage(parts: PageParts, user: string, shim: string): string {
  const { id, name, db_code } = parts;
  const context = `{user:${inScript(user)},app:${inScript(JSON.stringify({ id, name, db_code }))}}`;
  const before = [
    `<script>window.PlatformAppContext=${context};${inScript(shim)}</script>`,
    ...parts.scripts.map((src) => `<script src="${attribute(src)}"></script>`),
  ];
  if (parts.engine === "html") return insertFirst(parts.code, before.join(""));
  const head = [
    ...parts.imports.map((href) => `<link rel="modulepreload" href="${attribute(href)}">`),
    ...(parts.style ? [`<link rel="stylesheet" href="${attribute(parts.style)}">`] : []),
    // A game's canvas is the page.
    ...(GAMES.includes(parts.engine) ? ["<style>body{margin:0}canvas{display:block}</style>"] : []),
    ...before,
  ];
  const kind = parts.engine === "js" ? "" : ` type="module"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(parts.name)}</title>
${head.join("\n")}
</head>
<body>
<div id="platform-app"></div>
<script${kind} src="${attribute(parts.script)}"></script>
</body>
</html>
`;
}

const GAMES: readonly Engine[] = ["kaboom", "phaser"];

/** Written so that every text can be read in one way only: another way would take exponential time on hostile ones. */
const COMMENT = /<!--(?:-?>|(?!-?>)(?:(?!--!?>)[^])*--!?>)/.source;
const DOCTYPE = new RegExp(`^(?:\\s|${COMMENT})*<!doctype[^>]*>`, "i");

/** Behind a doctype, which must stay first or the browser turns to quirks mode; else at the very start. */
function insertFirst(document: string, element: string): string {
  const [doctype = ""] = DOCTYPE.exec(document) ?? [];
  return doctype + element + document.slice(doctype.length);
}

/** A short page for a person whom the app cannot be shown. */
export const noticePage = (title: string, sentence: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem; text-align: center }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
p { margin: 0; opacity: .7; max-width: 32rem }
</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
<p>${text(sentence)}</p>
</main>
</body>
</html>
`;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const text = (value: string) => value.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
const attribute = text;

/** Nothing inside may end the script element or open a comment that swallows its end. */
export const inScript = (code: string) => code.replace(/<(?=[/!]|script)/gi, "\\u003c");
