/** Svelte components, in runes or legacy mode, with TypeScript. */
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { compile as compileSvelte } from "svelte/compiler";
import { CompileFailure } from "../../compiler.ts";
import type { Compiled } from "../engine.ts";
import { freePrefix } from "../../bundle/free_prefix.ts";
import { isBuildFailure } from "../../bundle/esbuild_errors.ts";
import { type Position, showMistake, showWarning } from "../../bundle/positions.ts";
import { reword } from "../../bundle/reword.ts";
import { refuseForeignBlocks } from "./blocks.ts";
import { REWORDED } from "./messages.ts";
import { SHOW } from "./runtime_names.ts";
import { toJavaScript } from "./typescript.ts";

export { sample } from "./sample.ts";

/** Appended to the compiled component, so that the lines of that keep their numbers. */
const mount = (show: string, component: string) => `
import { show as ${show} } from "${SHOW}";
${show}(${component});
`;

/**
 * The imports with which the compiler turns on modes of the runtime, at the head of its output. Our runtime has functions
 * for it instead.
 */
const FLAGS = /^(?:import 'svelte\/internal\/flags\/(?:async|legacy|tracing)';\s*)+/;
const FLAG = /import 'svelte\/internal\/flags\/(\w+)';/g;
const setFlag = (mode: string, local: string) =>
  `import { enable_${mode}_mode_flag as ${local} } from "svelte/internal/flags"; ${local}();`;

/** Words without which a component cannot be asynchronous. Others are compiled without async mode: smaller code. */
const WAITS = /\b(?:await|pending|fork|settled)\b/;

/** @throws {CompileFailure} with one message: Svelte stops at the first mistake. Foreign blocks are reported together. */
export async function compile(source: string): Promise<Compiled> {
  refuseForeignBlocks(source);
  // A name that the author's code, text included, does not contain: Svelte keeps it, and it is found again.
  const component = `${freePrefix(source)}App`;
  const { js, css, warnings, locate } = await compileOrFail(withApplyEnded(source), component);
  const prefix = freePrefix(js.code);
  let map: TraceMap | undefined;
  const exported = `export default function ${component}(`;
  if (!js.code.includes(exported)) throw new Error("svelte's output has no component");
  return {
    code: js.code
      .replace(FLAGS, (head) => head.replace(FLAG, (_, mode) => setFlag(mode, prefix + mode)))
      // Nothing imports the component. Spaces take the place of the export, so that columns stay.
      .replace(exported, exported.replace("export default", (word) => " ".repeat(word.length))) +
      mount(`${prefix}show`, component),
    css: css?.code ?? "",
    warnings: warnings.map(({ message, start }) => {
      const text = reword(firstLine(message), REWORDED);
      return start ? showWarning(text, locate(oneBased(start))) : text;
    }),
    locate: ({ line, column }) => {
      // The source map is decoded only for an app that has a mistake.
      map ??= new TraceMap(js.map.toString());
      const { line: row, column: unit } = originalPositionFor(map, { line, column: column - 1 });
      return row === null ? undefined : locate({ line: row, column: unit + 1 });
    },
  };
}

/**
 * Adds the semicolon that Svelte's parser requires after the last at-rule of a block and CSS does not: `.a { @apply p-4 }`.
 * It replaces a space where there is one, so that positions stay; without one, columns are wrong by one.
 */
function withApplyEnded(source: string): string {
  return source.replace(
    /<(?:script|!--)[^]*?(?:<\/script|-->)|<style[^>]*>[^]*?<\/style>/g,
    (block) => block.startsWith("<style") ? block.replace(/(@apply\s[^;{}]*[^;{}\s])(\s?)(\s*\})/g, "$1;$3") : block,
  );
}

/** Svelte's code for TypeScript that it cannot compile. */
const BEYOND_TYPES = "typescript_invalid_feature";

async function compileOrFail(source: string, component: string) {
  try {
    try {
      return { ...compileComponent(source, component), locate: (place: Position) => place };
    } catch (error) {
      if (!isMistake(error) || error.code !== BEYOND_TYPES) throw error;
      const converted = await toJavaScript(source).catch((fault) => {
        throw isBuildFailure(fault) ? error : fault;
      });
      try {
        return { ...compileComponent(converted.source, component), locate: converted.locate };
      } catch (other) {
        throw isMistake(other) ? failureOf(source, other, converted.locate) : other;
      }
    }
  } catch (error) {
    throw isMistake(error) ? failureOf(source, error) : error;
  }
}

const compileComponent = (source: string, name: string) =>
  compileSvelte(source, {
    filename: "App.svelte",
    name,
    generate: "client",
    css: "external",
    discloseVersion: false,
    experimental: { async: WAITS.test(source) },
  });

function failureOf(source: string, { message, start }: Mistake, locate = (place: Position) => place): CompileFailure {
  const text = reword(firstLine(message), REWORDED);
  return new CompileFailure([showMistake(source, text, start && locate(oneBased(start)))]);
}

interface Mistake extends Error {
  code?: string;
  start?: { line: number; column: number };
}

/** Svelte does not export its CompileError. Internal errors of the compiler have other names. */
const isMistake = (error: unknown): error is Mistake => error instanceof Error && error.name === "CompileError";

/** Svelte counts columns from 0. */
const oneBased = ({ line, column }: { line: number; column: number }): Position => ({ line, column: column + 1 });

/** The message without the link to Svelte's documentation that follows it. */
const firstLine = (message: string) => message.split("\n", 1)[0] ?? message;
