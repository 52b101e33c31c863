/** What an engine is to a worker: one file each, named after it, loaded when its first app arrives. */
import type { Engine } from "../compiler.ts";
import type { Position } from "../bundle/positions.ts";
import type { BuiltRuntime, RuntimeName } from "../protocol.ts";

export interface EngineFile {
  /** @throws {CompileFailure} */
  compile(source: string): Compiled | Promise<Compiled>;
  /** Builds what compiled apps import. */
  buildRuntime(): Promise<BuiltRuntime>;
  /** An app to try everything out on, before the first real one comes. */
  sample: string;
}

/** An engine's output, before its imports are resolved. */
export interface Compiled {
  /** An ES module that shows the app in the page. */
  code: string;
  /** The author's own module, where `code` only shows what that exports: `code` imports it as `AUTHOR`. */
  author?: AuthorModule;
  /** What the app may use without importing it: an identifier → the module and its export. */
  globals?: Record<string, readonly [module: string, name: string]>;
  /** With the engine's own scoping done. */
  css: string;
  warnings: string[];
  /** The author's place of one in `author`, else in `code`; undefined where the engine made that code up. */
  locate(place: Position): Position | undefined;
  /**
   * Looks at what the bundler found.
   *
   * @returns what is to be bundled instead, where this was a guess
   * @throws {CompileFailure}
   */
  prove?(found: Found): Compiled | undefined;
  /** Says better what stopped the bundler reading the author's code, where it can. */
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
   * Ways to read it, tried in this order; where all fail, the one that got furthest tells the mistakes. TypeScript's
   * first: `useState<number>(0)` is valid JavaScript, too, where it compares.
   */
  loaders: readonly ("js" | "jsx" | "ts" | "tsx")[];
}

/** The specifier of the author's module. */
export const AUTHOR = "app:source";

export interface Found {
  /** Whether the author's module exports this name. */
  exports(name: string): boolean;
  /** The modules that the author's module imports, as it names them. */
  imports: ReadonlySet<string>;
  /** Whether the bundled code uses this export of a runtime's module. */
  uses(module: string, name: string): boolean;
  /** The bundled code. */
  code: string;
}

type Load = () => Promise<EngineFile>;

export const ENGINE_FILES: Partial<Record<Engine, Load>> = {
  svelte: () => import("./svelte/svelte.ts"),
  vue: () => import("./vue/vue.ts"),
  kaboom: () => import("./kaboom/kaboom.ts"),
  phaser: () => import("./phaser/phaser.ts"),
  react: () => import("./react/react.ts"),
};

/** Runtimes that are no engine's. */
export const RUNTIME_FILES: Partial<Record<RuntimeName, () => Promise<Pick<EngineFile, "buildRuntime">>>> = {
  ...ENGINE_FILES,
  phaser4: () => import("./phaser/runtime_v4.ts"),
  platform: () => import("../runtime/platform.ts"),
  tailwind_all: () => import("../tailwind/browser_build.ts"),
};
