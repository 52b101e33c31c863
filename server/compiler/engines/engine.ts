/** The types of an engine: its toolchain, its compiler, and the build of its runtime. */
import type { Position } from "../bundle/positions.ts";
import type { BuiltRuntime, RuntimeName } from "../protocol.ts";

/**
 * What the server knows of a part of the toolchain (an engine, a CSS engine, a runtime) without loading it. Declared in
 * `toolchain.ts` of the part's folder.
 */
export interface Toolchain {
  /** Packages that compile a source or that compiled apps import. Empty where the source is served unchanged. */
  packages: readonly string[];
  /** Source files, relative to `compiler/`, that define how the runtime is built. An edit of one changes the runtime. */
  recipe: readonly string[];
  /** Packages that are fetched on first use, by name: npm specifiers with an exact version. */
  fetched?: Readonly<Record<string, string>>;
  /** True where apps have a CSS engine. Games have none, whatever is asked for (spec, "Engines"). */
  has_css_engine?: boolean;
  /** Large runtimes beside the engine's own that this source may import. */
  furtherRuntimes?(source: string): RuntimeName[];
}

/** The toolchain of sources that are served unchanged. */
export const UNCOMPILED: Toolchain = { packages: [], recipe: [] };

/** Compiles the sources of one engine. A worker loads it with the engine's first app. */
export interface EngineModule {
  /** @throws {CompileFailure} */
  compile(source: string): Compiled | Promise<Compiled>;
  /** A small app that uses most of the compiler. A worker compiles it first, so that V8 compiles the compiler's code. */
  sample: string;
}

/** Builds the vendor files of one runtime. */
export interface RuntimeModule {
  buildRuntime(): Promise<BuiltRuntime>;
}

/** An engine's output, before its imports are resolved. */
export interface Compiled {
  /** An ES module that shows the app in the page. */
  code: string;
  /** The author's own module, which `code` imports as `AUTHOR`. Undefined where `code` contains the author's code. */
  author?: AuthorModule;
  /** Names that the app may use without an import: identifier → the module and its export. */
  globals?: Record<string, readonly [module: string, name: string]>;
  /** With the engine's own scoping done. */
  css: string;
  warnings: string[];
  /**
   * Maps a position in `author` (in `code` where there is no `author`) to the author's source.
   *
   * @returns undefined where the engine generated that code
   */
  locate(place: Position): Position | undefined;
  /**
   * Checks a guess that `compile` made against the bundled code.
   *
   * @returns the output to bundle instead, where the guess was wrong
   * @throws {CompileFailure}
   */
  prove?(found: Found): Compiled | undefined;
  /** Replaces a syntax error of the bundler by a more precise one, where the engine finds one. */
  explain?(mistake: Mistake): Promise<Mistake>;
}

/** In the author's coordinates. */
export interface Mistake {
  text: string;
  position: Position;
}

export interface AuthorModule {
  code: string;
  /**
   * Loaders to try, in this order. Where all fail, the errors are those of the loader that got furthest. TypeScript's
   * come first: `useState<number>(0)` is also valid JavaScript, with another meaning (two comparisons).
   */
  loaders: readonly ("js" | "jsx" | "ts" | "tsx")[];
}

/** The specifier of the author's module. */
export const AUTHOR = "app:source";

/** What bundling an app found out about it. */
export interface Found {
  /** Whether the author's module exports this name. */
  exports(name: string): boolean;
  /** The modules that the author's module imports, by the specifiers in its source. */
  imports: ReadonlySet<string>;
  /** Whether the bundled code uses this export of a runtime's module. */
  uses(module: string, name: string): boolean;
  /** The bundled code. */
  code: string;
}
