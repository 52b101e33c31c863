/** The journal of a run: the steps it has executed, in memory and, as far as it was kept, in Deno KV. */
import { hasEffect } from "../../steps/registry.ts";
import { CANCELLED } from "./interruption.ts";
import type { StepRecord } from "../model.ts";

/** The journal as an execution uses it. */
export interface Journal {
  /** The entry of an effect that was completed at this place, by this run or by the run that it repeats. */
  find(place: string): StepRecord | undefined;
  /** A step is in progress: `seen` shows it. It is appended when it has ended. */
  begin(entry: StepRecord): void;
  append(entry: StepRecord): void;
  /** Stores the entries that were appended since, and proves that this process owns the run. @throws {Interrupted} */
  keep(): Promise<void>;
  /** Proves that the run is not cancelled and that this process owns it. @throws {RunFault | Interrupted} */
  proveWanted(): Promise<void>;
}

export interface KeptJournal extends Journal {
  readonly entries: readonly StepRecord[];
  /** A snapshot of the entries and of the step in progress. */
  seen(): StepRecord[];
  /** How many entries are in Deno KV. */
  kept(): number;
}

interface Parts {
  /** The entries that previous owners of the run have kept. */
  kept: readonly StepRecord[];
  /** The journal of the run that this one repeats. */
  before: readonly StepRecord[];
  /** The first step of that run to be executed again; undefined executes all of them. */
  from_step: string | undefined;
  isCancelled(): Promise<boolean>;
  /** @throws {Interrupted} if this process no longer owns the run */
  proveOwned(): Promise<void>;
  /** @param first the index of the first entry in the journal */
  keep(entries: readonly StepRecord[], first: number): Promise<void>;
}

export function createJournal({ kept, before, from_step, isCancelled, proveOwned, keep }: Parts): KeptJournal {
  const entries: StepRecord[] = [];
  const until = from_step === undefined ? 0 : before.findIndex(({ place }) => place === from_step);
  const completed = new Map(
    [...before.slice(0, Math.max(0, until)), ...kept].filter(({ type, status }) =>
      hasEffect(type) && status !== "running"
    ).map((entry) => [entry.place, entry]),
  );
  // A replay appends the same entries, which need not be stored again.
  let kept_count = kept.length;
  let in_progress: StepRecord | undefined;
  return {
    entries,
    seen: () => in_progress ? [...entries, in_progress] : [...entries],
    begin: (entry) => in_progress = entry,
    kept: () => Math.max(kept.length, kept_count),
    find: (place) => completed.get(place),
    append(entry) {
      // The replay takes another path than before, because a user was renamed or the repeated run was deleted.
      if (entries.length < kept_count && kept[entries.length]?.place !== entry.place) kept_count = entries.length;
      if (entry === in_progress) in_progress = undefined;
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
