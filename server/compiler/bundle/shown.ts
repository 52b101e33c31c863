/**
 * Puts the author's bundled module and the few lines that show it into one, without a third module between them that
 * esbuild would have to ask for. Those lines are the same for every app of an engine.
 */
import { AUTHOR } from "../engines/engine.ts";
import { readStatement, STATEMENT } from "./links.ts";

/** An engine's lines, as esbuild writes them. */
export interface Show {
  /** What they take from the runtime. */
  imports: { kind: "import-statement"; module: string; name: string; local: string }[];
  /** What they call the author's default export; undefined where they run the module only. */
  component: string | undefined;
  body: string;
}

/** @param text bundled, with every import external */
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
  // Names of its own could be the author's, too; in a template they could be text.
  return /`|(?:^|[;}])(?:var|let|const|class|function)\b/.test(body) ? undefined : { ...show, body };
}

/** A module's exports, which esbuild writes last. */
const EXPORTS = /export\{([^{}]*)\};\s*$/;

/**
 * @param text the author's module, bundled
 * @returns undefined where it has no default export and needs one, or exports otherwise than in one list
 */
export function show(text: string, { imports, component, body }: Show): string | undefined {
  const [tail = "", list = ""] = EXPORTS.exec(text) ?? [];
  const own = text.slice(0, text.length - tail.length);
  if (/\bexport\s*(?:default\b|\*|\{)/.test(own)) return undefined;
  const [, exported] = /(?:^|,)([^\s,]+) as default(?:,|$)/.exec(list) ?? [];
  if (!component) return own + body;
  if (!exported) return undefined;
  const free = nameFinder(new Set(text.match(/[\w$]+/g)));
  const renamed = new Map([[component, exported]]);
  let head = "";
  for (const { module, name, local } of imports) {
    const outer = free();
    renamed.set(local, outer);
    head += `import{${name} as ${outer}}from${JSON.stringify(module)};`;
  }
  return `${head}${own}${body.replace(TOKEN, (token) => renamed.get(token) ?? token)}\n`;
}

/** A string, a property, a name. */
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\.\s*[\w$]+|[\w$]+/g;

/** Short names that are not taken. */
function nameFinder(taken: ReadonlySet<string>): () => string {
  let count = 0;
  return function find(): string {
    const name = `_${count++}`;
    return taken.has(name) ? find() : name;
  };
}
