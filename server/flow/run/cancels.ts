/**
 * Finds cancels that peers have requested for runs of this process. Deno KV notifies no other process, so this one polls
 * for them.
 */
import { faultOf, type Log } from "../../log.ts";
import type { CancelStore } from "../storage/cancel_store.ts";

const POLL_MS = 1_000;
/**
 * The result of a look for a cancel is used for this time. A run that was stored within it needs no look, because no
 * cancel can precede it. A peer that cancels a run waits for this time before it answers, so no effect begins after that
 * answer.
 */
export const CANCEL_SEEN_MS = 100;

/**
 * A look for a cancel before each effect of a run, which reads again only what may have changed.
 *
 * @param made_at when a new run was about to be stored; undefined for a run that was claimed
 */
export function createLook(
  isRequested: () => Promise<boolean>,
  made_at = -Infinity,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  let none_before = made_at;
  return async () => {
    const began = now();
    if (began - none_before < CANCEL_SEEN_MS) return false;
    if (await isRequested()) return true;
    none_before = began;
    return false;
  };
}

interface Deps {
  store: Pick<CancelStore, "filter">;
  log: Log;
  /** The runs that this process executes. */
  running(): string[];
  /** Aborts a run. */
  cancel(id: string): void;
}

export interface Cancels {
  /** Starts polling, if it has not started yet. */
  watch(): void;
  end(): void;
}

export function createCancels({ store, log, running, cancel }: Deps): Cancels {
  let timer: ReturnType<typeof setInterval> | undefined;
  let polling = false;
  /** Most runs end within one interval, so only runs of the previous poll are looked up. */
  let previous = new Set<string>();

  async function poll(): Promise<void> {
    const ids = running();
    const long = ids.filter((id) => previous.has(id));
    previous = new Set(ids);
    for (const id of await store.filter(long)) cancel(id);
  }

  return {
    watch() {
      timer ??= setInterval(() => {
        if (polling) return;
        polling = true;
        poll().catch((error) => log.warn("cancels were not looked for", faultOf(error))).finally(() => polling = false);
      }, POLL_MS);
    },
    end: () => clearInterval(timer),
  };
}
