/** Reads the blocks of a single-file component and refuses those that this server cannot compile. */
import type { SFCBlock, SFCDescriptor } from "@vue/compiler-sfc";
import { type Position, positionAt, positionOf } from "../../bundle/positions.ts";
import { FILENAME, parse, parseCache } from "./compiler.ts";
import { MESSAGES } from "./messages.ts";
import { failureOf, type Mistake, templateMistake } from "./mistakes.ts";

/** Supported values of `lang`. Checked first: an unknown value can end the compiler's process. */
const LANGUAGES: Record<string, readonly string[]> = {
  template: ["html"],
  script: ["js", "ts"],
  style: ["css"],
};

/**
 * @returns also mistakes in the template's syntax, which do not prevent compiling
 * @throws {CompileFailure} on a block that cannot be compiled here
 */
export function readBlocks(source: string): { descriptor: SFCDescriptor; mistakes: Mistake[] } {
  const { descriptor, errors } = parse(source, {
    filename: FILENAME,
    sourceMap: false,
    templateParseOptions: { comments: false },
  });
  // Vue's cache would keep every source.
  parseCache.clear();
  const mistakes = errors.map((error) => located(source, templateMistake(error)));
  const { template, script, scriptSetup, styles } = descriptor;
  const foreign = [template, script, scriptSetup, ...styles].flatMap((block) => block ? refusals(source, block) : []);
  if (script && scriptSetup && script.lang !== scriptSetup.lang) {
    const [, second] = [script, scriptSetup].toSorted((a, b) => a.loc.start.offset - b.loc.start.offset);
    foreign.push({ message: MESSAGES.scripts_differ, position: second && attribute(source, second, "lang") });
  }
  if (foreign.length > 0 || !template && !script && !scriptSetup) {
    throw failureOf(source, [...mistakes, ...foreign]);
  }
  return { descriptor, mistakes };
}

function refusals(source: string, block: SFCBlock): Mistake[] {
  const { type, lang, attrs } = block;
  const found: Mistake[] = [];
  const refuse = (name: string, message: string) => found.push({ message, position: attribute(source, block, name) });
  if ("src" in attrs) refuse("src", MESSAGES.no_src(type));
  const takes = LANGUAGES[type] ?? [];
  if (lang && !takes.includes(lang)) refuse("lang", MESSAGES.no_lang(type, lang, takes));
  return found;
}

/** The position of an attribute of the block, or of its tag. */
function attribute(source: string, { type, loc }: SFCBlock, name: string): Position {
  const start = Math.max(0, source.lastIndexOf(`<${type}`, loc.start.offset - 1));
  const at = source.slice(start, loc.start.offset).search(new RegExp(String.raw`(?<=\s)${name}\b`));
  return positionAt(source, start + Math.max(0, at));
}

/** Finds the position of a mistake that concerns a whole block and only names the block. */
function located(source: string, { message, position }: Mistake): Mistake {
  if (position) return { message, position };
  if (message.includes('"src" attribute')) {
    return { message: MESSAGES.no_src("script"), position: positionOf(source, /<script\b[^<>]*?\s(src)\b/d) };
  }
  const [, tag = ""] = /^<(\w+)/.exec(message) ?? [];
  const text = message.replace(` ${FILENAME}`, "");
  return { message: text, position: tag ? positionOf(source, new RegExp(`<${tag}\\b`)) : { line: 1, column: 1 } };
}
