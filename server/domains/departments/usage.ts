/** What a department holds: the objects that its deletion leaves without a department, and who is assigned to it. */
import type { Json } from "../../database/json.ts";
import { oneJson } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import type { DepartmentUsage } from "./schema.ts";

/** An account may have millions of records and runs. */
const MOST = 10_000;

/** @throws {Refusal} 404 */
export async function readUsage(sql: Sql, viewer: Viewer, id: number): Promise<Json<DepartmentUsage>> {
  const held = (table: string) =>
    sql`(
      select count(*)
      from (
        select 1 from ${sql(table)} where department_id = ${id} and ${visible(sql, viewer)} limit ${MOST}
      ) o
    )`;
  const usage = await oneJson<DepartmentUsage>(
    sql,
    sql`
      select
        (select count(*) from department_users u where u.department_id = d.id) as users,
        (
          select count(*)
          from department_users u
          where u.department_id = d.id
            and not exists (select 1 from department_users o where o.user_id = u.user_id and o.department_id <> d.id)
        ) as users_of_no_other,
        (select count(*) from department_mailboxes m where m.department_id = d.id) as mailboxes,
        (select count(*) from invitation_departments i where i.department_id = d.id) as invitations,
        ${held("apps")} as apps,
        ${held("dbs")} as dbs,
        ${held("records")} as records,
        ${held("connectors")} as connectors,
        ${held("flows")} as flows,
        ${held("flow_processes")} as flow_processes,
        ${held("crons")} as crons,
        (
          select json_build_object('id', o.id, 'name', o.name)
          from departments o
          join accounts a on a.id = o.account_id and a.main_department_id = d.id
          where o.account_id = d.account_id and o.id <> d.id
          order by o.created_at, o.id
          limit 1
        ) as next_main
      from departments d
      where d.id = ${id} and d.account_id = ${viewer.account_id}
    `,
  );
  if (!usage) throw notFound("Department");
  return usage;
}
