/** One run with its steps, and one action's call: what the bindings share. */
import type { AtriumError, CallOptions, Client } from "../types/index.d.ts";
import type { ActionState, RunState } from "../types/live.d.ts";
import { createStore, type Store } from "./store.ts";

export function liveRun({ runs }: Pick<Client, "runs">, id: string | undefined): Store<RunState> {
  const shown = createStore<RunState>({ run: undefined, state: "connecting", error: undefined }, () => {
    if (id === undefined) return () => {};
    return runs.subscribe((change) => {
      if (change.kind === "run") shown.set({ run: change.run });
      else if (change.kind === "error") shown.set({ error: change.error });
    }, { id, onState: (state) => shown.set({ state }) });
  });
  return shown;
}

type Act = (app: string, name: string, input?: object, options?: CallOptions) => Promise<unknown>;

export interface LiveAction<Result> extends Store<ActionState<Result>> {
  run(input?: object, options?: CallOptions): Promise<Result>;
}

export function liveAction<Result>(atrium: { action: Act }, app: string, name: string): LiveAction<Result> {
  const shown = createStore<ActionState<Result>>({ pending: 0, data: undefined, error: undefined }, () => () => {});
  let latest = 0;
  return {
    ...shown,
    async run(input, options) {
      const number = ++latest;
      shown.set({ pending: shown.get().pending + 1 });
      try {
        const data = await atrium.action(app, name, input, options) as Result;
        if (number === latest) shown.set({ data, error: undefined });
        return data;
      } catch (error) {
        if (number === latest) shown.set({ error: error as AtriumError });
        throw error;
      } finally {
        shown.set({ pending: shown.get().pending - 1 });
      }
    },
  };
}
