/** Which package versions make a build, read from the one place that pins them. */
import { z } from "zod";
import config from "../../deno.json" with { type: "json" };
import type { CssEngine, Engine } from "./compiler.ts";

const Imports = z.record(z.string(), z.string());

/** What each engine is compiled with, and what its apps import. None: the source is served as it is. */
const PACKAGES: Record<Engine | CssEngine, readonly string[]> = {
  svelte: ["svelte", "esbuild"],
  vue: [],
  react: [],
  js: [],
  html: [],
  kaboom: [],
  phaser: [],
  tailwind_all: ["@tailwindcss/browser"],
  tailwind: ["tailwindcss"],
  none: [],
};

const versions = new Map(
  Object.entries(Imports.parse(config.imports)).flatMap(([name, specifier]) => {
    const [, version] = /^npm:.+@([^@/]+)$/.exec(specifier) ?? [];
    return version ? [[name, version]] : [];
  }),
);

/** Package versions by package name. */
export function toolchainOf(...parts: (Engine | CssEngine)[]): Record<string, string> {
  const names = new Set(parts.flatMap((part) => PACKAGES[part]));
  return Object.fromEntries([...names].map((name) => [name, versions.get(name) ?? "unknown"]));
}

/** False where the source itself is what a browser gets. */
export const isCompiled = (engine: Engine): boolean => PACKAGES[engine].length > 0;
