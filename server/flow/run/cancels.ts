/** Cancels that other processes have noted. Deno KV tells nothing from one process to another, so this one asks. */
import { faultOf, type Log } from "../../log.ts";
import type { RunStore } from "../storage/run_store.ts";

const LOOK_MS = 1_000;

interface Deps {
  store: Pick<RunStore, "listCancelled">;
  log: Log;
  /** Runs that are executed here. */
  running(): string[];
  /** Ends one. */
  cut(id: string): void;
}

export interface Cancels {
  /** From the first run on. */
  watch(): void;
  end(): void;
}

export function createCancels({ store, log, running, cut }: Deps): Cancels {
  let timer: ReturnType<typeof setInterval> | undefined;
  let looking = false;
  /** Most runs have ended before they are asked for once. */
  let seen = new Set<string>();

  async function look(): Promise<void> {
    const ids = running();
    const long = ids.filter((id) => seen.has(id));
    seen = new Set(ids);
    for (const id of await store.listCancelled(long)) cut(id);
  }

  return {
    watch() {
      timer ??= setInterval(() => {
        if (looking) return;
        looking = true;
        look().catch((error) => log.warn("cancels were not looked for", faultOf(error))).finally(() => looking = false);
      }, LOOK_MS);
    },
    end: () => clearInterval(timer),
  };
}
