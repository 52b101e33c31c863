import type { Toolchain } from "../engine.ts";

export const kaboom: Toolchain = {
  packages: ["kaboom", "kaplay", "esbuild"],
  recipe: ["engines/kaboom/runtime.ts"],
};
