/** Finds rows whose run will never report: started long ago and unknown to the engine, or never started. */
import type { Sql } from "../../database/pool.ts";
import { giveUp, listTooOld } from "../ledger/not_started.ts";
import { markStarted, type PendingStart } from "../ledger/start_rows.ts";
import { LOST_HOURS } from "../ledger/too_old.ts";
import { planned } from "../planned.ts";
import { type Deps, isKnown } from "../start/new_run.ts";
import { recordOutcomes } from "./outcomes.ts";

/** Rows per tick. Each is asked for at the engine. */
const BATCH = 100;

const LOST = "its end was never recorded";

interface OverdueRun extends Omit<PendingStart, "due_at" | "target_code"> {
  started_at: string;
}

/** A run that started long ago and that the engine does not know has failed. */
export async function settleLost(deps: Deps): Promise<void> {
  const { sql, clock } = deps;
  const overdue = await listOverdue(sql);
  await Promise.all(overdue.map(async (run) => {
    if (await isKnown(deps, run)) return;
    await planned(sql, (tx) => recordOutcomes(tx, clock.now(), [{ ...run, status: "error", error: LOST }], LOST));
  }));
}

/** Rows that are too old to be started become `missed`, unless the engine has their run. */
export async function giveUpTooOld(deps: Deps): Promise<void> {
  const { sql, clock } = deps;
  const rows = await listTooOld(sql, clock.now(), BATCH);
  await Promise.all(rows.map(async (row) => {
    // The process that started it died before it marked the row.
    if (await isKnown(deps, row)) await markStarted(sql, [row], clock.now());
    else await giveUp(sql, row);
  }));
}

const listOverdue = (sql: Sql) =>
  sql<OverdueRun[]>`
    select r.id, r.account_id, r.cron_id, r.by_hand, r.flow_process_id, r.started_at
    from cron_runs r
    where r.state in ('ran', 'late')
      and r.outcome is null
      and r.started_at is not null
      and not exists (select from flow_waits w where w.run_id = r.flow_process_id)
      and r.created_at < now() - ${LOST_HOURS}::int * interval '1 hour'
    order by r.cron_id, r.id
    limit ${BATCH}
  `;
