/** Starts a trigger's flow by hand. The run is in the ledger like the others, but belongs to no due time. */
import { v7 } from "uuid";
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { Refusal } from "../../errors.ts";
import { skip } from "../ledger/not_started.ts";
import { BY_HAND, REPEATED } from "../ledger/reasons.ts";
import type { TriggerKind } from "../ledger/states.ts";
import { markStarted, type PendingStart } from "../ledger/start_rows.ts";
import { type Deps, inputOf, newRun } from "./new_run.ts";

export interface Firing {
  account_id: number;
  cron_id: number;
  target_code: string;
  author_id: number | null;
  timezone: string;
  input: JsonObject | null;
  kind: TriggerKind;
}

/** @throws {Refusal} the engine's; the ledger then has the row as skipped, with the reason */
export async function fire(deps: Deps, firing: Firing): Promise<{ id: string }> {
  const { sql, flows, clock } = deps;
  const payload = inputOf(firing);
  const row: PendingStart = { ...firing, payload, ...await insertFiring(sql, firing, payload, clock.now()) };
  try {
    await flows.start(newRun(row));
  } catch (error) {
    // After any other error the engine may have the run. The next tick starts the row again, with the same key.
    if (error instanceof Refusal) await skip(sql, row, `${BY_HAND}: ${error.message}`, false);
    throw error;
  }
  await markStarted(sql, [row], clock.now());
  return { id: row.flow_process_id };
}

/** Writes a run to the ledger that repeats a trigger's run and has been started, so that it counts for `overlap`. */
export async function noteRepeated(
  { sql, clock }: Pick<Deps, "sql" | "clock">,
  { account_id, cron_id }: Pick<Firing, "account_id" | "cron_id">,
  run_id: string,
): Promise<void> {
  const now = clock.now();
  await sql`
    insert into cron_runs
      (cron_id, account_id, due_at, by_hand, state, reason, flow_process_id, taken_at, started_at)
    select id, account_id, ${now}, true, 'ran', ${REPEATED}, ${run_id}, ${now}, ${now}
    from crons
    where id = ${cron_id}
      and account_id = ${account_id}
  `;
}

async function insertFiring(
  sql: Sql,
  { account_id, cron_id }: Firing,
  payload: JsonObject,
  now: Date,
): Promise<Omit<PendingStart, keyof Firing | "payload">> {
  const run_id = v7();
  const [row] = await sql<Omit<PendingStart, keyof Firing | "payload">[]>`
    with
      fired as (
        update crons
        set
          last_run_at = ${now},
          last_run_id = ${run_id},
          last_status = 'pending'
        where id = ${cron_id}
          and account_id = ${account_id}
      )
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, reason, flow_process_id, taken_at, payload)
    values (
      ${cron_id}, ${account_id}, ${now}, true, 'ran', ${BY_HAND}, ${run_id}, ${now},
      ${JSON.stringify(payload)}::text::json
    )
    returning id, due_at, by_hand, flow_process_id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row;
}
