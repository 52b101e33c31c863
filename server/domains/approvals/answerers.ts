/** Who is asked by a run, and whether a user may answer. */
import type { Sql } from "../../database/pool.ts";
import type { Audience } from "../../flow/flow.ts";
import type { Viewer } from "../../viewer.ts";
import { visible, visibleToUser } from "../../visibility.ts";
import { isOpen } from "./queries.ts";
import type { AskedApproval } from "./schema.ts";

/**
 * Whether an active user of the account may answer the question `q`, which has columns like `flow_approvals`. It is the
 * rule of `isFor` for all users. Guests may not answer.
 */
const hasAnswerer = (sql: Sql, account: number) =>
  sql`
    exists (
      select
      from (
        select
          users.id as user_id, users.role, users.without_department, a.departments_mode = 'restricted' as restricted,
          array(select d.department_id from department_users d where d.user_id = users.id) as department_ids
        from users
        join accounts a on a.id = users.account_id
        where users.account_id = ${account}
          and users.active
          and users.role <> 'guest'
      ) u
      where u.user_id = any(q.user_ids)
        or u.department_ids && q.department_ids
        or (u.role = any(q.roles) and (select ${visibleToUser(sql)} from (select q.department_id) o))
    )
  `;

/** Waiting runs that one answer looks at. */
const MOST_RUNS = 500;

/** What the latest runs that the viewer sees wait for, questions included. */
const awaited = (sql: Sql, viewer: Viewer, run_id?: string) =>
  sql`
    select unnest(awaits)
    from (
      select awaits
      from flow_waits
      where account_id = ${viewer.account_id}
        and ${visible(sql, viewer)}
        and wake_at is not null
        and awaits <> '{}'
        ${run_id === undefined ? sql`` : sql`and run_id = ${run_id}`}
      order by run_id desc
      limit ${MOST_RUNS}
    ) w
  `;

/** The open questions of runs that the viewer sees, with who may answer, the oldest first. */
export const listAsked = (sql: Sql, viewer: Viewer, run_id?: string): Promise<AskedApproval[]> =>
  sql<AskedApproval[]>`
    select
      q.id, q.place, q.question, q.roles, q.link, iso(q.expires_at) as expires_at,
      coalesce((
        select json_agg(json_build_object('id', u.id, 'name', coalesce(nullif(u.name, ''), u.login), 'active', u.active) order by u.id)
        from users u
        where u.account_id = ${viewer.account_id}
          and u.id = any(q.user_ids)
      ), '[]') as users,
      coalesce((
        select json_agg(json_build_object('id', d.id, 'name', d.name) order by d.id)
        from departments d
        where d.account_id = ${viewer.account_id}
          and d.id = any(q.department_ids)
      ), '[]') as departments,
      (q.link or ${hasAnswerer(sql, viewer.account_id)}) as answerable
    from (
      select *
      from flow_approvals
      where account_id = ${viewer.account_id}
        and id in (${awaited(sql, viewer, run_id)})
        and ${visible(sql, viewer)}
        and ${isOpen(sql)}
    ) q
    order by q.id
  `;

interface Unanswerable {
  id: string;
  name: string;
  flow_code: string;
  run_id: string;
  step: string;
  message: string;
  count: number;
  at: string;
}

/** The latest question of each flow that no active user may answer, newest first. */
export const listUnanswerable = (sql: Sql, viewer: Viewer, limit: number): Promise<Unanswerable[]> =>
  sql<Unanswerable[]>`
    with latest as (
      select distinct on (q.flow_code) q.*, count(*) over (partition by q.flow_code) as count
      from (
        select *
        from flow_approvals
        where account_id = ${viewer.account_id}
          and id in (${awaited(sql, viewer)})
          and not link
          and ${visible(sql, viewer)}
          and ${isOpen(sql)}
      ) q
      where not ${hasAnswerer(sql, viewer.account_id)}
      order by q.flow_code, q.created_at desc, q.id
    )
    select
      l.run_id::text as id, coalesce(f.name, l.flow_code) as name, l.flow_code, l.run_id, l.place as step,
      'Nobody may answer: ' || l.question as message, l.count::int as count, iso(l.created_at) as at
    from latest l
    left join flows f on f.account_id = ${viewer.account_id} and f.code = l.flow_code
    order by l.created_at desc, l.id
    limit ${limit}
  `;

/** Whether an active user may answer what each of a flow's steps asks. */
export async function areAnswerable(
  sql: Sql,
  account: number,
  department_id: number | null,
  audiences: readonly Audience[],
): Promise<boolean[]> {
  if (audiences.length === 0) return [];
  const rows = await sql<{ answerable: boolean }[]>`
    select (q.link or ${hasAnswerer(sql, account)}) as answerable
    from (
      select
        a.n, (a.one ->> 'link')::boolean as link,
        array(select jsonb_array_elements_text(a.one -> 'roles')) as roles,
        array(select jsonb_array_elements_text(a.one -> 'user_ids')::int) as user_ids,
        array(select jsonb_array_elements_text(a.one -> 'department_ids')::int) as department_ids,
        ${department_id}::int as department_id
      from jsonb_array_elements(${JSON.stringify(audiences)}::text::jsonb) with ordinality a (one, n)
    ) q
    order by q.n
  `;
  return rows.map(({ answerable }) => answerable);
}
