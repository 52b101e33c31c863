/**
 * Builds Vue's runtime, without its compiler: templates are compiled when an app is saved. It has two editions: one for
 * apps that use the composition API only, which is a tenth smaller than the whole, and one for small apps.
 */
import type { BuiltRuntime } from "../../protocol.ts";
import { findPackageFile } from "../../runtime/packages.ts";
import { bundleLayers, exportsOf } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";
import { LAYERS, OPTIONS_API, SMALL } from "./runtime_names.ts";

/** Vue's functions whose calls during loading have no effects, though no comment marks them as pure. */
const PURE = ["createHook", "getGlobalThis"];

export async function buildRuntime(): Promise<BuiltRuntime> {
  const file = JSON.stringify(findPackageFile("vue").path);
  // In this build of Vue `compile` is an empty function.
  const all = (await exportsOf(`export * from ${file};`)).filter((name) => name !== "compile");
  const build = (names: readonly string[], layers: readonly string[][], with_options: boolean) =>
    bundleLayers(`export { ${names} } from ${file};`, {
      layers,
      banner: `/* vue ${toolchainOf("vue").vue}, MIT licence, https://vuejs.org */\n`,
      flags: {
        __VUE_OPTIONS_API__: String(with_options),
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      pure: PURE,
    });
  const whole = await build(all, LAYERS, true);
  const composition = await build(all, LAYERS, false);
  const small = await build(SMALL, [[]], false);
  const { createApp } = whole.places;
  return {
    runtime: {
      modules: { vue: whole.places, [OPTIONS_API]: createApp ? { createApp } : {} },
      editions: [small, composition].map(({ places }) => ({ vue: places, [OPTIONS_API]: {} })),
      imports: { ...whole.imports, ...composition.imports, ...small.imports },
      scripts: [],
    },
    files: [...whole.files, ...composition.files, ...small.files],
  };
}
