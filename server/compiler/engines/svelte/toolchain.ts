import type { Toolchain } from "../engine.ts";

export const svelte: Toolchain = {
  packages: ["svelte", "esbuild"],
  recipe: ["engines/svelte/runtime.ts", "engines/svelte/runtime_names.ts", "engines/svelte/constants.ts"],
  has_css_engine: true,
};
