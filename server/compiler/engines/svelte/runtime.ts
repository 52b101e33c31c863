/** Builds Svelte's runtime: layers, and small editions (`runtime_names.ts` says what goes where). */
import { dirname, join } from "node:path";
import { findPackageFile } from "../../runtime/packages.ts";
import type { BuiltRuntime, Runtime } from "../../protocol.ts";
import { type BuiltLayers, bundleLayers, exportsOf } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";
import { withConstants } from "./constants.ts";
import { type Constants, EDITIONS, FLAGS, LAYERS, MODULES, type Names, SHOW } from "./runtime_names.ts";

/** Svelte's functions and classes whose calls during loading have no effects, though no comment marks them as pure. */
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
  // The functions of `OURS` call it.
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

/** The name of an export in the bundle's one entry module, where names of different modules must not collide. */
const alias = ([specifier, name]: [specifier: string, name: string]) =>
  `m${MODULES.findIndex((one) => one === specifier)}_${name}`;

/** Our functions, which are added to Svelte's or replace one. */
const OURS: Record<string, string> = {
  [`${SHOW} show`]: `(component) {
  mount(component, { target: document.getElementById("platform-app") ?? document.body });
}`,
  // Apps are not rendered on the server, so there is nothing to hydrate.
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

/** The module of the flags is not exported by the package. The public modules each set one flag. */
function fileOf(specifier: string): string {
  if (specifier !== FLAGS) return findPackageFile(specifier).path;
  return join(dirname(findPackageFile(`${FLAGS}/async`).path), "index.js");
}
