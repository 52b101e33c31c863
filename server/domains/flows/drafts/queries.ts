/** SQL of drafts of flows. Every statement finds the flow as the viewer sees it now. */
import type { Json } from "../../../database/json.ts";
import { oneJson } from "../../../database/lists.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";
import type { FlowDraft, NewFlowDraft, SavedFlowDraft } from "./schema.ts";

const flows = (sql: Sql, viewer: Viewer, id: number) =>
  sql`
    select id, lock_version
    from flows
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;

const columns = (sql: Sql) =>
  sql`d.flow_id, d.base_lock_version, f.lock_version, d.revision, iso(d.updated_at) as updated_at`;

/** The viewer's own. */
export const findFlowDraft = (sql: Sql, viewer: Viewer, id: number): Promise<Json<FlowDraft> | undefined> =>
  oneJson<FlowDraft>(
    sql,
    sql`
      select ${columns(sql)}, d.program_text, d.base_text
      from (${flows(sql, viewer, id)}) f
      join flow_drafts d on d.flow_id = f.id
      where d.user_id = ${viewer.user_id}
        and d.program_text is not null
    `,
  );

/**
 * Writes the viewer's draft. The same write may come twice.
 *
 * @returns undefined if there is no such flow, or a newer revision
 */
export const putFlowDraft = (
  sql: Sql,
  viewer: Viewer,
  id: number,
  { program_text, base_text, base_lock_version, revision }: NewFlowDraft,
): Promise<Json<SavedFlowDraft> | undefined> =>
  oneJson<SavedFlowDraft>(
    sql,
    sql`select ${columns(sql)} from written d join found f on f.id = d.flow_id`,
    sql`
      with found as (${flows(sql, viewer, id)}),
      written as (
        insert into flow_drafts as d
          (user_id, flow_id, account_id, program_text, base_text, base_lock_version, revision)
        select
          ${viewer.user_id}, id, ${viewer.account_id}, ${program_text}, ${base_text}, ${base_lock_version}::int,
          ${revision}::bigint
        from found
        on conflict (user_id, flow_id) do update
        set
          program_text = excluded.program_text,
          base_text = excluded.base_text,
          base_lock_version = excluded.base_lock_version,
          revision = excluded.revision,
          updated_at = now()
        where d.revision < excluded.revision
          or d.revision = excluded.revision and d.program_text = excluded.program_text
        returning d.*
      )
    `,
  );

/**
 * Empties the viewer's draft. The row stays, so that a late write of an older revision is still refused.
 *
 * @param revision undefined discards any
 * @returns false if there is no such flow, or a newer revision
 */
export async function discardFlowDraft(sql: Sql, viewer: Viewer, id: number, revision?: number): Promise<boolean> {
  const given = sql`${revision ?? null}::bigint`;
  const { count } = await sql`
    insert into flow_drafts as d (user_id, flow_id, account_id, base_lock_version, revision)
    select ${viewer.user_id}, id, ${viewer.account_id}, lock_version, coalesce(${given}, 0)
    from (${flows(sql, viewer, id)}) found
    on conflict (user_id, flow_id) do update
    set
      program_text = null,
      base_text = '',
      revision = greatest(d.revision, excluded.revision),
      updated_at = now()
    where ${given} is null
      or d.revision <= excluded.revision
      or d.program_text is null
  `;
  return count > 0;
}

/** Deletes the rows of drafts that were discarded more than an hour ago: a late request comes sooner. */
export async function sweepFlowDrafts(sql: Sql, at_once: number): Promise<void> {
  await sql`
    delete from flow_drafts d
    where (d.user_id, d.flow_id) in (
      select user_id, flow_id
      from flow_drafts
      where program_text is null
        and updated_at < now() - interval '1 hour'
      limit ${at_once}
    )
  `;
}
