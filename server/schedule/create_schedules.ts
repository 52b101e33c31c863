/** The schedule of one process: runs ticks one after the other, settles ended runs soon after their end, sweeps the ledger. */
import { unavailable } from "../errors.ts";
import { deleteExpired } from "./ledger/retention.ts";
import { receive, type Received, type TriggerEvent } from "./events/receive.ts";
import { createRecordWatch } from "./records/record_watch.ts";
import type { RecordSources } from "./records/deliver.ts";
import { fire, type Firing, noteRepeated } from "./start/fire.ts";
import type { Deps } from "./start/new_run.ts";
import { attempt, settleAll, startQueued, tick, type Ticked } from "./tick.ts";
import type { Timetable } from "./timetable/timetable.ts";
import { createTimetableCache } from "./timetable/timetable_cache.ts";

export interface Schedules {
  /** @throws {TimetableFault} */
  read(expression: string, timezone: string): Timetable;
  /**
   * Starts a trigger's flow now, whether or not the trigger is active or has a running run, and writes it to the ledger.
   *
   * @throws {Refusal} 422 on `flow_code` if there is no active flow with that code; 503 if too many runs wait. The ledger
   * then has the row as skipped
   */
  fire(firing: Firing): Promise<{ id: string }>;
  /**
   * An event of a trigger: starts its flow as its overlap rule says.
   *
   * @throws {Refusal} 503 if the trigger is not active, or if too many events wait
   */
  receive(event: TriggerEvent): Promise<Received>;
  /** A run of the trigger is repeated: the trigger's next due times see it as a run that has not ended. */
  noteRepeated(trigger: Pick<Firing, "account_id" | "cron_id">, run_id: string): Promise<void>;
  /** A run of the trigger has ended. It is settled within a second or two. */
  noteEnd(cron_id: number): void;
  /** Starts what is due. Ticks of one process do not overlap: a call during a tick starts one more tick after it. */
  tick(): Promise<Ticked>;
  /** Deletes expired ledger rows. Called once a minute. */
  sweep(): Promise<void>;
  /** Ends a tick early. Other processes do the rest. */
  close(): Promise<void>;
}

/** Debounce: runs often end together and are settled together. Waiting for the next tick would show a stale health. */
const SETTLE_AFTER_MS = 1_000;
const SETTLE_BATCH = 1_000;

const SWEEP_BATCH = 1_000;

const OFF = "Triggers start no flows on a preview timeline: PREVIEW_EFFECTS=1 allows it";
/** A sweep of a minute ends after this time; the next one continues. */
const MAX_SWEEP_MS = 10_000;

/**
 * @param sources undefined: no trigger reads records
 * @param is_on false: nothing starts a flow but `fire`
 */
export function createSchedules(deps: Deps, sources?: RecordSources, is_on = true): Schedules {
  const { sql } = deps;
  const records = is_on && sources ? createRecordWatch(deps, sources) : undefined;
  const read = createTimetableCache();
  let closing = false;
  const isClosing = () => closing;
  const ticks = oneAtATime(async () => {
    if (!is_on) return { claimed: 0, started: 0, settled: await settleAll(deps, isClosing) };
    const ticked = await tick(deps, read, isClosing);
    if (!closing) await attempt(deps, "looking at changes of records", async () => await records?.lookAtAll());
    return ticked;
  });

  const ended = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settling: Promise<unknown> | undefined;

  async function settleEnded(): Promise<void> {
    while (ended.size > 0 && !closing) {
      const cron_ids = [...ended].slice(0, SETTLE_BATCH);
      for (const id of cron_ids) ended.delete(id);
      await attempt(deps, "settling", () => settleAll(deps, isClosing, cron_ids));
      if (is_on) await attempt(deps, "starting queued runs", () => startQueued(deps, isClosing, cron_ids));
    }
    timer = undefined;
  }

  return {
    read,
    receive: (event) => is_on ? receive(deps, event) : Promise.reject(unavailable(OFF)),
    fire: (firing) => fire(deps, firing),
    noteRepeated: (trigger, run_id) => noteRepeated(deps, trigger, run_id),
    noteEnd(cron_id) {
      ended.add(cron_id);
      records?.wake([cron_id]);
      if (!closing) timer ??= setTimeout(() => void (settling = settleEnded()), SETTLE_AFTER_MS);
    },
    tick: ticks.run,
    async sweep() {
      const end = performance.now() + MAX_SWEEP_MS;
      while (performance.now() < end && !closing && await deleteExpired(sql, SWEEP_BATCH) === SWEEP_BATCH);
    },
    async close() {
      closing = true;
      clearTimeout(timer);
      await Promise.allSettled([...ticks.pending(), settling, records?.close()]);
    },
  };
}

/** Calls during a run share one more run after it, because the present run may miss what has become due since its start. */
function oneAtATime<Result>(work: () => Promise<Result>) {
  let current: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () =>
    current = work().finally(() => {
      current = undefined;
    });
  return {
    run(): Promise<Result> {
      if (!current) return begin();
      return next ??= current.catch(() => {}).then(() => {
        next = undefined;
        return begin();
      });
    },
    pending: () => [current, next],
  };
}
