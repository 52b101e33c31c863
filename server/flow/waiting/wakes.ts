/**
 * Wakes waiting runs that are due: moves them back to Deno KV as runs of this process. The sweep does so once a minute.
 * For runs that are due before the next sweep, a timer does so earlier.
 */
import type { Pool, Sql } from "../../database/pool.ts";
import { faultOf, type Log } from "../../log.ts";
import type { Heartbeat } from "../lease/heartbeat.ts";
import type { RunHead } from "../run/model.ts";
import type { Kept, RunStore } from "../storage/run_store.ts";
import { checkWaiting, lockDue, nextDue, noteAwake, noteReady } from "./wait_store.ts";

/** Runs in one transaction. */
const AT_ONCE = 100;
/** Runs that are due later are left to a later sweep. */
const TIMER_MS = 60_000;
/** Before runs that are due and could not be woken are tried again. */
const AGAIN_MS = 1_000;

interface Deps {
  sql: Pool;
  store: RunStore;
  heartbeat: Heartbeat;
  clock: { now(): Date };
  log: Log;
  /** Whether this process can queue another run. */
  hasRoom(): boolean;
  /** Continues a run. */
  resume(kept: Kept): void;
}

export interface Wakes {
  /** Wakes every run that is due. */
  wakeDue(): Promise<void>;
  /** Wakes a run if what it awaits, an approval or a run, has ended. */
  wakeReady(run_id: string): Promise<void>;
  /** A run will be due. @param at milliseconds since 1970 */
  soon(at: number): void;
  /** Whether the run is being woken: its head may be stored already, while its job does not exist yet. */
  isWaking(id: string): boolean;
  /** Resolves when no run is being woken. No further one is. */
  end(): Promise<void>;
}

export function createWakes({ sql, store, heartbeat, clock, log, hasRoom, resume }: Deps): Wakes {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timer_at = Infinity;
  let ended = false;
  let waking: Promise<void> | undefined;
  let again = false;
  const moving = new Set<string>();

  /** @returns the run in this process; or that it is in progress already, or must be left as it is for now */
  async function wake({ head }: { head: RunHead }, attempts: number): Promise<Kept | "in progress" | "left"> {
    const found = await store.find(head.account_id, head.id);
    if (found && found.head.attempts > attempts) {
      // A takeover has claimed what the suspending process left behind, and is about to find that the run waits. If it
      // found the run awake, it would execute it from there.
      if (found.head.woken_at === head.woken_at) return "left";
      // The process that woke it before has died before it could note that.
      return "in progress";
    }
    const owner = await heartbeat.prove();
    const woken_at = clock.now().getTime();
    const awake = { ...head, owner, attempts: attempts + 1, woken_at, segment_at: null, working: false };
    // What the process that suspended it has left behind is replaced.
    const versionstamp = await store.checkpoint({ head: awake, versionstamp: found?.versionstamp ?? null });
    // That process has deleted it, or a takeover has claimed it, since it was read.
    return versionstamp === undefined ? await wake({ head }, attempts) : { head: awake, versionstamp };
  }

  /** @returns whether there may be more to wake, and whether some were left */
  const wakeBatch = async (): Promise<{ more: boolean; left: boolean }> => {
    const awake: Kept[] = [];
    const ids: string[] = [];
    let left = 0;
    const moveDue = async (tx: Sql) => {
      const due = await lockDue(tx, clock.now(), AT_ONCE);
      for (const { head: { id } } of due) {
        ids.push(id);
        moving.add(id);
      }
      const woken = await Promise.all(due.map((run) => wake(run, run.attempts)));
      awake.push(...woken.filter((one) => typeof one === "object"));
      left = woken.filter((one) => one === "left").length;
      await noteAwake(tx, due.filter((_, i) => woken[i] !== "left").map(({ head }) => head.id));
    };
    try {
      // If the transaction fails, the next takeover finds the runs in Deno KV and leaves them to the next pass.
      await sql.begin(moveDue);
      for (const kept of awake) resume(kept);
      return { more: ids.length === AT_ONCE && left < AT_ONCE, left: left > 0 };
    } finally {
      for (const id of ids) moving.delete(id);
    }
  };

  const wakeAll = async () => {
    await checkWaiting(sql, clock.now());
    let left = false;
    do {
      again = false;
      for (let more = true; more && !ended && hasRoom();) ({ more, left } = await wakeBatch());
    } while (again && !ended);
    const next = await nextDue(sql, new Date(clock.now().getTime() + TIMER_MS));
    if (next !== undefined) soon(left || !hasRoom() ? Math.max(next, clock.now().getTime() + AGAIN_MS) : next);
  };

  const wakeDue = () => {
    if (ended) return Promise.resolve();
    // A run that became due during the pass may have been missed by it.
    if (waking) again = true;
    return waking ??= wakeAll().finally(() => waking = undefined);
  };

  function soon(at: number): void {
    const ms = at - clock.now().getTime();
    if (ended || ms >= TIMER_MS || at >= timer_at) return;
    clearTimeout(timer);
    timer_at = at;
    timer = setTimeout(() => {
      timer_at = Infinity;
      wakeDue().catch((error) => {
        log.warn("runs could not be woken", faultOf(error));
        soon(clock.now().getTime() + AGAIN_MS);
      });
    }, Math.max(0, ms));
  }

  return {
    wakeDue,
    soon,
    async wakeReady(run_id) {
      if (await noteReady(sql, clock.now(), run_id)) await wakeDue();
    },
    isWaking: (id) => moving.has(id),
    async end() {
      ended = true;
      clearTimeout(timer);
      await waking?.catch(() => {});
    },
  };
}
