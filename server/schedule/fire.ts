/** Runs by hand: in the ledger like the others, but of no slot. */
import { v7 } from "uuid";
import type { Sql } from "../database/pool.ts";
import { Refusal } from "../errors.ts";
import type { Waiting } from "./due.ts";
import { markStarted, skip } from "./ledger.ts";
import type { Firing } from "./schedule.ts";
import { type Deps, runOf } from "./start.ts";

export const BY_HAND = "by hand";

/** @throws {Refusal} the engine's; then the ledger says why nothing was started */
export async function fire(deps: Deps, firing: Firing): Promise<{ id: string }> {
  const { sql, flows, clock } = deps;
  const waiting: Waiting = { ...firing, ...await insertFiring(sql, firing, clock.now()) };
  try {
    await flows.start(runOf(waiting));
  } catch (error) {
    // After any other fault the engine may have it: the next tick starts the same run, not another one.
    if (error instanceof Refusal) await skip(sql, waiting.id, `${BY_HAND}: ${error.message}`, false);
    throw error;
  }
  await markStarted(sql, [waiting.id], clock.now());
  return { id: waiting.flow_process_id };
}

async function insertFiring(
  sql: Sql,
  { account_id, cron_id }: Firing,
  now: Date,
): Promise<Omit<Waiting, keyof Firing>> {
  const id = v7();
  const [row] = await sql<Omit<Waiting, keyof Firing>[]>`
    with
      told as (
        update crons
        set
          last_run_at = ${now},
          last_run_id = ${id},
          last_status = 'pending'
        where id = ${cron_id}
      )
    insert into cron_runs (cron_id, account_id, due_at, by_hand, state, reason, flow_process_id, taken_at)
    values (${cron_id}, ${account_id}, ${now}, true, 'ran', ${BY_HAND}, ${id}, ${now})
    returning id, due_at, by_hand, flow_process_id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row;
}
