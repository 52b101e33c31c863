import type { Toolchain } from "../engine.ts";

const RECIPE = ["engines/phaser/runtime.ts", "engines/phaser/webpack_modules.ts"];

/** Phaser 3.90. */
export const phaser: Toolchain = {
  packages: ["phaser", "esbuild"],
  fetched: { phaser: "npm:phaser@3.90.0" },
  recipe: RECIPE,
  furtherRuntimes: (source) => source.includes("phaser@4") ? ["phaser4"] : [],
};

/** Phaser 4, for apps that import `phaser@4`. */
export const phaser4: Toolchain = {
  packages: ["phaser4"],
  fetched: { phaser4: "npm:phaser@4.2.1" },
  recipe: [...RECIPE, "engines/phaser/runtime_v4.ts"],
};
