/** The blocks of a single-file component, and which of them are compiled here. */
import type { SFCBlock, SFCDescriptor } from "@vue/compiler-sfc";
import { type Position, positionAt, positionOf } from "../../bundle/positions.ts";
import { FILENAME, parse, parseCache } from "./compiler.ts";
import { failureOf, type Mistake, templateMistake } from "./mistakes.ts";

/** Of `lang`; each block's own goes without saying. An unknown one once ended the compiler's process. */
const LANGUAGES: Record<string, readonly string[]> = {
  template: ["html"],
  script: ["js", "ts"],
  style: ["css"],
};

/**
 * @returns mistakes of the template's syntax, too; the blocks can be compiled all the same
 * @throws {CompileFailure} on a block that cannot be compiled here
 */
export function readBlocks(source: string): { descriptor: SFCDescriptor; mistakes: Mistake[] } {
  const { descriptor, errors } = parse(source, {
    filename: FILENAME,
    sourceMap: false,
    templateParseOptions: { comments: false },
  });
  // It would keep every source.
  parseCache.clear();
  const mistakes = errors.map((error) => located(source, templateMistake(error)));
  const { template, script, scriptSetup, styles } = descriptor;
  const foreign = [template, script, scriptSetup, ...styles].flatMap((block) => block ? refusals(source, block) : []);
  if (script && scriptSetup && script.lang !== scriptSetup.lang) {
    const [, second] = [script, scriptSetup].toSorted((a, b) => a.loc.start.offset - b.loc.start.offset);
    const message = "<script> and <script setup> must have the same lang";
    foreign.push({ message, position: second && attribute(source, second, "lang") });
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
  if ("src" in attrs) refuse("src", noFile(type));
  const takes = LANGUAGES[type] ?? [];
  if (lang && !takes.includes(lang)) {
    refuse("lang", `lang="${lang}" is not supported: <${type}> takes ${takes.join(" or ")}`);
  }
  return found;
}

function attribute(source: string, { type, loc }: SFCBlock, name: string): Position {
  const start = Math.max(0, source.lastIndexOf(`<${type}`, loc.start.offset - 1));
  const at = source.slice(start, loc.start.offset).search(new RegExp(String.raw`(?<=\s)${name}\b`));
  return positionAt(source, start + Math.max(0, at));
}

const noFile = (type: string) => `src is not supported: an app is one file, write the <${type}> into it`;

/** Some are about a block as a whole, and only name it. */
function located(source: string, { message, position }: Mistake): Mistake {
  if (position) return { message, position };
  if (message.includes('"src" attribute')) {
    return { message: noFile("script"), position: positionOf(source, /<script\b[^<>]*?\s(src)\b/d) };
  }
  const [, tag = ""] = /^<(\w+)/.exec(message) ?? [];
  const text = message.replace(` ${FILENAME}`, "");
  return { message: text, position: tag ? positionOf(source, new RegExp(`<${tag}\\b`)) : { line: 1, column: 1 } };
}
