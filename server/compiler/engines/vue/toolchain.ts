import type { Toolchain } from "../engine.ts";

export const vue: Toolchain = {
  packages: ["vue", "@vue/compiler-sfc", "esbuild"],
  recipe: ["engines/vue/runtime.ts", "engines/vue/runtime_names.ts"],
  has_css_engine: true,
};
