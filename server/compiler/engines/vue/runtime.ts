/**
 * Vue's runtime without its compiler: templates are compiled when an app is saved. Most apps are written with the
 * composition API alone, and have an edition without the other one, a tenth less; small ones have one of their own.
 */
import { findPackageFile } from "../../runtime/packages.ts";
import type { BuiltRuntime } from "../../protocol.ts";
import { bundleLayers, exportsOf } from "../../runtime/runtime.ts";
import { toolchainOf } from "../../toolchain.ts";

/** The module whose `createApp` also takes components with options; authors are not told of it. */
export const OPTIONS_API = "vue/internal/options";

const SMALL = `createApp openBlock createElementBlock createElementVNode createTextVNode createCommentVNode createVNode
  createBlock createStaticVNode Fragment renderList toDisplayString normalizeClass normalizeStyle normalizeProps
  guardReactiveProps mergeProps withCtx setBlockTracking withDirectives withModifiers withKeys withAsyncContext
  vModelText vShow ref reactive computed readonly shallowRef unref isRef toValue nextTick onMounted onUnmounted
  onBeforeMount onBeforeUnmount onUpdated provide inject h`;

/** What nearly every app uses or weighs next to nothing beside that, what some use, and all else. */
const LAYERS = [
  `${SMALL} watch watchEffect vModelCheckbox vModelSelect toRef toRefs useTemplateRef defineComponent resolveComponent
  resolveDynamicComponent`,
  `Transition TransitionGroup vModelRadio vModelDynamic useModel useCssVars useCssModule useId useSlots useAttrs
  mergeModels mergeDefaults createSlots renderSlot toHandlers toHandlerKey withMemo shallowReactive toRaw markRaw`,
  "KeepAlive Teleport Suspense customRef triggerRef effectScope watchPostEffect",
  "",
].map((names) => names.split(/\s+/).filter(Boolean));

/** Calls while the module loads, which have no effects, but say so nowhere. */
const PURE = ["createHook", "getGlobalThis"];

export async function buildRuntime(): Promise<BuiltRuntime> {
  const file = JSON.stringify(findPackageFile("vue").path);
  // An empty function here.
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
  const small = await build(SMALL.split(/\s+/), [[]], false);
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
