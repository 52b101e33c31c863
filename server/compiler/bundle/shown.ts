/**
 * Joins the author's bundled module with the lines that show it (`createApp(App).mount(…)`). Bundling the two together
 * would cost a plugin call; the lines are the same for every app of an engine, so they are bundled once.
 */
import { AUTHOR } from "../engines/engine.ts";
import { readStatement, STATEMENT } from "./links.ts";

/** An engine's showing code, parsed from esbuild's output. */
export interface Show {
  /** What the code imports from the runtime. */
  imports: { kind: "import-statement"; module: string; name: string; local: string }[];
  /** Its name for the author's default export. Undefined where it only runs the author's module. */
  component: string | undefined;
  body: string;
}

/** The author's module together with the code that shows it. */
export interface Shown {
  text: string;
  /** Characters in front of the author's. */
  head: number;
}

/** @param text showing code, bundled with all imports external */
export function readShow(text: string): Show | undefined {
  const show: Show = { imports: [], component: undefined, body: "" };
  let body = text.replace(STATEMENT, "").trim();
  for (const statement of text.matchAll(STATEMENT)) {
    const { path, items } = readStatement(statement);
    for (const { name, local } of items) {
      if (path !== AUTHOR && name !== "*") {
        show.imports.push({ kind: "import-statement", module: path, name, local });
      } else if (path !== AUTHOR) return undefined;
      else if (name === "default") show.component = local;
      else if (name === "*") [show.component, body] = [local, body.replaceAll(`${local}.default`, local)];
      else return undefined;
    }
  }
  // Declared names could collide with the author's, and in a template literal a name could be text.
  return /`|(?:^|[;}])(?:var|let|const|class|function)\b/.test(body) ? undefined : { ...show, body };
}

/** The export list, which esbuild writes last. */
const EXPORTS = /export\{([^{}]*)\};\s*$/;

/**
 * @param text the author's module, bundled
 * @returns undefined where it lacks a default export that the code shows, or has exports outside of one list
 */
export function show(text: string, { imports, component, body }: Show): Shown | undefined {
  const [tail = "", list = ""] = EXPORTS.exec(text) ?? [];
  const own = text.slice(0, text.length - tail.length);
  if (/\bexport\s*(?:default\b|\*|\{)/.test(own)) return undefined;
  const [, exported] = /(?:^|,)([^\s,]+) as default(?:,|$)/.exec(list) ?? [];
  if (!component) return { text: own + body, head: 0 };
  if (!exported) return undefined;
  const free = nameFinder(new Set(text.match(/[\w$]+/g)));
  const renamed = new Map([[component, exported]]);
  let head = "";
  for (const { module, name, local } of imports) {
    const outer = free();
    renamed.set(local, outer);
    head += `import{${name} as ${outer}}from${JSON.stringify(module)};`;
  }
  const shown = body.replace(TOKEN, (token) => renamed.get(token) ?? token);
  return { text: `${head}${own}${shown}\n`, head: head.length };
}

/** A string, a property access, or a name. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.\s*[\w$]+|[\w$]+/g;

/** Generates short names that do not occur in the code. */
function nameFinder(taken: ReadonlySet<string>): () => string {
  let count = 0;
  return function find(): string {
    const name = `_${count++}`;
    return taken.has(name) ? find() : name;
  };
}
