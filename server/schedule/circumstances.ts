/** A trigger that is due, and what stands in its way: its flow, and runs of its own that have not ended. */
import type { Sql } from "../database/pool.ts";
import type { Overlap, SlotState } from "./schedule.ts";

export interface DueCron {
  id: number;
  account_id: number;
  target_code: string;
  schedule: string;
  timezone: string;
  next_run_at: string;
  catch_up: number;
  overlap: Overlap;
  failures: number;
  max_failures: number | null;
  /** It had too many failures, and was due by then: this is its last claim. */
  paused_reason: string | null;
  /** Null where there is no such flow. */
  flow_active: boolean | null;
  running: boolean;
  waiting: boolean;
}

export type Locked = Omit<DueCron, "flow_active" | "running" | "waiting">;

/**
 * What stands in the way of the triggers, found for all of them together: as a part of the statement above PostgreSQL
 * went over all open runs for each batch, a minute for ten thousand.
 */
export async function withCircumstances(sql: Sql, crons: readonly Locked[]): Promise<DueCron[]> {
  const ids = crons.map(({ id }) => id);
  const [flows, pending] = await Promise.all([
    sql<{ account_id: number; code: string; active: boolean }[]>`
      select account_id, code, active
      from flows
      where account_id = any(${[...new Set(crons.map(({ account_id }) => account_id))]}::int[])
        and code = any(${[...new Set(crons.map(({ target_code }) => target_code))]}::text[])
    `,
    sql<{ cron_id: number; state: SlotState; flow_process_id: string }[]>`
      select cron_id, state, flow_process_id
      from cron_runs
      where cron_id = any(${ids}::int[])
        and state in ('ran', 'late')
        and outcome is null
      union all
      select cron_id, state, flow_process_id
      from cron_runs
      where cron_id = any(${ids}::int[])
        and state = 'queued'
    `,
  ]);
  // The ledger may not yet know of an end that stands in the history.
  const ended = pending.length === 0 ? [] : await sql<{ id: string }[]>`
    select id
    from flow_processes
    where id = any(${pending.map(({ flow_process_id }) => flow_process_id)}::uuid[])
  `;
  const over = new Set(ended.map(({ id }) => id));
  const of = (queued: boolean) =>
    new Set(
      pending.filter(({ state, flow_process_id }) => (state === "queued") === queued && !over.has(flow_process_id))
        .map(({ cron_id }) => cron_id),
    );
  const [running, waiting] = [of(false), of(true)];
  const active = new Map(flows.map((flow) => [`${flow.account_id} ${flow.code}`, flow.active]));
  return crons.map((cron) => ({
    ...cron,
    flow_active: active.get(`${cron.account_id} ${cron.target_code}`) ?? null,
    running: running.has(cron.id),
    waiting: waiting.has(cron.id),
  }));
}
