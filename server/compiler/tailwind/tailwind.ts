/** Tailwind on the server: the classes that a source names, and what its own styles ask for. */
import { compile } from "tailwindcss";
import { bundleStyles } from "../bundle/bundle.ts";
import { candidatesIn } from "./candidates.ts";
import { CompileFailure } from "../compiler.ts";
import { createKeptStyles, type Growing } from "./sheet_cache.ts";
import { type Position, positionOf, showMistake } from "../bundle/positions.ts";
import { baseLayer, findSheet, LAYERS, READ_BY_BASE, sheetFor } from "./sheets.ts";

const BRINGS_ITS_OWN = /@import\s+["']tailwindcss/;

/** With these the rules for bare elements and the colours may be others than Tailwind's own. */
const CHANGES_THEME = /@theme|@import\s+["']tailwindcss/;

/** Statements that ask for what is there already: older code, and code that is compiled file by file, writes them. */
const ALREADY_THERE = /@tailwind\s+\w+\s*;|@reference\s[^;{}]*;/g;

/** Addresses in the `@import`s at the top; in quotes and in `url()` they may contain semicolons. */
const REMOTE_IMPORTS =
  /@import\s+(?:url\((?!["'])[^)]*\)|(?:url\()?(?:"(?!tailwindcss)[^"]*"|'(?!tailwindcss)[^']*'))[^;{}]*;/g;

const kept = createKeptStyles();
let base: Promise<string> | undefined;

/**
 * @param css the app's own styles, scoped already
 * @returns minified
 * @throws {CompileFailure} on a directive that Tailwind refuses or that would leave this process
 */
export async function buildTailwind(source: string, css: string): Promise<string> {
  const imports: string[] = [];
  // A browser reads imports at the top only, and Tailwind's rules come before the app's own.
  const own = css.replace(ALREADY_THERE, "").replace(REMOTE_IMPORTS, (statement) => {
    imports.push(statement);
    return "";
  });
  const head = imports.join("\n");
  const candidates = candidatesIn(source);
  try {
    if (CHANGES_THEME.test(own)) {
      const input = BRINGS_ITS_OWN.test(own) ? own : `@import "tailwindcss";\n${own}`;
      const finish = (built: string) => bundleStyles(source, head + built);
      return await kept.build(head + input, new Set(candidates), () => open(source, input), finish);
    }
    base ??= baseLayer().then((css) => bundleStyles("", css));
    const input = `${sheetFor(source)}\n${own}`;
    const all = new Set([...candidates, ...READ_BY_BASE]);
    return await kept.build(head + input, all, () => open(source, input), async (built) => {
      const [minified, rules] = await Promise.all([bundleStyles(source, head + built), base]);
      return minified.replace(LAYERS, () => LAYERS + rules);
    });
  } catch (error) {
    throw error instanceof Refused ? mistakeOf(source, error.cause) : error;
  }
}

/** What Tailwind throws. The source that it is about is not always the one that it was opened with. */
class Refused extends Error {
  constructor(override readonly cause: unknown) {
    super("Tailwind refuses it");
  }
}

async function open(source: string, css: string): Promise<Growing> {
  try {
    const { build, sources, root } = await compile(css, {
      loadModule: (_id, _base, kind) => Promise.reject(refusal(source, kind === "config" ? "@config" : "@plugin")),
      loadStylesheet: (id) => loadSheet(source, id),
    });
    if (sources.length > 0) throw refusal(source, "@source");
    if (root !== null && root !== "none") throw refusal(source, "source(");
    return {
      build(candidates) {
        try {
          return build(candidates);
        } catch (error) {
          throw new Refused(error);
        }
      },
    };
  } catch (error) {
    throw new Refused(error);
  }
}

function mistakeOf(source: string, error: unknown): unknown {
  if (error instanceof CompileFailure || !(error instanceof Error)) return error;
  // What follows the first paragraph is Tailwind's own excerpt.
  const [message = ""] = error.message.trim().split("\n\n");
  return new CompileFailure([showMistake(source, message, blamed(source, message))]);
}

function loadSheet(source: string, id: string): Promise<{ path: string; base: string; content: string }> {
  const content = findSheet(id);
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
