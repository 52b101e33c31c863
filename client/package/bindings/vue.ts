/** Composables for Vue 3. Their arguments may be refs or getters; the results are refs. */
import { computed, type ComputedRef, type MaybeRefOrGetter, shallowRef, toValue, watch } from "vue";
import type { Client, Database, ListOptions } from "../types/index.d.ts";
import { liveAction, liveRecords, liveRun } from "./live.ts";
import type { Store } from "./store.ts";

type Refs<State> = { [Key in keyof State]: ComputedRef<State[Key]> };

/** A ref for each part of the state of the store that `make` makes of the current arguments. */
function follow<State extends object, Live extends Store<State>>(make: () => Live & Store<State>) {
  const live = computed(make);
  const state = shallowRef<State>(live.value.get());
  watch(live, (now, _before, onCleanup) => {
    const changed = () => state.value = now.get();
    changed();
    onCleanup(now.subscribe(changed));
  }, { immediate: true });
  const keys = Object.keys(state.value) as (keyof State)[];
  const refs = Object.fromEntries(keys.map((key) => [key, computed(() => state.value[key])])) as Refs<State>;
  return { live, refs };
}

export function useRecords<Fields>(
  db: MaybeRefOrGetter<Database<Fields>>,
  options: MaybeRefOrGetter<ListOptions<Fields>> = {},
) {
  const { live, refs } = follow(() => liveRecords<Fields>(toValue(db), toValue(options)));
  return {
    ...refs,
    create: (data: Partial<Fields>) => live.value.create(data),
    update: (id: string, data: Parameters<typeof live.value.update>[1]) => live.value.update(id, data),
    remove: (id: string) => live.value.remove(id),
  };
}

export function useAction(atrium: Client, app: string, name: string) {
  const { live, refs } = follow(() => liveAction(atrium, app, name));
  return { ...refs, run: live.value.run };
}

export const useRun = (atrium: Client, id: MaybeRefOrGetter<string | undefined>) =>
  follow(() => liveRun(atrium, toValue(id))).refs;
