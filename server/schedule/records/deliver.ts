/** Passes the next changes of a database to a trigger's flow: reads, notes the run and moves the cursor in one transaction. */
import { Refusal } from "../../errors.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import { NoReach, reachOfAuthor, type Users } from "../../reach.ts";
import { type Databases, readCursorPage } from "../../store/store.ts";
import { visibleTo } from "../../visibility.ts";
import { withCircumstances } from "../claim/circumstances.ts";
import { flowObstacle } from "../claim/decision.ts";
import { note, startNoted } from "../events/receive.ts";
import type { PendingStart } from "../ledger/start_rows.ts";
import { planned } from "../planned.ts";
import type { Deps } from "../start/new_run.ts";
import { batchOf, type Source } from "./batch.ts";
import {
  type DueCursor,
  findTrigger,
  lockCursor,
  type LockedCursor,
  moveCursor,
  type RecordTrigger,
} from "./cursors.ts";
import { noteMissed, noteSkipped, pauseFor } from "./ledger_rows.ts";
import { chosenIn, RecordSettings } from "./settings.ts";

/** What reads records needs beside what starts runs. */
export interface RecordSources {
  dbs: Databases;
  users: Users;
}

/**
 * - `done`: a notification or the end of a run says when there is more.
 * - `behind`: the same, and there are more changes already, which wait for the end of the run.
 * - `more`: there may be more changes.
 * - `later`: the trigger or its database was being changed, or another process delivers.
 */
export type Delivered = "done" | "behind" | "more" | "later";

const RUNNING = "the run before has not ended";

export async function deliverNext(deps: Deps, sources: RecordSources, due: DueCursor): Promise<Delivered> {
  const { sql, clock } = deps;
  // Definitions and users are read before the transaction: the embedded database has one connection.
  const trigger = await findTrigger(sql, due);
  if (!trigger) return "done";
  const source = await certainSource(sources, trigger);
  const { delivered, row } = await claim(sql, trigger, source, clock.now());
  if (delivered === "later" && typeof source !== "string") sources.dbs.forget(source.db.id);
  // A refused run has no end that would continue.
  return row === undefined || await startNoted(deps, row) === "has_run" ? delivered : "later";
}

/** A definition in memory may be some seconds old. A trigger is not paused for what may have been mended. */
async function certainSource(sources: RecordSources, trigger: RecordTrigger): Promise<Source | string> {
  const source = await sourceOf(sources, trigger);
  if (typeof source !== "string" || trigger.db_id === null) return source;
  sources.dbs.forget(trigger.db_id);
  return await sourceOf(sources, trigger);
}

/** @returns a sentence if the trigger cannot read its database */
async function sourceOf({ dbs, users }: RecordSources, trigger: RecordTrigger): Promise<Source | string> {
  const { account_id, author_id, db_id } = trigger;
  const settings = RecordSettings.parse(trigger.settings);
  try {
    const reach = await reachOfAuthor(users, account_id, author_id, "trigger");
    const db = await dbs.find(account_id, settings.db_code);
    if (!db || db.id !== db_id || !visibleTo(reach, db.department_id)) {
      return `there is no database ${settings.db_code}`;
    }
    const chosen = chosenIn(db, settings);
    return "fault" in chosen ? `record.${chosen.field} ${chosen.fault}` : { db, settings, chosen, reach };
  } catch (error) {
    if (error instanceof NoReach || error instanceof Refusal && error.status === 400) return error.message;
    throw error;
  }
}

interface Claimed {
  delivered: Delivered;
  row?: PendingStart | undefined;
}

const claim = (sql: Pool, trigger: RecordTrigger, source: Source | string, now: Date): Promise<Claimed> =>
  planned(sql, async (tx) => {
    const cursor = await lockCursor(tx, trigger);
    if (!cursor) return { delivered: "later" };
    if (typeof source === "string") {
      await pauseFor(tx, cursor, source, now);
      return { delivered: "done" };
    }
    return await claimPage(tx, cursor, source, now);
  });

async function claimPage(tx: Sql, cursor: LockedCursor, source: Source, now: Date): Promise<Claimed> {
  const [circumstances] = await withCircumstances(tx, [cursor]);
  if (!circumstances) throw new Error("a trigger is lost");
  const { overlap, running, waiting, flow_active } = circumstances;
  // The feed is the queue. The end of the run continues here.
  if (overlap === "queue" && (running || waiting)) return { delivered: "done" };
  const page = await readCursorPage(tx, source.db, cursor.seq);
  if (!page) return { delivered: "later" };
  if (cursor.seq < page.kept_from) {
    await noteMissed(tx, cursor, { after: cursor.seq, until: page.seq }, now);
    await moveCursor(tx, cursor, page.seq);
    return { delivered: "done" };
  }
  const { changes, until } = await batchOf(tx, source, cursor.id, page);
  await moveCursor(tx, cursor, until);
  const delivered = until < page.seq ? "more" : "done";
  if (changes.length === 0) return { delivered };
  const count = changes.length;
  const obstacle = flow_active === false ? flowObstacle(circumstances) : undefined;
  const reason = obstacle ?? (overlap === "skip" && running ? RUNNING : undefined);
  if (reason !== undefined) {
    await noteSkipped(tx, cursor, { count, reason, obstacle: obstacle !== undefined }, now);
    return { delivered };
  }
  const { id: cron_id, account_id, input } = cursor;
  const key = `changes ${source.db.id} ${until}`;
  const { row } = await note(tx, { account_id, cron_id, key, input: { ...input, changes }, count }, now);
  return { delivered: delivered === "more" && row && overlap === "queue" ? "behind" : delivered, row };
}
