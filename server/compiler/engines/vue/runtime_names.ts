/** Which exports of Vue go into which file of its runtime. */

/** Our module whose `createApp` also accepts components of the options API. Messages to authors do not mention it. */
export const OPTIONS_API = "vue/internal/options";

const SMALL_TEXT =
  `createApp openBlock createElementBlock createElementVNode createTextVNode createCommentVNode createVNode
  createBlock createStaticVNode Fragment renderList toDisplayString normalizeClass normalizeStyle normalizeProps
  guardReactiveProps mergeProps withCtx setBlockTracking withDirectives withModifiers withKeys withAsyncContext
  vModelText vShow ref reactive computed readonly shallowRef unref isRef toValue nextTick onMounted onUnmounted
  onBeforeMount onBeforeUnmount onUpdated provide inject h`;

const namesIn = (text: string) => text.split(/\s+/).filter(Boolean);

/** The small edition: enough for small apps. */
export const SMALL = namesIn(SMALL_TEXT);

/** First what nearly every app uses or adds almost nothing to that, then what some use. The last has all other names. */
export const LAYERS = [
  `${SMALL_TEXT} watch watchEffect vModelCheckbox vModelSelect toRef toRefs useTemplateRef defineComponent
  resolveComponent resolveDynamicComponent`,
  `Transition TransitionGroup vModelRadio vModelDynamic useModel useCssVars useCssModule useId useSlots useAttrs
  mergeModels mergeDefaults createSlots renderSlot toHandlers toHandlerKey withMemo shallowReactive toRaw markRaw`,
  "KeepAlive Teleport Suspense customRef triggerRef effectScope watchPostEffect",
  "",
].map(namesIn);
