/** What an engine is to a worker: one file each, named after it, loaded when its first app arrives. */
import type { Engine } from "./compiler.ts";
import type { Position } from "./positions.ts";
import type { BuiltRuntime, RuntimeName } from "./protocol.ts";

export interface EngineFile {
  /** @throws {CompileFailure} */
  compile(source: string): Compiled;
  /** Builds what compiled apps import. */
  buildRuntime(): Promise<BuiltRuntime>;
  /** An app to try everything out on, before the first real one comes. */
  sample: string;
}

/** An engine's output, before its imports are resolved. */
export interface Compiled {
  /** An ES module that shows the app in the page. */
  code: string;
  /** With the engine's own scoping done. */
  css: string;
  warnings: string[];
  /** The author's place of one in `code`; undefined where the engine made that code up. */
  locate(place: Position): Position | undefined;
}

type Load = () => Promise<EngineFile>;

export const ENGINE_FILES: Partial<Record<Engine, Load>> = {
  svelte: () => import("./svelte.ts"),
};

/** Runtimes that are no engine's. */
export const RUNTIME_FILES: Partial<Record<RuntimeName, () => Promise<Pick<EngineFile, "buildRuntime">>>> = {
  ...ENGINE_FILES,
  tailwind_all: () => import("./tailwind_browser.ts"),
};
