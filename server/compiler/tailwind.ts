/** Tailwind on the server: the classes that a source names, and what its own styles ask for. */
import { createRequire } from "node:module";
import { compile } from "tailwindcss";
import { candidatesIn } from "./candidates.ts";
import { CompileFailure } from "./compiler.ts";
import { type Position, positionOf, showMistake } from "./positions.ts";

/** What `@import "tailwindcss"` and `@import "tailwindcss/theme"` mean; without either, an app gets the first. */
const SHEETS = new Map(["index", "theme", "preflight", "utilities"].map((name) => {
  const file = createRequire(import.meta.url).resolve(`tailwindcss/${name}.css`);
  return [name, Deno.readTextFileSync(file)];
}));
const SHEET = /^tailwindcss(?:\/(theme|preflight|utilities|index))?(?:\.css)?$/;
const BRINGS_ITS_OWN = /@import\s+["']tailwindcss/;

/** Statements that ask for what is there already: older code, and code that is compiled file by file, writes them. */
const ALREADY_THERE = /@tailwind\s+\w+\s*;|@reference\s[^;{}]*;/g;

/** Addresses in the `@import`s at the top; in quotes and in `url()` they may contain semicolons. */
const REMOTE_IMPORTS =
  /@import\s+(?:url\((?!["'])[^)]*\)|(?:url\()?(?:"(?!tailwindcss)[^"]*"|'(?!tailwindcss)[^']*'))[^;{}]*;/g;

/**
 * @param css the app's own styles, scoped already
 * @throws {CompileFailure} on a directive that Tailwind refuses or that would leave this process
 */
export async function buildTailwind(source: string, css: string): Promise<string> {
  const imports: string[] = [];
  // A browser reads imports at the top only, and Tailwind's rules come before the app's own.
  const own = css.replace(ALREADY_THERE, "").replace(REMOTE_IMPORTS, (statement) => {
    imports.push(statement);
    return "";
  });
  try {
    const input = BRINGS_ITS_OWN.test(own) ? own : `@import "tailwindcss";\n${own}`;
    const { build, sources, root } = await compile(input, {
      loadModule: (_id, _base, kind) => Promise.reject(refusal(source, kind === "config" ? "@config" : "@plugin")),
      loadStylesheet: (id) => loadSheet(source, id),
    });
    if (sources.length > 0) throw refusal(source, "@source");
    if (root !== null && root !== "none") throw refusal(source, "source(");
    return imports.join("\n") + build(candidatesIn(source));
  } catch (error) {
    if (error instanceof CompileFailure || !(error instanceof Error)) throw error;
    // What follows the first paragraph is Tailwind's own excerpt.
    const [message = ""] = error.message.trim().split("\n\n");
    throw new CompileFailure([showMistake(source, message, blamed(source, message))]);
  }
}

function loadSheet(source: string, id: string): Promise<{ path: string; base: string; content: string }> {
  const [known, name = "index"] = SHEET.exec(id) ?? [];
  const content = known && SHEETS.get(name);
  return content === undefined ? Promise.reject(refusal(source, id)) : Promise.resolve({ path: id, base: "", content });
}

/** For what would read a file or run one. */
function refusal(source: string, what: string): CompileFailure {
  const place = positionOf(source, new RegExp(RegExp.escape(what)));
  return new CompileFailure([showMistake(source, `${what.replace("(", "()")} is not available here`, place)]);
}

/**
 * Tailwind's errors have no place, but quote what they are about: a class in an `@apply`, a function, an at-rule.
 * Its place is where the source's styles have it.
 */
function blamed(source: string, message: string): Position | undefined {
  for (const [, name = ""] of message.matchAll(/`([^`]+)`/g)) {
    const word = RegExp.escape(name);
    const place = positionOf(source, new RegExp(String.raw`@apply[^;}]*?[\s](${word})(?![\w-])`, "d")) ??
      positionOf(source, new RegExp(word));
    if (place) return place;
  }
  return positionOf(source, /<style/);
}
