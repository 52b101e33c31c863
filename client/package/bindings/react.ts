/** Hooks for React 18 and later. */
import { useMemo, useSyncExternalStore } from "react";
import type { Client, Database, ListOptions } from "../types/index.d.ts";
import { liveAction, liveRecords, liveRun } from "./live.ts";
import type { Store } from "./store.ts";

const useStore = <State extends object>({ subscribe, get }: Store<State>): State =>
  useSyncExternalStore(subscribe, get, get);

export function useRecords<Fields>(db: Database<Fields>, options: ListOptions<Fields> = {}) {
  const key = JSON.stringify(options);
  const live = useMemo(() => liveRecords<Fields>(db, JSON.parse(key)), [db, key]);
  const { create, update, remove } = live;
  return { ...useStore(live), create, update, remove };
}

export function useAction(atrium: Client, app: string, name: string) {
  const live = useMemo(() => liveAction(atrium, app, name), [atrium, app, name]);
  return { ...useStore(live), run: live.run };
}

export function useRun(atrium: Client, id: string | undefined) {
  return useStore(useMemo(() => liveRun(atrium, id), [atrium, id]));
}
