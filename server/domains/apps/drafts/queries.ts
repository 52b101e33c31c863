/** SQL of drafts. Every statement finds the app as the viewer sees it now. */
import type { Json } from "../../../database/json.ts";
import { listJson, oneJson, slice } from "../../../database/lists.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";
import type { Draft, DraftPage, ListedDraft, NewDraft, SavedDraft } from "./schema.ts";

const apps = (sql: Sql, viewer: Viewer, id: string) =>
  sql`
    select id, lock_version
    from apps
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;

const columns = (sql: Sql) =>
  sql`
    d.app_id, d.app_engine, d.css_engine, d.base_lock_version, a.lock_version, d.revision, iso(d.updated_at) as updated_at
  `;

/** The viewer's own. */
export const findDraft = (sql: Sql, viewer: Viewer, id: string): Promise<Json<Draft> | undefined> =>
  oneJson<Draft>(
    sql,
    sql`
      select ${columns(sql)}, d.source_code
      from (${apps(sql, viewer, id)}) a
      join app_drafts d on d.app_id = a.id
      where d.user_id = ${viewer.user_id}
        and d.source_code is not null
    `,
  );

/**
 * Writes the viewer's draft. The same write may come twice.
 *
 * @returns undefined if there is no such app, or a newer revision
 */
export const putDraft = (
  sql: Sql,
  viewer: Viewer,
  id: string,
  { source_code, app_engine, css_engine, base_lock_version, revision }: NewDraft,
): Promise<Json<SavedDraft> | undefined> =>
  oneJson<SavedDraft>(
    sql,
    sql`select ${columns(sql)} from written d join found a on a.id = d.app_id`,
    sql`
      with found as (${apps(sql, viewer, id)}),
      written as (
        insert into app_drafts as d
          (user_id, app_id, account_id, source_code, app_engine, css_engine, base_lock_version, revision)
        select
          ${viewer.user_id}, id, ${viewer.account_id}, ${source_code}, ${app_engine}, ${css_engine},
          ${base_lock_version}::int, ${revision}::bigint
        from found
        on conflict (user_id, app_id) do update
        set
          source_code = excluded.source_code,
          app_engine = excluded.app_engine,
          css_engine = excluded.css_engine,
          base_lock_version = excluded.base_lock_version,
          revision = excluded.revision,
          updated_at = now()
        where d.revision < excluded.revision
          or d.revision = excluded.revision and d.source_code = excluded.source_code
        returning d.*
      )
    `,
  );

/**
 * Empties the viewer's draft. The row stays, so that a late write of an older revision is still refused.
 *
 * @param revision undefined discards any
 * @returns false if there is no such app, or a newer revision
 */
export async function discardDraft(sql: Sql, viewer: Viewer, id: string, revision?: number): Promise<boolean> {
  const given = sql`${revision ?? null}::bigint`;
  const { count } = await sql`
    insert into app_drafts as d (user_id, app_id, account_id, base_lock_version, revision)
    select ${viewer.user_id}, id, ${viewer.account_id}, lock_version, coalesce(${given}, 0)
    from (${apps(sql, viewer, id)}) found
    on conflict (user_id, app_id) do update
    set
      source_code = null,
      app_engine = null,
      css_engine = null,
      revision = greatest(d.revision, excluded.revision),
      updated_at = now()
    where ${given} is null
      or d.revision <= excluded.revision
      or d.source_code is null
  `;
  return count > 0;
}

export function listDrafts(sql: Sql, viewer: Viewer, page: DraftPage): Promise<Json<ListedDraft[]>> {
  const chosen = sql`
    from app_drafts d
    join apps a on a.id = d.app_id
    where d.user_id = ${viewer.user_id}
      and d.source_code is not null
      and a.account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;
  const order = page.sort === "updated_at" ? sql`d.updated_at, d.app_id` : sql`d.updated_at desc, d.app_id desc`;
  return listJson<ListedDraft>(
    sql,
    sql`select ${
      columns(sql)
    }, a.name, coalesce(d.app_engine, a.app_engine) as app_engine ${chosen} order by ${order} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

/** Deletes the rows of drafts that were discarded more than an hour ago: a late request comes sooner. @returns how many, at most `at_once` */
export async function sweepDrafts(sql: Sql, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from app_drafts d
    where (d.user_id, d.app_id) in (
      select user_id, app_id
      from app_drafts
      where source_code is null
        and updated_at < now() - interval '1 hour'
      limit ${at_once}
    )
  `;
  return count;
}
