/** Compiles Tailwind on the server: the classes that a source uses, and the directives in its styles. */
import { compile } from "tailwindcss";
import { bundleStyles } from "../bundle/bundle.ts";
import { candidatesIn } from "./candidates.ts";
import { CompileFailure } from "../compiler.ts";
import { minifySheet } from "./properties.ts";
import { createKeptStyles, type Growing } from "./sheet_cache.ts";
import { type Position, positionOf, showMistake } from "../bundle/positions.ts";
import { baseLayer, findSheet, LAYERS, READ_BY_BASE, sheetFor } from "./sheets.ts";

const BRINGS_ITS_OWN = /@import\s+["']tailwindcss/;

/** With these directives an app may change the rules for bare elements and the colours. */
const CHANGES_THEME = /@theme|@import\s+["']tailwindcss/;

/** Redundant statements of older code, and of code written to be compiled file by file. */
const ALREADY_THERE = /@tailwind\s+\w+\s*;|@reference\s[^;{}]*;/g;

/** Imports of other stylesheets. In quotes and in `url()` an address may contain semicolons. */
const REMOTE_IMPORTS =
  /@import\s+(?:url\((?!["'])[^)]*\)|(?:url\()?(?:"(?!tailwindcss)[^"]*"|'(?!tailwindcss)[^']*'))[^;{}]*;/g;

const kept = createKeptStyles();
let base: Promise<string> | undefined;

/** Shortens the next build. To be called while there is no other work. */
export const prepareNextBuild = (): Promise<void> => kept.openSpare();

/**
 * @param css the app's own styles, after the engine's scoping
 * @returns minified CSS
 * @throws {CompileFailure} on a directive that Tailwind refuses, or that would read a file or run one
 */
export async function buildTailwind(source: string, css: string): Promise<string> {
  const imports: string[] = [];
  // Browsers ignore imports after the first rule, so they are moved before Tailwind's rules.
  const own = css.replace(ALREADY_THERE, "").replace(REMOTE_IMPORTS, (statement) => {
    imports.push(statement);
    return "";
  });
  const head = imports.join("\n");
  const candidates = candidatesIn(source);
  try {
    if (CHANGES_THEME.test(own)) {
      const input = BRINGS_ITS_OWN.test(own) ? own : `@import "tailwindcss";\n${own}`;
      const finish = (built: string) => minifySheet(source, head, built);
      return await kept.build(head + input, new Set(candidates), () => open(source, input), finish);
    }
    base ??= baseLayer().then((css) => bundleStyles("", css));
    const input = `${sheetFor(source)}\n${own}`;
    const all = new Set([...candidates, ...READ_BY_BASE]);
    return await kept.build(head + input, all, () => open(source, input), async (built) => {
      const [minified, rules] = await Promise.all([minifySheet(source, head, built), base]);
      return minified.replace(LAYERS, () => LAYERS + rules);
    });
  } catch (error) {
    throw error instanceof Refused ? mistakeOf(source, error.cause) : error;
  }
}

/** An error of Tailwind's. It is thrown on so that its position is looked up in the source of this build. */
class Refused extends Error {
  constructor(override readonly cause: unknown) {
    super("Tailwind refuses the stylesheet");
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
  // After the first paragraph follows Tailwind's excerpt of the stylesheet.
  const [message = ""] = error.message.trim().split("\n\n");
  return new CompileFailure([showMistake(source, shortened(message), placeOfQuoted(source, message))]);
}

/** Characters of a message: it quotes a class, which may be as long as the source. */
const LONGEST = 200;

const shortened = (message: string) =>
  message.length <= LONGEST ? message : `${message.slice(0, LONGEST * 0.75)}…${message.slice(LONGEST * -0.25)}`;

function loadSheet(source: string, id: string): Promise<{ path: string; base: string; content: string }> {
  const content = findSheet(id);
  return content === undefined ? Promise.reject(refusal(source, id)) : Promise.resolve({ path: id, base: "", content });
}

/** Refuses a directive that would read a file or run one. */
function refusal(source: string, what: string): CompileFailure {
  const place = positionOf(source, new RegExp(RegExp.escape(what)));
  return new CompileFailure([showMistake(source, `${what.replace("(", "()")} is not available here`, place)]);
}

/**
 * Tailwind's errors have no position, but quote their subject: a class in an `@apply`, a function, an at-rule. The position
 * is where that occurs in the source.
 */
function placeOfQuoted(source: string, message: string): Position | undefined {
  for (const [, name = ""] of message.matchAll(/`([^`]+)`/g)) {
    // A pattern has a limit of length.
    const word = RegExp.escape(name.slice(0, LONGEST));
    const place = positionOf(
      source,
      new RegExp(String.raw`@apply[^;}]*?[\s](${word})${name.length > LONGEST ? "" : "(?![\\w-])"}`, "d"),
    ) ??
      positionOf(source, new RegExp(word));
    if (place) return place;
  }
  return positionOf(source, /<style/);
}
