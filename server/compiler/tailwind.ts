/** Tailwind on the server: the classes that a source names, and what its own styles ask for. */
import { createRequire } from "node:module";
import { compile } from "tailwindcss";
import { candidatesIn } from "./candidates.ts";
import { CompileFailure } from "./compiler.ts";
import { type Position, positionOf, showMistake } from "./positions.ts";

/** `@import "tailwindcss"` as it is in the package: theme, preflight, utilities. */
const BASE = await Deno.readTextFile(createRequire(import.meta.url).resolve("tailwindcss/index.css"));

/** Statements that only ask for what is there already; older code still writes them. */
const ALREADY_THERE = /@(?:tailwind\s+\w+|(?:import|reference)\s+["']tailwindcss(?:\/[\w.]+)?["'])[^;{}]*;/g;

/** Leading `@import`s; an address in quotes or `url()` may contain semicolons. */
const IMPORTS = /^(?:\s|\/\*[^]*?\*\/)*(?:@import\s+(?:url\([^)]*\)|"[^"]*"|'[^']*')[^;]*;(?:\s|\/\*[^]*?\*\/)*)+/;

/**
 * @param css the app's own styles, scoped already
 * @throws {CompileFailure} on a directive that Tailwind refuses or that would leave this process
 */
export async function buildTailwind(source: string, css: string): Promise<string> {
  const refuse = (directive: string) =>
    new CompileFailure([
      showMistake(source, `${directive} is not available here`, positionOf(source, new RegExp(directive))),
    ]);
  const own = css.replace(ALREADY_THERE, "");
  // A browser reads imports at the top only, and Tailwind's rules come before the app's own.
  const [imports = ""] = IMPORTS.exec(own) ?? [];
  try {
    const { build, sources, root } = await compile(`${imports}${BASE}\n${own.slice(imports.length)}`, {
      loadModule: (_id, _base, kind) => Promise.reject(refuse(kind === "config" ? "@config" : "@plugin")),
      loadStylesheet: (id) => Promise.reject(refused(source, id)),
    });
    if (sources.length > 0) throw refuse("@source");
    if (root !== null) throw refuse("source()");
    return build(candidatesIn(source));
  } catch (error) {
    if (error instanceof CompileFailure || !(error instanceof Error)) throw error;
    const message = error.message.trim();
    throw new CompileFailure([showMistake(source, message, blamed(source, message))]);
  }
}

function refused(source: string, id: string): CompileFailure {
  const place = positionOf(source, new RegExp(String.raw`@(?:import|reference)[^;]*?${RegExp.escape(id)}`));
  return new CompileFailure([showMistake(source, `"${id}" cannot be imported; only https: addresses can`, place)]);
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
