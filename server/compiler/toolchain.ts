/** Which package versions make a build, read from the one place that pins them. */
import { z } from "zod";
import config from "../../deno.json" with { type: "json" };
import type { CssEngine, Engine } from "./compiler.ts";
import type { RuntimeName } from "./protocol.ts";

const Imports = z.record(z.string(), z.string());

interface Part {
  /** What it is compiled with, and what its apps import. None: the source is served as it is. */
  packages: readonly string[];
  /** The files here that say how its runtime is built: a change in one makes a new runtime, as a new version does. */
  recipe: readonly string[];
}

const NOTHING: Part = { packages: [], recipe: [] };

const PARTS: Record<Engine | CssEngine | "platform", Part> = {
  svelte: { packages: ["svelte", "esbuild"], recipe: ["runtime.ts", "svelte_runtime.ts"] },
  vue: NOTHING,
  react: NOTHING,
  js: NOTHING,
  html: NOTHING,
  kaboom: NOTHING,
  phaser: NOTHING,
  tailwind_all: { packages: ["@tailwindcss/browser"], recipe: ["runtime.ts", "tailwind_browser.ts"] },
  tailwind: { packages: ["tailwindcss"], recipe: [] },
  none: NOTHING,
  platform: {
    packages: ["esbuild"],
    recipe: ["runtime.ts", "platform_runtime.ts", "../../client/app/platform.js"],
  },
};

const versions = new Map(
  Object.entries(Imports.parse(config.imports)).flatMap(([name, specifier]) => {
    const [, version] = /^npm:.+@([^@/]+)$/.exec(specifier) ?? [];
    return version ? [[name, version]] : [];
  }),
);

/** Package versions by package name. */
export function toolchainOf(...parts: (Engine | CssEngine | RuntimeName)[]): Record<string, string> {
  const names = new Set(parts.flatMap((part) => PARTS[part].packages));
  return Object.fromEntries([...names].map((name) => [name, versions.get(name) ?? "unknown"]));
}

/** False where the source itself is what a browser gets. */
export const isCompiled = (engine: Engine): boolean => PARTS[engine].packages.length > 0;

/** The same text for the same runtime: versions, and how it is built from them. */
export async function recipeOf(part: RuntimeName): Promise<string> {
  const files = PARTS[part].recipe.map((file) => Deno.readTextFile(new URL(file, import.meta.url)));
  return JSON.stringify([toolchainOf(part), ...await Promise.all(files)]);
}
