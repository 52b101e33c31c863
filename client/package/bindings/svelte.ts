/** For Svelte 5: objects whose members are reactive wherever components and runes read them. */
import { createSubscriber } from "svelte/reactivity";
import type { Client, Database, ListOptions } from "../types/index.d.ts";
import { liveAction, liveRecords, liveRun } from "./live.ts";
import type { Store } from "./store.ts";

/** Adds a getter for each part of the store's state. */
function reactive<State extends object, Methods extends object>(live: Store<State>, methods: Methods): State & Methods {
  const track = createSubscriber((update) => live.subscribe(update));
  for (const key of Object.keys(live.get()) as (keyof State)[]) {
    Object.defineProperty(methods, key, { get: () => (track(), live.get()[key]), enumerable: true });
  }
  return methods as State & Methods;
}

export function useRecords<Fields>(db: Database<Fields>, options: ListOptions<Fields> = {}) {
  const live = liveRecords(db, options);
  return reactive(live, { create: live.create, update: live.update, remove: live.remove });
}

export function useAction(atrium: Client, app: string, name: string) {
  const live = liveAction(atrium, app, name);
  return reactive(live, { run: live.run });
}

export const useRun = (atrium: Client, id: string | undefined) => reactive(liveRun(atrium, id), {});
