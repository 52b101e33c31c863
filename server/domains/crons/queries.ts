import type { Viewer } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { visible } from "../../visibility.ts";
import type { CronPage, CronRun, CronRunPage, ListedCron } from "./schema.ts";

/** An end that the ledger does not have yet stands in the history already. */
const columns = (sql: Sql) =>
  sql`
    id, name, kind, target_code, schedule, timezone, active, overlap, catch_up, max_failures, department_id, sentence,
    iso(next_run_at) as next_run_at, iso(last_run_at) as last_run_at,
    coalesce((select p.status from flow_processes p where p.id = c.last_run_id), last_status) as last_status,
    failures, paused_reason, lock_version, iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  id: sql`id`,
  "-id": sql`id desc`,
  next_run_at: sql`next_run_at, id`,
  "-next_run_at": sql`next_run_at desc, id desc`,
  created_at: sql`created_at, id`,
  "-created_at": sql`created_at desc, id desc`,
});

/** One page of the triggers that the viewer may see, by number unless told. */
export function listCrons(sql: Sql, viewer: Viewer, page: CronPage) {
  const { target_code, active, sort = "id" } = page;
  const chosen = sql`
    from crons c
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      ${target_code === undefined ? sql`` : sql`and target_code = ${target_code}`}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
  `;
  return listJson<ListedCron>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

const one = (sql: Sql, viewer: Viewer, id: number) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

export const findCron = (sql: Sql, viewer: Viewer, id: number) =>
  oneJson<ListedCron>(sql, sql`select ${columns(sql)} from crons c where ${one(sql, viewer, id)}`);

/** Columns of a write. */
export type Values = Record<string, unknown>;

const stored = (sql: Sql) =>
  sql`
    name, kind, target_code, schedule, timezone, sentence, active, overlap, catch_up, max_failures, department_id,
    next_run_at, failures, paused_reason
  `;

export async function insertCron(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into crons (account_id, ${stored(sql)})
    select ${account}, ${stored(sql)}
    from jsonb_populate_record(null::crons, ${JSON.stringify(values)}::text::jsonb)
    returning id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** What a change starts from. */
export interface WrittenCron {
  target_code: string;
  schedule: string;
  timezone: string;
  active: boolean;
  next_run_at: string | null;
  lock_version: number;
}

/**
 * Locks the trigger's row against claims and other changes, until the transaction ends.
 *
 * @param sql a transaction
 */
export async function lockCron(sql: Sql, viewer: Viewer, id: number): Promise<WrittenCron | undefined> {
  const [row] = await sql<WrittenCron[]>`
    select target_code, schedule, timezone, active, next_run_at, lock_version
    from crons
    where ${one(sql, viewer, id)}
    for update
  `;
  return row;
}

export async function updateCron(sql: Sql, account: number, id: number, values: Values): Promise<void> {
  await sql`
    update crons c
    set
      (${stored(sql)}) = (
        select ${stored(sql)} from jsonb_populate_record(c, ${JSON.stringify(values)}::text::jsonb)
      ),
      lock_version = lock_version + 1,
      updated_at = now()
    where id = ${id}
      and account_id = ${account}
  `;
}

/** A slot that was due before the change, and that nobody has claimed. */
export async function insertSkipped(
  sql: Sql,
  { account, id, due_at, due_until, slots, reason }: {
    account: number;
    id: number;
    due_at: Date;
    /** Of several: the last one. */
    due_until: Date | null;
    slots: number;
    reason: string;
  },
): Promise<void> {
  await sql`
    insert into cron_runs (cron_id, account_id, due_at, due_until, slots, state, reason)
    values (${id}, ${account}, ${due_at}, ${due_until}, ${slots}, 'skipped', ${reason})
    on conflict (cron_id, due_at) where not by_hand do nothing
  `;
}

/**
 * Takes note of how its runs ended, without counting them: whoever resumes it begins anew.
 *
 * @param sql a transaction in which the trigger is locked
 */
export const noteEnds = (sql: Sql, id: number) =>
  sql`
    with ended as (
      update cron_runs r
      set
        outcome = p.status,
        started_at = coalesce(r.started_at, p.started_at)
      from flow_processes p
      where r.cron_id = ${id}
        and r.state in ('ran', 'late')
        and r.outcome is null
        and p.id = r.flow_process_id
      returning p.id, p.status
    )
    update crons c
    set last_status = e.status
    from ended e
    where c.id = ${id}
      and c.last_run_id = e.id
  `;

/** Its ledger goes with it. */
export async function deleteCron(sql: Sql, viewer: Viewer, id: number): Promise<boolean> {
  const { count } = await sql`delete from crons where ${one(sql, viewer, id)}`;
  return count > 0;
}

/** One page of a trigger's ledger, the newest first unless told. */
export function listCronRuns(sql: Sql, account: number, page: CronRunPage) {
  const order = page.sort === "due_at" ? sql`r.due_at, r.id` : sql`r.due_at desc, r.id desc`;
  return listJson<CronRun>(
    sql,
    sql`
      select
        r.id, iso(r.due_at) as due_at, iso(r.due_until) as due_until, r.slots, r.state, r.by_hand, r.reason,
        case when r.state <> 'queued' then r.flow_process_id end as flow_process_id,
        coalesce(r.outcome, (select p.status from flow_processes p where p.id = r.flow_process_id)) as outcome,
        iso(r.started_at) as started_at
      from cron_runs r
      where r.cron_id = ${page.id}
        and r.account_id = ${account}
      order by ${order}
      ${slice(sql, page)}
    `,
    sql`select count(*) from cron_runs where cron_id = ${page.id} and account_id = ${account}`,
  );
}
