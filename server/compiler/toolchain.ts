/** Which package versions make a build, read from where they are pinned. */
import { z } from "zod";
import config from "../../deno.json" with { type: "json" };
import type { CssEngine, Engine, Source } from "./compiler.ts";
import { FETCHED, fetchPackages } from "./runtime/fetched_packages.ts";
import type { RuntimeName } from "./protocol.ts";

const Imports = z.record(z.string(), z.string());

interface Part {
  /** What it is compiled with, and what its apps import. None: the source is served as it is. */
  packages: readonly string[];
  /** The files here that say how its runtime is built: a change in one makes a new runtime, as a new version does. */
  recipe: readonly string[];
}

const NOTHING: Part = { packages: [], recipe: [] };

/** How a runtime is bundled, split and minified, whichever it is. */
const BUNDLED = {
  packages: ["esbuild", "terser", "acorn"],
  recipe: [
    ...["runtime", "pack", "minify", "packages"].map((name) => `runtime/${name}.ts`),
    ...["layers", "relations", "setters", "statements", "scopes"].map((name) => `layers/${name}.ts`),
  ],
};

const PARTS: Record<Engine | CssEngine | RuntimeName, Part> = {
  svelte: { packages: ["svelte", "esbuild"], recipe: ["engines/svelte/runtime.ts"] },
  vue: { packages: ["vue", "@vue/compiler-sfc", "esbuild"], recipe: ["engines/vue/runtime.ts"] },
  react: { packages: ["react", "react-dom", "esbuild"], recipe: ["engines/react/runtime.ts"] },
  js: NOTHING,
  html: NOTHING,
  kaboom: { packages: ["kaboom", "kaplay", "esbuild"], recipe: ["engines/kaboom/runtime.ts"] },
  phaser: {
    packages: ["phaser", "esbuild"],
    recipe: ["engines/phaser/runtime.ts", "engines/phaser/webpack_modules.ts"],
  },
  phaser4: {
    packages: ["phaser4"],
    recipe: ["engines/phaser/runtime.ts", "engines/phaser/webpack_modules.ts", "engines/phaser/runtime_v4.ts"],
  },
  tailwind_all: { packages: ["@tailwindcss/browser"], recipe: ["tailwind/browser_build.ts"] },
  tailwind: { packages: ["tailwindcss"], recipe: [] },
  none: NOTHING,
  platform: {
    packages: ["esbuild"],
    recipe: [
      "runtime/platform.ts",
      ...["platform", "platform_error", "action", "context", "db", "request", "subscribe", "waiting"]
        .map((name) => `../../client/app/${name}.js`),
    ],
  },
};

const versions = new Map(
  Object.entries({ ...Imports.parse(config.imports), ...FETCHED }).flatMap(([name, specifier]) => {
    const [, version] = /^npm:.+@([^@/]+)$/.exec(specifier) ?? [];
    return version ? [[name, version]] : [];
  }),
);

/** Package versions by package name. */
export function toolchainOf(...parts: (Engine | CssEngine | RuntimeName)[]): Record<string, string> {
  return versionsOf(parts.flatMap((part) => PARTS[part].packages));
}

const versionsOf = (names: readonly string[]) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, versions.get(name) ?? "unknown"]));

/** Fetches what that part is built from, where it is not on this machine. @throws {Error} where it cannot */
export const fetchPart = (part: RuntimeName, deno: string, env: Readonly<Record<string, string>>): Promise<void> =>
  fetchPackages(PARTS[part].packages, deno, env);

/** False where the source itself is what a browser gets. */
export const isCompiled = (engine: Engine): boolean => PARTS[engine].packages.length > 0;

const STYLED: ReadonlySet<Engine> = new Set(["svelte", "vue", "react"]);

/** The CSS engine that is at work: games have none, whatever is asked for (spec, "Engines"). */
export const cssEngineOf = ({ engine, css_engine }: Source): CssEngine => STYLED.has(engine) ? css_engine : "none";

/** Runtimes beside its engine's own that a source may be importing: large ones, for those that name them. */
export const furtherRuntimesOf = ({ engine, source_code }: Source): RuntimeName[] =>
  engine === "phaser" && source_code.includes("phaser@4") ? ["phaser4"] : [];

/** The same text for the same runtime: versions, and how it is built from them. */
export async function recipeOf(part: RuntimeName): Promise<string> {
  const files = [...BUNDLED.recipe, ...PARTS[part].recipe].map((file) =>
    Deno.readTextFile(new URL(file, import.meta.url))
  );
  return JSON.stringify([toolchainOf(part), versionsOf(BUNDLED.packages), ...await Promise.all(files)]);
}
