/** Due triggers, and what may keep them from running: their flows and their own runs that have not ended. */
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { LedgerState, Overlap, TriggerKind } from "../ledger/states.ts";

/** A trigger's row that a claim has locked. */
export interface LockedTrigger {
  id: number;
  account_id: number;
  target_code: string;
  author_id: number | null;
  schedule: string;
  timezone: string;
  input: JsonObject | null;
  kind: TriggerKind;
  next_run_at: string;
  catch_up: number;
  overlap: Overlap;
  failures: number;
  max_failures: number | null;
  /** Not null if failures paused the trigger while a due time was open; then this claim is its last. */
  paused_reason: string | null;
}

export interface DueTrigger extends LockedTrigger {
  /** Null if the flow does not exist. */
  flow_active: boolean | null;
  running: boolean;
  waiting: boolean;
}

interface OpenRow {
  cron_id: number;
  state: LedgerState;
  flow_process_id: string;
}

/**
 * Separate queries for all triggers together. As part of the statement that locks the triggers, PostgreSQL read all open
 * runs for each batch: a minute for 10,000 triggers.
 */
export async function withCircumstances(sql: Sql, triggers: readonly LockedTrigger[]): Promise<DueTrigger[]> {
  const [flows, open] = await Promise.all([
    listFlows(sql, triggers),
    listOpenRows(sql, triggers.map(({ id }) => id)),
  ]);
  const ended = await listEnded(sql, open.map(({ flow_process_id }) => flow_process_id));
  const unfinished = open.filter(({ flow_process_id }) => !ended.has(flow_process_id));
  const cronsWith = (is_queued: boolean) =>
    new Set(unfinished.filter(({ state }) => (state === "queued") === is_queued).map(({ cron_id }) => cron_id));
  const [running, waiting] = [cronsWith(false), cronsWith(true)];
  const active = new Map(flows.map((flow) => [`${flow.account_id} ${flow.code}`, flow.active]));
  return triggers.map((trigger) => ({
    ...trigger,
    flow_active: active.get(`${trigger.account_id} ${trigger.target_code}`) ?? null,
    running: running.has(trigger.id),
    waiting: waiting.has(trigger.id),
  }));
}

const listFlows = (sql: Sql, triggers: readonly LockedTrigger[]) =>
  sql<{ account_id: number; code: string; active: boolean }[]>`
    select account_id, code, active
    from flows
    where account_id = any(${[...new Set(triggers.map(({ account_id }) => account_id))]}::int[])
      and code = any(${[...new Set(triggers.map(({ target_code }) => target_code))]}::text[])
  `;

/** A union, because each part has a partial index. */
const listOpenRows = (sql: Sql, cron_ids: readonly number[]) =>
  sql<OpenRow[]>`
    select cron_id, state, flow_process_id
    from cron_runs
    where cron_id = any(${[...cron_ids]}::int[])
      and state in ('ran', 'late')
      and outcome is null
    union all
    select cron_id, state, flow_process_id
    from cron_runs
    where cron_id = any(${[...cron_ids]}::int[])
      and state = 'queued'
  `;

/** Runs that have ended although the ledger may not know it yet. */
async function listEnded(sql: Sql, run_ids: readonly string[]): Promise<Set<string>> {
  if (run_ids.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    select id
    from flow_processes
    where id = any(${[...run_ids]}::uuid[])
  `;
  return new Set(rows.map(({ id }) => id));
}
