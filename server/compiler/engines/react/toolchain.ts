import type { Toolchain } from "../engine.ts";

export const react: Toolchain = {
  packages: ["react", "react-dom", "esbuild"],
  recipe: ["engines/react/runtime.ts", "engines/react/runtime_names.ts"],
  has_css_engine: true,
};
