/** Loads the compiler of an engine and the build of a runtime, each on first use. Only workers import this. */
import type { Engine } from "../compiler.ts";
import type { RuntimeName } from "../protocol.ts";
import type { EngineModule, RuntimeModule } from "./engine.ts";

export const ENGINE_LOADERS: Readonly<Partial<Record<Engine, () => Promise<EngineModule>>>> = {
  svelte: () => import("./svelte/svelte.ts"),
  vue: () => import("./vue/vue.ts"),
  react: () => import("./react/react.ts"),
  kaboom: () => import("./kaboom/kaboom.ts"),
  phaser: () => import("./phaser/phaser.ts"),
};

/** Apart from the compilers: a build loads esbuild's splitter and Terser, which no compile needs. */
export const RUNTIME_LOADERS: Readonly<Partial<Record<RuntimeName, () => Promise<RuntimeModule>>>> = {
  svelte: () => import("./svelte/runtime.ts"),
  vue: () => import("./vue/runtime.ts"),
  react: () => import("./react/runtime.ts"),
  kaboom: () => import("./kaboom/runtime.ts"),
  phaser: () => import("./phaser/runtime.ts"),
  phaser4: () => import("./phaser/runtime_v4.ts"),
  platform: () => import("../runtime/platform.ts"),
  tailwind_all: () => import("../tailwind/browser_build.ts"),
};
