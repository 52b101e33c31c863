/**
 * Slots: how many runs this process works on at once. A run that only waits (for the answer of a call, between two
 * attempts, or for PostgreSQL) holds no slot, so a slow API does not delay other runs.
 */
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import { CLOSING } from "./execution/interruption.ts";
import type { Limits } from "./limits.ts";
import type { RunHead } from "./model.ts";

export interface Slot {
  /** Waits for the slot. Without an effect if the run's signal is aborted: it has little left to do. */
  enter(): Promise<void>;
  leave(): void;
  /** Gives the slot back for as long as the work waits. May be nested. */
  idle<T>(work: () => Promise<T>): Promise<T>;
}

export interface Slots {
  /** @param signal of the run */
  slotOf(head: RunHead, signal: AbortSignal): Slot;
  /** Ends all waits for a slot. @throws {Interrupted} where they wait */
  drain(): void;
}

/** Limits hold for each share: the runs of an account's triggers do not delay its other runs, nor these the triggers'. */
export const shareOf = ({ account_id, trigger }: Pick<RunHead, "account_id" | "trigger">): number =>
  trigger === "cron" ? -account_id : account_id;

export function createSlots({ at_once, at_once_per_account }: Limits): Slots {
  const limiter = createFairLimiter({ total: at_once, per_account: at_once_per_account });
  return {
    slotOf(head, signal) {
      let end: (() => void) | undefined;
      let entering: Promise<void> | undefined;
      let waiting = 0;
      const acquire = async () => {
        end = await limiter.acquire(shareOf(head), signal).catch(() => {
          if (!signal.aborted) throw CLOSING;
          return undefined;
        });
      };
      const slot: Slot = {
        enter: async () => void (end ?? await (entering ??= acquire().finally(() => entering = undefined))),
        leave() {
          end?.();
          end = undefined;
        },
        // Of iterations at the same time, one that works while another one waits needs no slot: it soon waits, too.
        async idle(work) {
          waiting++;
          slot.leave();
          try {
            return await work();
          } finally {
            waiting--;
            // While the engine closes, the run stops at its next effect. What it has waited for must not be lost.
            if (waiting === 0) await slot.enter().catch(() => {});
          }
        },
      };
      return slot;
    },
    drain: limiter.drain,
  };
}
