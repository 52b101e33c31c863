/** Watches the feeds of databases for the triggers that changes of records start. Each process has one. */
import { createFairQueue } from "../../fairness/fair_limiter.ts";
import { faultOf } from "../../log.ts";
import { proveHeldFeeds } from "../../store/store.ts";
import type { Deps } from "../start/new_run.ts";
import { type DueCursor, listDue } from "./cursors.ts";
import { deliverNext, type RecordSources } from "./deliver.ts";

export interface RecordWatch {
  /** Runs of these triggers have ended. */
  wake(cron_ids: readonly number[]): void;
  /** Looks at all triggers: a notification may have been lost. */
  lookAtAll(): Promise<void>;
  close(): Promise<void>;
}

/** Changes often come together, and one run takes all of them. */
const GATHERED_MS = 100;
/** Longer than another process needs to pass a batch on. */
const RETRY_MS = 250;
/** Triggers of one pass. */
const MOST_DUE = 10_000;
/** A pass ends after this time, and the next one reads the due triggers again: a long backlog of one delays no other. */
const PASS_MS = 500;
/** Triggers at the same time. */
const LANES = 2;

export function createRecordWatch(deps: Deps, sources: RecordSources): RecordWatch {
  const { sql, log } = deps;
  const db_ids = new Set<number>();
  const cron_ids = new Set<number>();
  let all = false;
  /** The next pass does not wait for further changes. */
  let urgent = false;
  /** Triggers whose run has left changes in the feed. */
  const behind = new Set<number>();
  let closing = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next pass begins. */
  let next_at = Infinity;
  let working: Promise<void> | undefined;

  const pass = async () => {
    const woken = all ? undefined : { db_ids: [...db_ids], cron_ids: [...cron_ids] };
    db_ids.clear();
    cron_ids.clear();
    all = urgent = false;
    const due = await listDue(sql, woken, MOST_DUE);
    const queue = createFairQueue<DueCursor>();
    // A pass that ends early must not favour the same triggers each time.
    const first = Math.floor(Math.random() * due.length);
    for (const cursor of [...due.slice(first), ...due.slice(0, first)]) queue.push(cursor.account_id, cursor);
    const end = performance.now() + PASS_MS;
    const later: number[] = [];
    const lane = async () => {
      for (let next = queue.next(); next && !closing; next = queue.next()) {
        const { job } = next;
        if (performance.now() > end) {
          cron_ids.add(job.id);
          urgent = true;
          continue;
        }
        const delivered = await deliverNext(deps, sources, job).catch((error) => {
          // The next change or the next tick tries again.
          log.warn("changes of records were not passed on", { cron: job.id, ...faultOf(error) });
        });
        if (delivered === "more") queue.push(job.account_id, job);
        if (delivered === "later") later.push(job.id);
        if (delivered === "behind") behind.add(job.id);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (later.length > 0) setTimeout(() => wake(later), RETRY_MS);
  };

  const work = (): Promise<void> =>
    working ??= pass().catch((error) => log.warn("triggers were not looked at", faultOf(error))).finally(() => {
      working = undefined;
      if (all || db_ids.size > 0 || cron_ids.size > 0) soon();
    });

  const soon = () => {
    const ms = urgent ? 0 : GATHERED_MS;
    const at = performance.now() + ms;
    if (closing || at >= next_at) return;
    clearTimeout(timer);
    next_at = at;
    timer = setTimeout(() => {
      next_at = Infinity;
      void work();
    }, ms);
  };

  const wake = (ids: readonly number[]) => {
    for (const id of ids) {
      cron_ids.add(id);
      if (behind.delete(id)) urgent = true;
    }
    soon();
  };
  const changed = (id: string) => {
    db_ids.add(Number(id));
    soon();
  };
  const connected = () => {
    all = urgent = true;
    soon();
  };
  let listening: Promise<{ unlisten(): Promise<void> }[]> | undefined;
  const listen = () =>
    listening ??= Promise.all([
      sql.listen("records_changed", changed, connected),
      sql.listen("db_changed", changed),
    ]).catch((error) => {
      log.warn("triggers are not told of changed records", faultOf(error));
      listening = undefined;
      return [];
    });
  void listen();

  return {
    wake,
    async lookAtAll() {
      await listen();
      await proveHeldFeeds(sql);
      await working;
      all = true;
      await work();
    },
    async close() {
      closing = true;
      clearTimeout(timer);
      const listeners = await listening ?? [];
      await Promise.all(listeners.map((listener) => listener.unlisten().catch(() => {})));
      await working;
    },
  };
}
