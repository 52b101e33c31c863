/**
 * Svelte's runtime in layers: most apps load the first (14 KB with brotli), few more than two. Two small editions of their
 * own (8 and 9 KB) are for what shows text and for what counts. All layers together have 36 KB.
 */
import type * as esbuild from "esbuild";
import { dirname, join } from "node:path";
import { findPackageFile } from "../../runtime/packages.ts";
import type { BuiltRuntime, Runtime } from "../../protocol.ts";
import { type BuiltLayers, bundleLayers, exportsOf } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";

const CLIENT = "svelte/internal/client";
const FLAGS = "svelte/internal/flags";

/** What shows an app; authors are not told of it. */
export const SHOW = "svelte/internal/show";

/** Everything that an app, or what the compiler makes of it, may import; types have no module. */
const MODULES = [
  "svelte",
  SHOW,
  CLIENT,
  FLAGS,
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

/** Names of some modules: a list each, or all that there are. */
type Names = Partial<Record<typeof MODULES[number], string | true>>;

const COUNTER = `from_html append next first_child sibling child only_child reset state get set update proxy derived
  set_text template_effect delegated delegate push pop untrack`;

/** By what their apps need; what none names is in the last. */
const LAYERS: Names[] = [
  {
    svelte: "mount tick untrack onMount",
    [SHOW]: true,
    [FLAGS]: true,
    [CLIENT]: `${COUNTER} text comment each index if bind_value bind_checked bind_this set_class set_style clsx
      set_attribute set_value remove_input_defaults event prop user_effect user_pre_effect update_pre fallback from_svg`,
  },
  {
    svelte: `unmount hydrate flushSync settled fork onDestroy getContext setContext hasContext getAllContexts
      createContext createRawSnippet getAbortSignal`,
    [CLIENT]: `key html snippet component head action attach attribute_effect spread_props rest_props snapshot
      bind_group bind_select_value init_select select_option set_checked to_array autofocus remove_textarea_child
      await async run save unsave wait run_after_blockers async_derived boundary pending eager effect_root
      deferred_template_effect`,
  },
  {
    svelte: "beforeUpdate afterUpdate createEventDispatcher",
    [CLIENT]: `init derived_safe_equal mutable_source mutate invalidate_inner_signals legacy_pre_effect
      legacy_pre_effect_reset legacy_rest_props deep_read_state setup_stores store_get store_set store_mutate
      update_store update_pre_store update_prop slot bubble_event`,
    "svelte/store": true,
  },
  {
    [CLIENT]: "transition animation",
    "svelte/transition": "fade fly slide scale blur",
    "svelte/animate": true,
    "svelte/easing": "linear cubicIn cubicOut cubicInOut quintOut backOut elasticOut",
  },
  {
    "svelte/transition": true,
    "svelte/easing": true,
    "svelte/motion": "Tween Spring",
  },
  {},
];

/** Values of Svelte's own flags that do not change in an edition. */
type Constants = Partial<Record<"async_mode_flag" | "legacy_mode_flag", boolean>>;

/** Each a file of its own, for apps that need no other name. */
const EDITIONS: { names: Names; constants: Constants }[] = [
  {
    // Without runes nothing tells which mode it is, and the compiler takes the older one.
    names: { [SHOW]: true, [FLAGS]: "enable_legacy_mode_flag", [CLIENT]: "from_html append next" },
    constants: { async_mode_flag: false, legacy_mode_flag: true },
  },
  {
    names: { [SHOW]: true, [CLIENT]: COUNTER },
    constants: { async_mode_flag: false, legacy_mode_flag: false },
  },
];

/** Their calls while the module loads have no effects, but say so nowhere. */
const PURE = ["ReactiveValue"];

export async function buildRuntime(): Promise<BuiltRuntime> {
  const exported = new Map(
    await Promise.all(MODULES.map(async (specifier) => {
      const names = specifier === SHOW ? ["show"] : await exportsOf(`export * from "${fileOf(specifier)}";`);
      return [specifier, names] as const;
    })),
  );
  const everything = Object.fromEntries(MODULES.map((specifier) => [specifier, true as const]));
  const listed = (names: Names): [specifier: string, name: string][] =>
    MODULES.flatMap((specifier) => {
      const wanted = names[specifier];
      const list = wanted === true ? exported.get(specifier) : wanted?.split(/\s+/);
      return list?.map((name): [string, string] => [specifier, name]) ?? [];
    });
  // For functions of ours.
  const mount_import = `import { mount } from "${fileOf("svelte")}";`;
  const banner = `/* svelte ${toolchainOf("svelte").svelte}, MIT licence, https://svelte.dev */\n`;
  const bundle = (names: Names, layers: Names[], constants: Constants) =>
    bundleLayers([mount_import, ...listed(names).map(exportLine)].join("\n"), {
      layers: layers.map((names) => listed(names).map(alias)),
      banner,
      redirect: [withConstants(constants)],
      pure: PURE,
      pruned: layers.length > 1,
    });
  const modulesOf = ({ places }: BuiltLayers): Runtime["modules"] =>
    Object.fromEntries([...exported].map(([specifier, names]) => [
      specifier,
      Object.fromEntries(names.flatMap((name) => {
        const place = places[alias([specifier, name])];
        return place ? [[name, place]] : [];
      })),
    ]));
  const whole = await bundle(everything, LAYERS, {});
  const editions = await Array.fromAsync(EDITIONS, ({ names, constants }) => bundle(names, [{}], constants));
  const all = [whole, ...editions];
  return {
    runtime: {
      modules: modulesOf(whole),
      editions: editions.map(modulesOf),
      imports: Object.assign({}, ...all.map(({ imports }) => imports)),
      scripts: [],
    },
    files: all.flatMap(({ files }) => files),
  };
}

/** One name in one module for all that any module exports. */
const alias = ([specifier, name]: [specifier: string, name: string]) =>
  `m${MODULES.findIndex((one) => one === specifier)}_${name}`;

/** Functions of ours beside Svelte's own, or in the place of one. */
const OURS: Record<string, string> = {
  [`${SHOW} show`]: `(component) {
  mount(component, { target: document.getElementById("platform-app") ?? document.body });
}`,
  // No server has rendered what it could take over; then it mounts.
  "svelte hydrate": `(component, options) {
  options.target.textContent = "";
  return mount(component, options);
}`,
};

function exportLine(one: [specifier: string, name: string]): string {
  const [specifier, name] = one;
  const ours = OURS[one.join(" ")];
  return ours
    ? `export function ${alias(one)}${ours}`
    : `export { ${name} as ${alias(one)} } from "${fileOf(specifier)}";`;
}

/** The flags have no module in the public interface, only modules that set one each. */
function fileOf(specifier: string): string {
  if (specifier !== FLAGS) return findPackageFile(specifier).path;
  return join(dirname(findPackageFile(`${FLAGS}/async`).path), "index.js");
}

/** Makes constants of what could be otherwise in another place, so that code for that is left out. */
function withConstants(flags: Constants): esbuild.Plugin {
  const files: Record<string, Record<string, boolean>> = {
    "dom/hydration.js": { hydrating: false },
    "flags/index.js": { tracing_mode_flag: false, ...flags },
  };
  return {
    name: "constants",
    setup(build) {
      build.onResolve({ filter: /^esm-env$/ }, ({ path }) => ({ path, namespace: "constants", sideEffects: false }));
      build.onLoad({ filter: /.*/, namespace: "constants" }, () => ({
        contents: "export const DEV = false, BROWSER = true, NODE = false;",
      }));
      for (const [file, constants] of Object.entries(files)) {
        build.onLoad({ filter: new RegExp(`/svelte/.*/${file}$`) }, async ({ path }) => ({
          contents: Object.entries(constants).reduce(fix, await Deno.readTextFile(path)),
        }));
      }
      // Only `fork` makes one, which works in async mode.
      if (flags.async_mode_flag !== false) return;
      build.onLoad({ filter: /\/svelte\/.*\/internal\/client\// }, async ({ path }) => ({
        contents: (await Deno.readTextFile(path)).replace(/\b\w+\??\.is_fork\b(?! =)/g, "false"),
      }));
    },
  };
}

/** @throws {Error} where this version of Svelte declares it in another way */
function fix(text: string, [name, value]: [name: string, value: boolean]): string {
  const declaration = `export let ${name} = false`;
  if (!text.includes(declaration)) throw new Error(`svelte declares ${name} in another way`);
  return text.replace(declaration, `export const ${name} = ${value}`)
    .replace(new RegExp(`^\\s*${name} = .*$`, "gm"), "");
}
