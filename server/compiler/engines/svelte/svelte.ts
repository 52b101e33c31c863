/** Svelte components, in runes or legacy mode, with TypeScript. */
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { compile as compileSvelte } from "svelte/compiler";
import { CompileFailure } from "../../compiler.ts";
import type { Compiled } from "../engine.ts";
import { freePrefix } from "../../bundle/free_prefix.ts";
import { type Position, showMistake, showWarning } from "../../bundle/positions.ts";
import { SHOW } from "./runtime_names.ts";

export { sample } from "./sample.ts";

/** Appended to the compiled component, so that the lines of that keep their numbers. */
const mount = (show: string, component: string) => `
import { show as ${show} } from "${SHOW}";
${show}(${component});
`;

/** The import with which the compiler turns on a mode of the runtime. Our runtime has a function for it instead. */
const FLAG = /^import 'svelte\/internal\/flags\/(async|legacy|tracing)';$/gm;
const setFlag = (mode: string, local: string) =>
  `import { enable_${mode}_mode_flag as ${local} } from "svelte/internal/flags"; ${local}();`;

/**
 * The component is not exported, because nothing imports it. Spaces take the place, so that columns stay. Svelte chooses
 * another name than `App` where the author uses that.
 */
const EXPORT = /^export default (?=function ([\w$]+)\()/m;

/** Words without which a component cannot be asynchronous. Others are compiled without async mode: smaller code. */
const WAITS = /\b(?:await|pending|fork|settled)\b/;

/** @throws {CompileFailure} with one message: Svelte stops at the first mistake */
export function compile(source: string): Compiled {
  const { js, css, warnings } = compileOrFail(withApplyEnded(source));
  const [, component = ""] = EXPORT.exec(js.code) ?? [];
  if (!component) throw new Error("svelte's output has no component");
  const prefix = freePrefix(js.code);
  return {
    code: js.code.replace(FLAG, (_, mode) => setFlag(mode, prefix + mode))
      .replace(EXPORT, (word) => " ".repeat(word.length)) + mount(`${prefix}show`, component),
    css: css?.code ?? "",
    warnings: warnings.map(({ message, start }) => {
      const text = firstLine(message);
      return start ? showWarning(text, oneBased(start)) : text;
    }),
    locate: ({ line, column }) => {
      // The source map is decoded only for an app that has a mistake.
      const { line: row, column: unit } = originalPositionFor(new TraceMap(js.map.toString()), {
        line,
        column: column - 1,
      });
      return row === null ? undefined : { line: row, column: unit + 1 };
    },
  };
}

/**
 * Adds the semicolon that Svelte's parser requires after the last at-rule of a block and CSS does not: `.a { @apply p-4 }`.
 * It replaces a space where there is one, so that positions stay; without one, columns are wrong by one.
 */
function withApplyEnded(source: string): string {
  return source.replace(
    /<style[^>]*>[^]*?<\/style>/g,
    (style) => style.replace(/(@apply\s[^;{}]*[^;{}\s])(\s?)(\s*\})/g, "$1;$3"),
  );
}

function compileOrFail(source: string) {
  try {
    return compileSvelte(source, {
      filename: "App.svelte",
      name: "App",
      generate: "client",
      css: "external",
      discloseVersion: false,
      experimental: { async: WAITS.test(source) },
    });
  } catch (error) {
    if (!isMistake(error)) throw error;
    const { message, start } = error;
    throw new CompileFailure([showMistake(source, firstLine(message), start && oneBased(start))]);
  }
}

interface Mistake extends Error {
  start?: { line: number; column: number };
}

/** Svelte does not export its CompileError. Internal errors of the compiler have other names. */
const isMistake = (error: unknown): error is Mistake => error instanceof Error && error.name === "CompileError";

/** Svelte counts columns from 0. */
const oneBased = ({ line, column }: { line: number; column: number }): Position => ({ line, column: column + 1 });

/** The message without the link to Svelte's documentation that follows it. */
const firstLine = (message: string) => message.split("\n", 1)[0] ?? message;
