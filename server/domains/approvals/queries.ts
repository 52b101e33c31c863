/** SQL of approvals. */
import type { Sql } from "../../database/pool.ts";
import { listJson, slice } from "../../database/lists.ts";
import { answererKey } from "../../flow/flow.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import type { Answer, Approval, ApprovalPage, NewAnswer } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    id, question, choices, form, flow_code, run_id as flow_process_id, department_id, iso(created_at) as created_at,
    iso(expires_at) as expires_at
  `;

/**
 * Whether an approval is open: it has no answer, it has not expired, and its run has not ended. An answer
 * that waits for the row's lock evaluates `clock_timestamp()` again afterwards; `now()` would stay the time before.
 */
export const isOpen = (sql: Sql) =>
  sql`
    answered_at is null
      and expires_at > clock_timestamp()
      and not exists (select from flow_processes p where p.id = run_id)
  `;

/** Whether the viewer may answer the approval. */
const isFor = (sql: Sql, viewer: Viewer) =>
  sql`
    account_id = ${viewer.account_id}
      and (
        ${viewer.user_id}::int = any(user_ids)
        or department_ids && ${[...viewer.department_ids]}::int[]
        or (${viewer.role}::text = any(roles) and ${visible(sql, viewer)})
      )
  `;

/** More are not counted. */
const MOST_COUNTED = 10_000;

/** What open questions that the viewer may answer have in their `audience`. */
const keysOf = ({ account_id, user_id, role, department_ids }: Viewer): string[] => [
  answererKey(account_id, "user", user_id),
  answererKey(account_id, "role", role),
  ...department_ids.map((id) => answererKey(account_id, "department", id)),
];

/** Those that wait for the viewer, the oldest first. */
export function listApprovals(sql: Sql, viewer: Viewer, page: ApprovalPage) {
  const chosen = sql`
    from flow_approvals
    where audience && ${keysOf(viewer)}::text[]
      and ${isFor(sql, viewer)}
      and ${isOpen(sql)}
  `;
  return listJson<Approval>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by id ${slice(sql, page)}`,
    sql`select count(*) from (select ${chosen} limit ${MOST_COUNTED}) counted`,
  );
}

/** A question that the viewer may answer, open or not. */
export async function findForViewer(
  sql: Sql,
  viewer: Viewer,
  id: string,
): Promise<(Approval & { open: boolean }) | undefined> {
  const [row] = await sql<(Approval & { open: boolean })[]>`
    select ${columns(sql)}, (${isOpen(sql)}) as open
    from flow_approvals
    where id = ${id}
      and ${isFor(sql, viewer)}
  `;
  return row;
}

/** A question that may be answered by its link, with the name of its account. */
export async function findByLink(
  sql: Sql,
  id: string,
): Promise<(Approval & { account_id: number; account: string; open: boolean }) | undefined> {
  const [row] = await sql<(Approval & { account_id: number; account: string; open: boolean })[]>`
    select
      ${columns(sql)}, account_id, (${isOpen(sql)}) as open,
      (select name from accounts where accounts.id = account_id) as account
    from flow_approvals
    where id = ${id}
      and link
  `;
  return row;
}

/** Makes its run due. @returns undefined if it was answered meanwhile */
export async function updateAnswer(
  sql: Sql,
  account_id: number,
  { id, choice, values }: NewAnswer,
  user_id: number | null,
): Promise<Answer | undefined> {
  const [row] = await sql<Answer[]>`
    with answered as (
      update flow_approvals
      set
        audience = '{}',
        answered_at = now(),
        answered_by = ${user_id},
        choice = ${choice},
        "values" = ${JSON.stringify(values)}::text::json
      where id = ${id}
        and account_id = ${account_id}
        and ${isOpen(sql)}
      returning id, run_id as flow_process_id, choice, "values", iso(answered_at) as answered_at, answered_by
    ),
    due as (
      update flow_waits w
      set wake_at = now()
      from answered a
      where w.run_id = a.flow_process_id
        and w.wake_at > now()
        and w.awaits @> array[a.id]
    )
    select * from answered
  `;
  return row;
}
