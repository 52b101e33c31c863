/** What esbuild is told for every app, and how its parts call each other. */
import type * as esbuild from "esbuild";
import { AUTHOR, type Compiled } from "../engines/engine.ts";
import type { Runtime } from "../protocol.ts";

export const MINIFY = {
  minify: true,
  legalComments: "none",
  charset: "utf8",
  sourcemap: false,
  logLevel: "silent",
  tsconfigRaw: {},
  target: ["es2022", "chrome111", "firefox128", "safari16.4"],
} as const satisfies esbuild.TransformOptions;

export const BASE = {
  ...MINIFY,
  bundle: true,
  write: false,
  absWorkingDir: "/",
} as const satisfies esbuild.BuildOptions;

export const APP = { ...BASE, format: "esm", jsx: "automatic", metafile: true } as const satisfies esbuild.BuildOptions;

/** What esbuild calls a file that was handed to it. */
export const STDIN = "<stdin>";

export const GLOBALS = "app:globals";

/** Code that only runs the author's. */
export const RUN = `import "${AUTHOR}";`;

/** With an export it is an ES module, whatever else it has; without one esbuild would wrap it as CommonJS. */
export const MODULE_MARK = "export{};";

export interface Imports {
  runtime: Runtime;
  remote_imports: boolean;
}

export type Loader = NonNullable<Compiled["author"]>["loaders"][number];

export interface Bundled {
  text: string;
  /** The vendor files that it imports. */
  files: string[];
  /** What the author's module imports, as it names it. */
  imported: ReadonlySet<string>;
  warnings: esbuild.Message[];
}
