import type { Toolchain } from "../engines/engine.ts";

/** Classes compiled on the server. */
export const tailwind: Toolchain = { packages: ["tailwindcss"], recipe: [] };

/** Tailwind's browser build, which compiles classes in the page. */
export const tailwind_all: Toolchain = { packages: ["@tailwindcss/browser"], recipe: ["tailwind/browser_build.ts"] };
