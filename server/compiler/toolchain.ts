/** The package versions that make a build, read from where they are pinned, and the identity of a runtime. */
import { z } from "zod";
import config from "../../deno.json" with { type: "json" };
import type { CssEngine, Engine, Source } from "./compiler.ts";
import { TOOLCHAINS } from "./engines/registry.ts";
import type { RuntimeName } from "./protocol.ts";
import { FETCHED, fetchPackages } from "./runtime/fetched_packages.ts";

const Imports = z.record(z.string(), z.string());

/** The steps that every runtime shares: bundling, splitting, minifying, compressing. */
const SHARED = {
  packages: ["esbuild", "terser", "acorn"],
  recipe: [
    ...["runtime", "pack", "minify", "packages"].map((name) => `runtime/${name}.ts`),
    ...["layers", "relations", "setters", "statements", "effects", "recorder", "scopes"].map((name) =>
      `layers/${name}.ts`
    ),
  ],
};

const versions = new Map(
  Object.entries({ ...Imports.parse(config.imports), ...FETCHED }).flatMap(([name, specifier]) => {
    const [, version] = /^npm:.+@([^@/]+)$/.exec(specifier) ?? [];
    return version ? [[name, version]] : [];
  }),
);

/** Package versions by package name. */
export function toolchainOf(...parts: (Engine | CssEngine | RuntimeName)[]): Record<string, string> {
  return versionsOf(parts.flatMap((part) => TOOLCHAINS[part].packages));
}

const versionsOf = (names: readonly string[]) =>
  Object.fromEntries([...new Set(names)].map((name) => [name, versions.get(name) ?? "unknown"]));

/** Fetches the packages of a runtime that are not on this machine. @throws {Error} where the registry is unreachable */
export const fetchFor = (name: RuntimeName, deno: string, env: Readonly<Record<string, string>>): Promise<void> =>
  fetchPackages(TOOLCHAINS[name].packages, deno, env);

/** False where the source itself is served. */
export const isCompiled = (engine: Engine): boolean => TOOLCHAINS[engine].packages.length > 0;

/** The CSS engine in effect: `none` for engines that have none. */
export const cssEngineOf = ({ engine, css_engine }: Source): CssEngine =>
  TOOLCHAINS[engine].has_css_engine ? css_engine : "none";

/** Runtimes beside its engine's own that a source may import. */
export const furtherRuntimesOf = ({ engine, source_code }: Source): RuntimeName[] =>
  TOOLCHAINS[engine].furtherRuntimes?.(source_code) ?? [];

/** Identifies a runtime: equal for equal package versions, build steps and Terser options. */
export async function recipeOf(name: RuntimeName): Promise<string> {
  const files = [...SHARED.recipe, ...TOOLCHAINS[name].recipe].map((file) =>
    Deno.readTextFile(new URL(file, import.meta.url))
  );
  return JSON.stringify([toolchainOf(name), versionsOf(SHARED.packages), ...await Promise.all(files)]);
}
