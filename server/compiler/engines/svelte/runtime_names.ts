/**
 * Which exports of Svelte go into which file of its runtime. Most apps load the first layer (14 KB with brotli), few
 * more than two; all layers together have 36 KB. Two small editions (8 and 9 KB) serve static text and simple counters.
 */

export const CLIENT = "svelte/internal/client";
export const FLAGS = "svelte/internal/flags";

/** Our module that mounts an app. Messages to authors do not mention it. */
export const SHOW = "svelte/internal/show";

/** Every module that an app, or the compiler's output for it, may import. `svelte/action` and others have only types. */
export const MODULES = [
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

/** Module → its names, separated by white space; `true`: all of them. */
export type Names = Partial<Record<typeof MODULES[number], string | true>>;

const COUNTER = `from_html append next first_child sibling child only_child reset state get set update proxy derived
  set_text template_effect delegated delegate push pop untrack`;

/** Grouped by the kind of app that needs them. Names that no layer lists go into the last. */
export const LAYERS: Names[] = [
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

/** Flags of Svelte's runtime that an edition fixes to one value. */
export type Constants = Partial<Record<"async_mode_flag" | "legacy_mode_flag", boolean>>;

/** Each edition is one file, for apps that import no other name. */
export const EDITIONS: { names: Names; constants: Constants }[] = [
  {
    // The compiler takes components without runes for legacy mode.
    names: { [SHOW]: true, [FLAGS]: "enable_legacy_mode_flag", [CLIENT]: "from_html append next" },
    constants: { async_mode_flag: false, legacy_mode_flag: true },
  },
  {
    names: { [SHOW]: true, [CLIENT]: COUNTER },
    constants: { async_mode_flag: false, legacy_mode_flag: false },
  },
];
