/** SQL of triggers. */
import type { Context } from "../../context.ts";
import type { Viewer } from "../../viewer.ts";
import { Json } from "../../database/json.ts";
import { containing, within } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { TriggerKind } from "../../schedule/schedule.ts";
import { inDepartment, visible } from "../../visibility.ts";
import type { Cron, CronPage, ListedCron } from "./schema.ts";
import { withObstacles } from "./obstacles.ts";
import { withNextTimes } from "./timetable.ts";

/** The last run may have ended although the trigger's row does not know it yet. */
const columns = (sql: Sql) =>
  sql`
    id, name, kind, target_code, input, schedule,
    case when kind = 'webhook' then settings || jsonb_build_object(
      'has_secret', exists (select from webhooks w where w.id = c.id and w.secret is not null)
    ) end as webhook,
    case when kind = 'record' then settings end as record,
    timezone, active, overlap, catch_up, max_failures, department_id, author_id,
    sentence, iso(next_run_at) as next_run_at, iso(last_run_at) as last_run_at,
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

/**
 * The condition for triggers that have `q` in their own texts or in those of their flow, if the viewer may see it. The
 * console writes "Monday to Friday" for "Monday through Friday", and time zones without underscores.
 */
const has = (sql: Sql, viewer: Viewer, q: string) =>
  sql`(
    name_folded like ${containing(q)}
    or concat_ws(E'\n', sentence, replace(sentence, ' through ', ' to '), replace(timezone, '_', ' ')) ilike ${
    within(q)
  }
    or target_code like ${containing(q)}
    or target_code in (
      select code
      from flows
      where account_id = ${viewer.account_id}
        and ${visible(sql, viewer)}
        and name_folded like ${containing(q)}
    )
  )`;

/** A trigger as stored. */
export type StoredCron = Omit<ListedCron, "obstacle">;

/** One page of the triggers that the viewer may see, by id unless `sort` says otherwise. */
export async function listCrons(ctx: Context, page: CronPage): Promise<Json<ListedCron[]>> {
  const { sql, viewer } = ctx;
  const { q, target_code, active, sort = "id" } = page;
  const chosen = sql`
    from crons c
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, page.department_id)}
      ${q === undefined ? sql`` : sql`and ${has(sql, viewer, q)}`}
      ${target_code === undefined ? sql`` : sql`and target_code = ${target_code}`}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
  `;
  const found = await listJson<StoredCron>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
  return new Json(JSON.stringify(await withObstacles(sql, viewer.account_id, found.parse())), found.total);
}

const one = (sql: Sql, viewer: Viewer, id: number) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

export const findCron = (sql: Sql, viewer: Viewer, id: number) =>
  oneJson<StoredCron>(sql, sql`select ${columns(sql)} from crons c where ${one(sql, viewer, id)}`);

/** @throws {Refusal} 404 */
export async function readCron(
  ctx: Context,
  id: number,
  sql: Sql = ctx.sql,
  webhook_url: string | null = null,
): Promise<Json<Cron>> {
  const cron = await findCron(sql, ctx.viewer, id);
  if (!cron) throw notFound("Trigger");
  const [whole] = await withObstacles(sql, ctx.viewer.account_id, [cron.parse()]);
  if (!whole) throw new Error("a trigger is lost");
  return withNextTimes(ctx, whole, webhook_url);
}

/** Columns of a write. */
export type Values = Record<string, unknown>;

const stored = (sql: Sql) =>
  sql`
    name, name_folded, kind, target_code, input, settings, schedule, timezone, sentence, active, overlap, catch_up, max_failures, department_id,
    author_id, next_run_at, failures, paused_reason
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

/** The columns that a change depends on. */
export interface WrittenCron {
  id: number;
  target_code: string;
  kind: TriggerKind;
  schedule: string | null;
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
    select id, kind, target_code, schedule, timezone, active, next_run_at, lock_version
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

/** Also deletes its ledger. */
export async function deleteCron(sql: Sql, viewer: Viewer, id: number): Promise<boolean> {
  const { count } = await sql`delete from crons where ${one(sql, viewer, id)}`;
  return count > 0;
}
