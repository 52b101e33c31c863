/** Compiles the source of a flow's `code` step: one module of JavaScript or TypeScript without imports. */
import type * as esbuild from "esbuild";
import { build, transform } from "../bundle/esbuild.ts";
import { failureOf } from "../bundle/esbuild_errors.ts";
import { STDIN } from "../bundle/options.ts";
import { columnOfByte, editorPlaces } from "../bundle/positions.ts";
import { CODE_NAME, CompileFailure } from "../compiler.ts";

const OPTIONS = {
  bundle: true,
  write: false,
  absWorkingDir: "/",
  // Only of this format esbuild lists the exports.
  format: "esm",
  platform: "neutral",
  target: "esnext",
  supported: { "top-level-await": false },
  charset: "utf8",
  legalComments: "none",
  logLevel: "silent",
  metafile: true,
  sourcemap: "inline",
  sourcesContent: false,
  tsconfigRaw: {},
} as const satisfies esbuild.BuildOptions;

const refuseImports: esbuild.Plugin = {
  name: "no imports",
  setup: (build) =>
    build.onResolve(
      { filter: /.*/ },
      ({ path, kind }) =>
        kind === "entry-point" ? undefined : {
          errors: [{ text: `${JSON.stringify(path)} cannot be imported: code reaches nothing outside of itself` }],
        },
    ),
};

/** @returns a script that defines `CODE_NAME` with the module's exports @throws {CompileFailure} */
export async function compileCode(source: string): Promise<string> {
  try {
    const { outputFiles: [file], metafile } = await build({
      ...OPTIONS,
      stdin: { contents: source, loader: "ts", sourcefile: STDIN },
      plugins: [refuseImports],
    });
    const has_default = Object.values(metafile.outputs).some(({ exports }) => exports.includes("default"));
    // esbuild gives a CommonJS module a default export, also one that sets none and only has a `return`.
    const [{ format } = {}] = Object.values(metafile.inputs);
    if (!has_default || format === "cjs" && !/\bexports\b/.test(source)) {
      throw new CompileFailure(["has no default export, such as export default ({ input }) => input.price * 2"]);
    }
    // With an inline source map in its input, esbuild's own leads to the author's source.
    const map = { sourcemap: "inline", sourcesContent: false } as const;
    const script = { format: "iife", globalName: CODE_NAME, target: "esnext", charset: "utf8", ...map } as const;
    return (await transform(file?.text ?? "", script)).code;
  } catch (error) {
    const inEditor = editorPlaces(source);
    throw await failureOf(error, source, ({ location }) => {
      if (!location) return undefined;
      const { line, column, lineText } = location;
      return inEditor({ line, column: columnOfByte(lineText, column) + 1 });
    });
  }
}
