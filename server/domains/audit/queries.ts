/** SQL of the audit log. Its rows are written by triggers and by the record store; see ARCHITECTURE.md, "Audit log". */
import { Json } from "../../database/json.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import { lowestId } from "../../database/uuid_v7.ts";
import { badRequest } from "../../errors.ts";
import type { AuditEntry, AuditPage } from "./schema.ts";

/** Newest first. @throws {Refusal} 400 */
export async function listEntries(sql: Sql, account: number, page: AuditPage): Promise<Json<AuditEntry[]>> {
  const { page: number, per_page, after, object, object_id } = page;
  if (object_id !== undefined && object === undefined) throw badRequest("object_id needs object");
  if (after !== undefined && number > 1) throw badRequest("after and page exclude each other");
  const [row] = await sql<{ json: string; more: boolean }[]>`
    select
      coalesce(json_agg(r.json order by r.n) filter (where r.n <= ${per_page}), '[]')::text as json,
      count(*) > ${per_page} as more
    from (
      select row_number() over (order by e.id desc) as n, row_to_json(e) as json
      from (
        select
          id, iso(audit_time(id)) as at, action, object, object_id, db_id, user_id,
          (select name from users u where u.id = e.user_id and u.account_id = e.account_id) as user_name,
          actor ->> 'via' as via,
          actor ->> 'id' as via_id, actor -> 'agent' ->> 'name' as agent,
          actor -> 'agent' ->> 'session' as agent_session_id, actor ->> 'undoes' as undone_session_id,
          actor ->> 'app_id' as app_id, actor ->> 'address' as address, actor ->> 'request_id' as request_id,
          before, after
        from audit_entries e
        where ${chosen(sql, account, page)}
          ${after === undefined ? sql`` : sql`and id < ${after}`}
        order by id desc
        limit ${per_page + 1} offset ${(number - 1) * per_page}
      ) e
    ) r
  `;
  const total = page.count ? await countEntries(sql, account, page) : undefined;
  return new Json(row?.json ?? "[]", total, row?.more);
}

async function countEntries(sql: Sql, account: number, page: AuditPage): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from audit_entries where ${chosen(sql, account, page)}
  `;
  return row?.total ?? 0;
}

const lowest = (time: string) => lowestId(Date.parse(time));

const chosen = (
  sql: Sql,
  account: number,
  { user_id, object, object_id, action, agent_session_id, from, to }: AuditPage,
) =>
  sql`
    account_id = ${account}
    ${user_id === undefined ? sql`` : sql`and user_id = ${user_id}`}
    ${object === undefined ? sql`` : sql`and object = ${object}`}
    ${object === undefined || object === "record" ? sql`` : sql`and object <> 'record'`}
    ${object_id === undefined ? sql`` : sql`and object_id = ${object_id}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}
    ${action === undefined || OF_RECORDS.has(action) ? sql`` : sql`and object <> 'record'`}
    ${
    agent_session_id === undefined
      ? sql``
      : sql`and actor ? 'agent' and actor -> 'agent' ->> 'session' = ${agent_session_id}`
  }
    ${from === undefined ? sql`` : sql`and id >= ${lowest(from)}`}
    ${to === undefined ? sql`` : sql`and id < ${lowest(to)}`}
  `;

/** Other actions are found by an index that leaves records out. */
const OF_RECORDS = new Set(["create", "update", "delete"]);

const KEPT_DAYS = 400;
const AT_ONCE = 1_000;
/** The time limit of one sweep. The next one continues. */
const LONGEST_MS = 10_000;

/** Deletes entries that are old enough, in small batches. Accounts are found one after the other by the primary key. */
export async function sweepEntries(sql: Pool, now: Date): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  const oldest_kept = lowestId(now.getTime() - KEPT_DAYS * 86_400_000);
  let account: number | undefined = 0;
  while (performance.now() < end && (account = await nextAccount(sql, account)) !== undefined) {
    while (performance.now() < end && await sweepAccount(sql, account, oldest_kept) === AT_ONCE);
  }
}

async function nextAccount(sql: Sql, after: number): Promise<number | undefined> {
  const [row] = await sql<{ account_id: number }[]>`
    select account_id from audit_entries where account_id > ${after} order by account_id limit 1
  `;
  return row?.account_id;
}

/** @returns the number of deleted entries */
async function sweepAccount(sql: Pool, account: number, before: string): Promise<number> {
  const [oldest] = await sql`select 1 from audit_entries where account_id = ${account} and id < ${before} limit 1`;
  if (!oldest) return 0;
  return await sql.begin(async (tx) => {
    // A trigger refuses every other deletion.
    await tx`select set_config('atrium.audit_sweep', 'on', true)`;
    const { count } = await tx`
      delete from audit_entries
      where ctid = any(array(
        select ctid
        from audit_entries
        where account_id = ${account}
          and id < ${before}
        order by id
        limit ${AT_ONCE}
        for update skip locked
      ))
    `;
    return count;
  });
}
