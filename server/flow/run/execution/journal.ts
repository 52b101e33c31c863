/** The journal of a run: the steps it has executed, in memory and, as far as it was kept, in Deno KV. */
import type { JsonObject } from "../../../input/json_value.ts";
import { hasEffect } from "../../steps/registry.ts";
import type { Hiding } from "../../secret/hiding.ts";
import { asStored } from "../../storage/storable.ts";
import { equal } from "../../template/compare.ts";
import { CANCELLED } from "./interruption.ts";
import type { Repetition, StepRecord } from "../model.ts";
import { reusable } from "./reuse.ts";

/** The journal as an execution uses it. */
export interface Journal {
  /** The entry of an effect that this run has completed at this place, in this process or in a previous owner. */
  find(place: string): StepRecord | undefined;
  /** The entry of a step at which the run waited. */
  findWaiting(place: string): StepRecord | undefined;
  /** The entry of a step that waited and was abandoned, in this process or in a previous owner. */
  findAbandoned(place: string): StepRecord | undefined;
  /**
   * The entry of an effect that the repeated run has completed at this place with the same input. The program, the items
   * of a loop or earlier answers may be others than then.
   */
  findRepeated(place: string, input: JsonObject): StepRecord | undefined;
  /** A step is in progress: `seen` shows it. It is appended when it has ended. */
  begin(entry: StepRecord): void;
  append(entry: StepRecord): void;
  /**
   * Lists the entry of a step that the end of the run has interrupted. It is never kept: if this process stops before the
   * outcome is recorded, a takeover would replay the entry as a failure of the step.
   */
  appendInterrupted(entry: StepRecord): void;
  /**
   * Cancels steps that have not ended, of an iteration whose loop is decided without it.
   *
   * @param prefix of their places
   * @param at milliseconds since 1970
   * @returns those that waited
   */
  abandon(prefix: string, at: number): StepRecord[];
  /** Stores the entries that were appended since, and proves that this process owns the run. @throws {Interrupted} */
  keep(): Promise<void>;
  /** Proves that the run is not cancelled and that this process owns it. @throws {RunFault | Interrupted} */
  proveWanted(): Promise<void>;
  /** The same journal for an iteration beside others: its entries are listed together, here. */
  fork(): Journal;
}

export interface KeptJournal extends Journal {
  /** Those of forks stand where the fork was made, in whichever order they were appended. */
  readonly entries: readonly StepRecord[];
  /**
   * A snapshot of the entries and of the steps in progress, without secrets. During a replay it has the known entries
   * that are not replayed yet, too: a run that goes on after a wait does not seem to begin again.
   */
  seen(): Promise<StepRecord[]>;
  /** The entries without secrets, as they are stored. */
  shown(): Promise<StepRecord[]>;
  /** Stores the head alone. @throws {Interrupted} */
  mark(): Promise<void>;
  /** How many entries are in Deno KV. */
  kept(): number;
}

interface Parts {
  /** The journal up to the last wait of the run. */
  earlier?: readonly StepRecord[] | undefined;
  /** The entries that previous owners of the run have kept since. */
  kept: readonly StepRecord[];
  /** The journal of the run that this one repeats. */
  before: readonly StepRecord[];
  /** Which outputs of that run are reused; null reuses none. */
  repetition: Repetition | null;
  /** Of a run with secrets. */
  hiding?: Hiding | undefined;
  isCancelled(): Promise<boolean>;
  /** @throws {Interrupted} if this process no longer owns the run */
  proveOwned(): Promise<void>;
  /** @param first the index of the first entry in the journal */
  keep(entries: readonly StepRecord[], first: number): Promise<void>;
}

export function createJournal(
  { earlier = [], kept, before, repetition, hiding, isCancelled, proveOwned, keep }: Parts,
): KeptJournal {
  const list: List = [];
  const known = [...earlier, ...kept];
  const completed = effectsByPlace(known);
  const waiting = byPlace(known.filter(isWaiting));
  const abandoned = byPlace(known.filter(isAbandoned));
  const repeated = effectsByPlace(reusable(before, repetition));
  // A replay appends the same entries, which need not be stored again.
  const stored = byPlace(known.filter((entry) => !isWaiting(entry)));
  const known_places = byPlace(known);
  /** Until the first entry that no earlier execution has made. */
  let is_replaying = known.length > 0;
  let kept_count = kept.length;
  let unkept: StepRecord[] = [];
  let keeping = Promise.resolve();
  const in_progress = new Set<StepRecord>();

  /** The order in Deno KV is that of the ends of steps: a takeover looks entries up by their place. */
  const keepAll = async () => {
    const entries = unkept;
    if (entries.length === 0) return;
    unkept = [];
    try {
      await keep(hiding ? await hiding.records(entries) : entries, kept_count);
      kept_count += entries.length;
    } catch (error) {
      unkept = [...entries, ...unkept];
      throw error;
    }
  };

  const common = {
    find: (place: string) => completed.get(place),
    findWaiting: (place: string) => waiting.get(place),
    findAbandoned: (place: string) => abandoned.get(place),
    findRepeated(place: string, input: JsonObject) {
      const entry = repeated.get(place);
      return entry && equal(entry.input, asStored(input)) ? entry : undefined;
    },
    begin: (entry: StepRecord) => void in_progress.add(entry),
    abandon(prefix: string, at: number) {
      const open = flat(list).filter(({ place, status }) =>
        place.startsWith(prefix) && (status === "waiting" || status === "running")
      );
      const left = open.filter(isWaiting);
      for (const entry of open) {
        const ms = Math.max(0, at - Date.parse(entry.started_at));
        Object.assign(entry, { status: "cancelled", error: CANCELLED.message, ms });
        // It may have been stored while it waited.
        if (!unkept.includes(entry)) unkept.push(entry);
      }
      return left;
    },
    // One at a time: each write of the head checks the one before it.
    keep: () => keeping = keeping.catch(() => {}).then(keepAll),
    async proveWanted() {
      if (await isCancelled()) throw CANCELLED;
      await proveOwned();
    },
  };

  const journalOn = (list: List): Journal => ({
    ...common,
    append(entry) {
      in_progress.delete(entry);
      list.push(entry);
      if (!known_places.has(entry.place)) is_replaying = false;
      if (!stored.has(entry.place)) unkept.push(entry);
    },
    appendInterrupted(entry) {
      in_progress.delete(entry);
      list.push(entry);
    },
    fork() {
      const own: List = [];
      list.push(own);
      return journalOn(own);
    },
  });

  return {
    ...journalOn(list),
    get entries() {
      return flat(list);
    },
    seen: async () => {
      const listed = flat(list);
      const places = new Set(is_replaying ? [...listed, ...in_progress].map(({ place }) => place) : []);
      const ahead = is_replaying ? known.filter(({ place }) => !places.has(place)) : [];
      const seen = [...listed, ...ahead, ...in_progress];
      return hiding ? await hiding.records(seen) : seen;
    },
    shown: async () => hiding ? await hiding.records(flat(list)) : flat(list),
    kept: () => kept_count,
    mark: () => keep([], 0),
  };
}

/** Entries, and the lists of forks. */
type List = (StepRecord | List)[];

const flat = (list: List): StepRecord[] => list.flatMap((part) => Array.isArray(part) ? flat(part) : part);

const isWaiting = ({ status }: StepRecord) => status === "waiting";

/** A run that goes on has no other cancelled steps. */
const isAbandoned = ({ status, type }: StepRecord) => status === "cancelled" && hasEffect(type);

const hasEnded = ({ status }: StepRecord) => status === "finished" || status === "error" || status === "skipped";

/** For runs that begin, which have no earlier entries: an empty Map costs as much as one with a few. */
const NONE: ReadonlyMap<string, StepRecord> = new Map();

const byPlace = (entries: readonly StepRecord[]): ReadonlyMap<string, StepRecord> =>
  entries.length === 0 ? NONE : new Map(entries.map((entry) => [entry.place, entry]));

const effectsByPlace = (entries: readonly StepRecord[]) =>
  byPlace(entries.filter((entry) => hasEffect(entry.type) && hasEnded(entry) && !entry.truncated));
