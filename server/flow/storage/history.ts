/** Outcomes of runs in PostgreSQL: reading them, and fencing off earlier owners of a run. */
import type { Sql } from "../../database/pool.ts";
import type { RecordedOutcome, RunHead, StepRecord } from "../run/model.ts";

export async function findOutcome(sql: Sql, account_id: number, id: string): Promise<RecordedOutcome | undefined> {
  const [row] = await sql<RecordedOutcome[]>`
    select status, data, error, app_id, action, user_id, granted, department_id
    from flow_processes
    where id = ${id}
      and account_id = ${account_id}
  `;
  return row;
}

/**
 * Records a claim. From now on PostgreSQL refuses writes for the run by owners with an earlier claim.
 *
 * @returns the outcome, if an earlier owner recorded it before
 */
export async function fence(sql: Sql, { id, account_id, attempts }: RunHead): Promise<RecordedOutcome | undefined> {
  await sql`
    insert into flow_claims (run_id, attempts)
    values (${id}, ${attempts})
    on conflict (run_id) do update set attempts = greatest(flow_claims.attempts, excluded.attempts)
  `;
  return await findOutcome(sql, account_id, id);
}

/** The journal of a run that has ended, for a run that repeats it. */
export async function findSteps(sql: Sql, account_id: number, id: string): Promise<StepRecord[] | undefined> {
  const [row] = await sql<{ steps: StepRecord[] }[]>`
    select steps from flow_processes where id = ${id} and account_id = ${account_id}
  `;
  return row?.steps;
}
