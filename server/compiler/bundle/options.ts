/** esbuild's options for every app, and the types that the bundling steps share. */
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

/** esbuild's name for a file that is passed as text. */
export const STDIN = "<stdin>";

export const GLOBALS = "app:globals";

/** Showing code that only runs the author's module. */
export const RUN = `import "${AUTHOR}";`;

/** An export makes any code an ES module. Without one esbuild may take it for CommonJS and wrap it. */
export const MODULE_MARK = "export{};";

export interface Imports {
  runtime: Runtime;
  remote_imports: boolean;
  /** Whether to find out where the code is in the source. */
  positions: boolean;
}

/** With these options esbuild writes a source map as a further file. */
export const MAPPED = {
  sourcemap: "external",
  sourcesContent: false,
  outfile: "/app.js",
} as const satisfies esbuild.BuildOptions;

export type Loader = NonNullable<Compiled["author"]>["loaders"][number];

export interface Bundled {
  text: string;
  /** The vendor files that it imports, without the path. */
  files: string[];
  /** The modules that the author's module imports, by the specifiers in its source. */
  imported: ReadonlySet<string>;
  warnings: esbuild.Message[];
  /** See `position_map.ts`; undefined unless asked for. */
  positions: string | undefined;
}
