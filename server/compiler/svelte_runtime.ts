/**
 * Svelte's runtime in two files: what most apps use (30 KB with brotli), and the rest (13 KB). One file
 * for all would be 43 KB; one chunk for every module of the public interface 49 KB in up to sixteen requests.
 */
import type * as esbuild from "esbuild";
import { findPackageFile } from "./packages.ts";
import type { BuiltRuntime, Runtime } from "./protocol.ts";
import { bundleEntries } from "./runtime.ts";
import { toolchainOf } from "./toolchain.ts";

const CLIENT = "svelte/internal/client";
const FLAGS = "svelte/internal/flags";

/** Everything that an app, or what the compiler makes of it, may import; types have no module. */
const MODULES = [
  "svelte",
  CLIENT,
  "svelte/animate",
  "svelte/attachments",
  "svelte/easing",
  "svelte/events",
  "svelte/legacy",
  "svelte/motion",
  "svelte/reactivity",
  "svelte/reactivity/window",
  "svelte/store",
  "svelte/transition",
] as const;

/** What compiled components call in all but unusual apps. */
const COMMON = new Set(
  `append attribute_effect await autofocus bind_checked bind_group bind_select_value bind_this bind_value child clsx
  comment component deep_read_state delegate delegated derived derived_safe_equal each event fallback
  first_child from_html from_svg get html if index init init_select key legacy_pre_effect legacy_pre_effect_reset
  legacy_rest_props mutable_source mutate next only_child pop prop proxy push remove_input_defaults
  remove_textarea_child reset rest_props select_option set set_attribute set_checked set_class set_style set_text
  set_value sibling slot snapshot snippet spread_props state store_get store_set setup_stores template_effect text
  to_array untrack update update_pre update_store user_effect user_pre_effect head action attach`.split(/\s+/),
);

export async function buildRuntime(): Promise<BuiltRuntime> {
  const specifiers = [...MODULES, FLAGS];
  const names = await exportsOf(specifiers);
  const barrel = await readBarrel();
  const alias = (specifier: string, name: string) => `m${specifiers.indexOf(specifier)}_${name}`;
  const isCommon = (specifier: string, name: string) =>
    specifier === "svelte" || specifier === FLAGS || specifier === CLIENT && COMMON.has(name);

  const common: string[] = [];
  const rest: string[] = [];
  for (const specifier of specifiers) {
    for (const name of names[specifier] ?? []) {
      const origin = barrel.get(name);
      if (specifier === CLIENT && origin?.development) continue;
      const renamed = (from: string, as = name) => `export { ${as} as ${alias(specifier, name)} } from "${from}";`;
      if (!isCommon(specifier, name)) rest.push(renamed(moduleFile(specifier)));
      else if (specifier === CLIENT && origin) common.push(renamed(origin.path, origin.name));
      else common.push(renamed(moduleFile(specifier)));
    }
  }
  const entries = { common: common.join("\n"), rest: rest.join("\n") };
  const banner = `/* svelte ${toolchainOf("svelte").svelte}, MIT licence, https://svelte.dev */\n`;
  const { runtime, files } = await bundleEntries(entries, banner, [withoutBarrel(barrel)]);

  const built = { ...runtime.modules.common, ...runtime.modules.rest };
  const modules: Runtime["modules"] = {};
  for (const specifier of specifiers) {
    modules[specifier] = Object.fromEntries(
      (names[specifier] ?? []).flatMap((name) => {
        const place = built[alias(specifier, name)];
        return place ? [[name, place]] : [];
      }),
    );
  }
  return { runtime: { ...runtime, modules }, files };
}

/** The flags have no module in the public interface, only modules that set one each. */
function moduleFile(specifier: string): string {
  if (specifier !== FLAGS) return findPackageFile(specifier).path;
  return findPackageFile(`${FLAGS}/async`).path.replace("async.js", "index.js");
}

async function exportsOf(specifiers: readonly string[]): Promise<Record<string, string[]>> {
  const entries = Object.fromEntries(
    specifiers.map((specifier) => [specifier, `export * from "${moduleFile(specifier)}";`]),
  );
  const { runtime } = await bundleEntries(entries, "");
  return Object.fromEntries(Object.entries(runtime.modules).map(([name, exports]) => [name, Object.keys(exports)]));
}

interface Origin {
  path: string;
  /** In its file. */
  name: string;
  /** Only code compiled for development calls it. */
  development: boolean;
}

/** Where each export of `svelte/internal/client` comes from: that file holds nothing but `export { … } from "…"`. */
async function readBarrel(): Promise<Map<string, Origin>> {
  const { path: file } = findPackageFile(CLIENT);
  const text = (await Deno.readTextFile(file)).replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
  const origins = new Map<string, Origin>();
  for (const [, list = "", from = ""] of text.matchAll(/export\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g)) {
    const path = new URL(from, `file://${file}`).pathname;
    for (const part of list.split(",").filter((part) => part.trim())) {
      const [name = "", as = name] = part.trim().split(/\s+as\s+/);
      origins.set(as, { path, name, development: path.includes("/internal/client/dev/") });
    }
  }
  return origins;
}

/**
 * Svelte's own files import `internal/client/index.js` for a function or two, which would put every file that it names
 * into the common chunk: esbuild splits by file. They get a version with the common names alone.
 */
function withoutBarrel(barrel: Map<string, Origin>): esbuild.Plugin {
  const contents = [...barrel]
    .filter(([as]) => COMMON.has(as))
    .map(([as, { path, name }]) => `export { ${name} as ${as} } from "${path}";`)
    .join("\n");
  return {
    name: "without barrel",
    setup(build) {
      build.onResolve(
        { filter: /internal\/client\/index\.js$/ },
        ({ importer, path }) =>
          importer.includes("/svelte/") ? { path, namespace: "barrel", sideEffects: false } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "barrel" }, () => ({ contents, resolveDir: "/" }));
    },
  };
}
