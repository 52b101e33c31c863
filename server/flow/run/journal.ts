/** What the steps of a run have done, in order: in memory, and in Deno KV as far as it has been kept. */
import type { Journal } from "./execute.ts";
import { CANCELLED } from "./interruption.ts";
import { hasEffect, type StepRecord } from "./run.ts";

export interface KeptJournal extends Journal {
  readonly entries: readonly StepRecord[];
  /** As they stand now: the last one may still go on. */
  seen(): StepRecord[];
  /** How many entries stand in Deno KV. */
  kept(): number;
}

interface Parts {
  /** What a process before this one has kept of the same run. */
  kept: readonly StepRecord[];
  /** The journal of the run that this one repeats. */
  before: readonly StepRecord[];
  /** The step where that one is taken up again; undefined begins at the start. */
  from_step: string | undefined;
  isCancelled(): Promise<boolean>;
  /** That this process still has the run. @throws {Interrupted} */
  proveOwned(): Promise<void>;
  /** @param first the place of the first in the journal */
  keep(entries: readonly StepRecord[], first: number): Promise<void>;
}

export function createJournal({ kept, before, from_step, isCancelled, proveOwned, keep }: Parts): KeptJournal {
  const entries: StepRecord[] = [];
  const until = from_step === undefined ? 0 : before.findIndex(({ place }) => place === from_step);
  const done = new Map(
    [...before.slice(0, Math.max(0, until)), ...kept].filter(({ type, status }) =>
      hasEffect(type) && status !== "running"
    ).map((entry) => [entry.place, entry]),
  );
  // The same steps come to the same entries: those kept need not be written again.
  let kept_count = kept.length;
  let going_on: StepRecord | undefined;
  return {
    entries,
    seen: () => going_on ? [...entries, going_on] : [...entries],
    begin: (record) => going_on = record,
    kept: () => Math.max(kept.length, kept_count),
    find: (place) => done.get(place),
    append(entry) {
      // It goes another way than before: a user was renamed, or the run that it repeats is forgotten.
      if (entries.length < kept_count && kept[entries.length]?.place !== entry.place) kept_count = entries.length;
      if (entry === going_on) going_on = undefined;
      entries.push(entry);
    },
    async keep() {
      if (entries.length <= kept_count) return;
      const count = entries.length;
      await keep(entries.slice(kept_count), kept_count);
      kept_count = count;
    },
    async proveWanted() {
      if (await isCancelled()) throw CANCELLED;
      await proveOwned();
    },
  };
}
