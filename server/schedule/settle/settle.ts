/** Settles ended runs: copies their outcomes to the ledger, page by page. */
import type { Sql } from "../../database/pool.ts";
import type { PendingStart } from "../ledger/start_rows.ts";
import { type EndedRun, recordOutcomes } from "./outcomes.ts";

type OpenRow = Pick<PendingStart, "id" | "cron_id" | "by_hand" | "flow_process_id">;

/** A position in the open rows, which are read in the order of trigger and row. */
export interface Position {
  cron_id: number;
  id: number;
}

export interface SettledPage {
  /** Rows whose outcome was written. */
  count: number;
  /** Where the next page begins; undefined after the last page. */
  after: Position | undefined;
}

export const START: Position = { cron_id: 0, id: 0 };

/**
 * Settles one page of the rows without an outcome.
 *
 * @param sql a transaction
 * @param cron_ids only these triggers; undefined for those of all accounts
 */
export async function settlePage(
  sql: Sql,
  now: Date,
  limit: number,
  after: Position,
  cron_ids?: readonly number[],
): Promise<SettledPage> {
  const open = await listOpen(sql, limit, after, cron_ids);
  const ends = await listEnds(sql, open.map(({ flow_process_id }) => flow_process_id));
  const ended = open.flatMap((row): EndedRun[] => {
    const end = ends.get(row.flow_process_id);
    return end ? [{ ...row, ...end }] : [];
  });
  const count = await recordOutcomes(sql, now, ended);
  return { count, after: open.length === limit ? open.at(-1) : undefined };
}

const listOpen = (sql: Sql, limit: number, after: Position, cron_ids: readonly number[] | undefined) =>
  sql<OpenRow[]>`
    select id, cron_id, by_hand, flow_process_id
    from cron_runs
    where state in ('ran', 'late')
      and outcome is null
      and (cron_id, id) > (${after.cron_id}, ${after.id})
      ${cron_ids ? sql`and cron_id = any(${[...cron_ids]}::int[])` : sql``}
    order by cron_id, id
    limit ${limit}
  `;

type End = Pick<EndedRun, "status" | "error" | "started_at">;

/** Apart from `listOpen`: for a join PostgreSQL may read the whole history once per row. */
async function listEnds(sql: Sql, run_ids: readonly string[]): Promise<Map<string, End>> {
  if (run_ids.length === 0) return new Map();
  const rows = await sql<(End & { run_id: string })[]>`
    select id as run_id, status, error, started_at
    from flow_processes
    where id = any(${[...run_ids]}::uuid[])
  `;
  return new Map(rows.map(({ run_id, ...end }) => [run_id, end]));
}
