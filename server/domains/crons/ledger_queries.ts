/** Reads of a trigger's ledger. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { listJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import { findCron } from "./queries.ts";
import type { CronRun, CronRunPage } from "./schema.ts";

/** @throws {Refusal} 404 */
export async function readCronRuns({ sql, viewer }: Context, page: CronRunPage): Promise<Json<CronRun[]>> {
  if (!await findCron(sql, viewer, page.id)) throw notFound("Trigger");
  return await listCronRuns(sql, viewer.account_id, page);
}

/** One page, newest first unless `sort` says otherwise. A run may have ended although the ledger does not know it yet. */
function listCronRuns(sql: Sql, account: number, page: CronRunPage) {
  const order = page.sort === "due_at" ? sql`r.due_at, r.id` : sql`r.due_at desc, r.id desc`;
  const { from, to, irregular } = page;
  const chosen = sql`
    from cron_runs r
    where r.cron_id = ${page.id}
      and r.account_id = ${account}
      ${from === undefined ? sql`` : sql`and r.due_at >= ${new Date(from)}`}
      ${to === undefined ? sql`` : sql`and r.due_at < ${new Date(to)}`}
      ${irregular ? sql`and (r.state <> 'ran' or r.by_hand or r.outcome <> 'finished')` : sql``}
  `;
  return listJson<CronRun>(
    sql,
    sql`
      select
        r.id, iso(r.due_at) as due_at, iso(r.due_until) as due_until, r.slots, r.state, r.by_hand, r.reason,
        case when r.state <> 'queued' then r.flow_process_id end as flow_process_id,
        coalesce(r.outcome, (select p.status from flow_processes p where p.id = r.flow_process_id)) as outcome,
        iso(r.started_at) as started_at
      ${chosen}
      order by ${order}
      ${slice(sql, page)}
    `,
    sql`select count(*) ${chosen}`,
  );
}
