/** Questions of runs, and their answers. */
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { RunHead } from "../run/model.ts";
import { storable } from "../storage/storable.ts";

export interface Question {
  id: string;
  place: string;
  question: string;
  choices: readonly string[];
  form: object;
  roles: readonly string[];
  user_ids: readonly number[];
  department_ids: readonly number[];
  link: boolean;
  expires_at: string;
}

/** The word by which an open question is found for those who may answer it. */
export const answererKey = (account_id: number, kind: "user" | "department" | "role", name: number | string): string =>
  `${account_id}/${kind}/${name}`;

/** Without an effect if the question was asked before. */
export async function askPeople(sql: Sql, head: RunHead, question: Question): Promise<void> {
  const { id: run_id, account_id, department_id, flow_code } = head;
  const audience = [
    ...question.user_ids.map((id) => answererKey(account_id, "user", id)),
    ...question.department_ids.map((id) => answererKey(account_id, "department", id)),
    ...question.roles.map((role) => answererKey(account_id, "role", role)),
  ];
  const row = { ...question, run_id, account_id, department_id, flow_code, audience };
  await sql`
    insert into flow_approvals (
      id, account_id, department_id, run_id, place, flow_code, question, choices, form, roles, user_ids,
      department_ids, audience, link, expires_at
    )
    select
      r.id, r.account_id, d.id, r.run_id, r.place, r.flow_code, r.question, r.choices, r.form, r.roles, r.user_ids,
      r.department_ids, r.audience, r.link, r.expires_at
    from json_populate_record(null::flow_approvals, ${storable(row)}::text::json) r
    left join departments d on d.id = r.department_id
    on conflict (id) do nothing
  `;
}

export async function findAnswer(sql: Sql, account_id: number, id: string): Promise<JsonObject | undefined> {
  const [row] = await sql<JsonObject[]>`
    select
      a.choice, a."values", iso(a.answered_at) as answered_at,
      case
        when a.answered_by is not null
        then (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = a.answered_by)
      end as answered_by
    from flow_approvals a
    where a.id = ${id}
      and a.account_id = ${account_id}
      and a.answered_at is not null
  `;
  return row && { ...row };
}

/** Closes an approval at its deadline. An approval that has an answer stays as it is: read the answer after this. */
export async function expireApproval(sql: Sql, account_id: number, id: string): Promise<void> {
  await sql`
    update flow_approvals
    set audience = '{}', expires_at = least(expires_at, clock_timestamp())
    where id = ${id}
      and account_id = ${account_id}
      and answered_at is null
  `;
}

/** These approvals can no longer be answered. */
export async function closeApprovals(sql: Sql, account_id: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update flow_approvals
    set audience = '{}'
    where id = any(${[...ids]}::uuid[])
      and account_id = ${account_id}
  `;
}

/** Closes questions whose time is over. @returns how many */
export async function closeExpired(sql: Sql, now: Date, limit: number): Promise<number> {
  const { count } = await sql`
    update flow_approvals
    set audience = '{}'
    where ctid = any(array(
      select ctid
      from flow_approvals
      where expires_at < ${now}
        and audience <> '{}'
      order by expires_at
      limit ${limit}
      for update skip locked
    ))
  `;
  return count;
}

/** Questions are kept for so long after their time, like runs. */
const KEPT_DAYS = 14;

/** @returns how many were deleted */
export async function sweepApprovals(sql: Sql, now: Date, limit: number): Promise<number> {
  const { count } = await sql`
    delete from flow_approvals
    where ctid = any(array(
      select ctid
      from flow_approvals a
      where expires_at < ${now}::timestamptz - ${KEPT_DAYS}::int * interval '1 day'
        and not exists (select from flow_waits w where w.run_id = a.run_id)
      order by expires_at
      limit ${limit}
      for update skip locked
    ))
  `;
  return count;
}
