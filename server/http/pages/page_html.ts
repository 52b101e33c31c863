/** Renders the HTML around an app. */
import type { CssEngine, Engine } from "../../compiler/compiler.ts";
import { escapeHtml } from "../../input/html.ts";

export interface PageParts {
  /** Null in the preview of an app that has not been created. */
  id: string | null;
  name: string;
  db_code: string | null;
  engine: Engine;
  css_engine: CssEngine;
  /** The app's compiled code; for the engine html the whole document. */
  code: string;
  /** A root-relative address. */
  script: string;
  /** A root-relative address; undefined if the app has no stylesheet. */
  style: string | undefined;
  /** Addresses of the modules that the script imports, for `modulepreload`. */
  imports: readonly string[];
  /** Addresses of classic scripts that run before the app, such as the browser build of Tailwind. */
  scripts: readonly string[];
  /** Then the app's code starts on a line of its own, and the page may read the errors of a classic script. */
  is_preview?: true;
}

/** The beginning of what is put in front of an app's own code. */
export const CONTEXT = "<script>window.PlatformAppContext";

/**
 * @param user the viewer as JSON; `null` for a visitor
 * @param shim what runs before the app's own code, as JavaScript
 */
export function renderPage(parts: PageParts, user: string, shim: string): string {
  const { id, name, db_code } = parts;
  const context = `{user:${inScript(user)},app:${inScript(JSON.stringify({ id, name, db_code }))}}`;
  const before = [
    `${CONTEXT}=${context};${inScript(shim)}</script>`,
    ...parts.scripts.map((src) => `<script src="${attribute(src)}"></script>`),
  ];
  if (parts.engine === "html") return insertFirst(parts.code, before.join("") + (parts.is_preview ? "\n" : ""));
  const head = [
    ...parts.imports.map((href) => `<link rel="modulepreload" href="${attribute(href)}">`),
    ...(parts.style ? [`<link rel="stylesheet" href="${attribute(parts.style)}">`] : []),
    // A game's canvas fills the page.
    ...(GAMES.includes(parts.engine) ? ["<style>body{margin:0}canvas{display:block}</style>"] : []),
    ...before,
  ];
  const kind = parts.engine !== "js" ? ` type="module"` : parts.is_preview ? " crossorigin" : "";
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

/** Unambiguous, so that it never backtracks: hostile documents would otherwise take exponential time. */
const COMMENT = /<!--(?:-?>|(?!-?>)(?:(?!--!?>)[^])*--!?>)/.source;
const DOCTYPE = new RegExp(`^(?:\\s|${COMMENT})*<!doctype[^>]*>`, "i");

/** Inserts after the doctype if there is one: a doctype that is not first puts the browser into quirks mode. */
function insertFirst(document: string, element: string): string {
  const [doctype = ""] = DOCTYPE.exec(document) ?? [];
  return doctype + element + document.slice(doctype.length);
}

export interface Link {
  href: string;
  words: string;
}

/** A short page that says why there is no app. The link leads out of the frame that the page may be in. */
export const noticePage = (title: string, sentence: string, link?: Link) =>
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
p + p { margin-top: 1rem; opacity: 1 }
</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
<p>${text(sentence)}</p>${link ? `\n<p><a href="${text(link.href)}" target="_top">${text(link.words)}</a></p>` : ""}
</main>
</body>
</html>
`;

export const text = escapeHtml;
const attribute = text;

/** Escapes text that would end the script element, or open a comment that hides its end. */
export const inScript = (code: string) => code.replace(/<(?=[/!]|script)/gi, "\\u003c");
