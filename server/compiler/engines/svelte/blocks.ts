/** Refuses scripts and styles in languages that this server cannot compile: Svelte takes them for JavaScript and CSS. */
import { CompileFailure } from "../../compiler.ts";
import { positionAt, showMistake } from "../../bundle/positions.ts";
import { BLOCKS } from "../block_messages.ts";

/** Supported values of `lang`. PostCSS without plugins is CSS. */
const LANGUAGES: Record<string, readonly string[]> = { script: ["js", "ts"], style: ["css", "postcss"] };

const COMMENT = /<!--[^]*?(?:-->|$)/g;
const TAG = /<(script|style)((?:\s+[\w:|-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>[^]*?(?:<\/\1|$)/g;
const ATTRIBUTE = /\s(lang|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/** @throws {CompileFailure} with a message for each such attribute */
export function refuseForeignBlocks(source: string): void {
  const messages: string[] = [];
  const blank = source.replace(COMMENT, (comment) => " ".repeat(comment.length));
  for (const { 1: block = "", 2: attributes = "", index } of blank.matchAll(TAG)) {
    for (const { 1: name, 2: double, 3: single, 4: plain, index: at } of attributes.matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? plain ?? "";
      const takes = LANGUAGES[block] ?? [];
      const message = name === "src"
        ? BLOCKS.no_src(block)
        : value && !takes.includes(value)
        ? BLOCKS.no_lang(block, value, takes)
        : undefined;
      const place = index + 1 + block.length + at + 1;
      if (message) messages.push(showMistake(source, message, positionAt(source, place)));
    }
  }
  if (messages.length > 0) throw new CompileFailure(messages);
}
