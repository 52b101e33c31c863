/** SQL of apps. */
import type { Build, CssEngine, Engine } from "../../compiler/compiler.ts";
import type { Viewer } from "../../viewer.ts";
import { within } from "../../database/like.ts";
import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { inDepartment, visible } from "../../visibility.ts";
import type { App, AppPage, ListedApp } from "./schema.ts";

/** The number of earlier versions that an app keeps. */
const KEPT_VERSIONS = 100;

const listed = (sql: Sql, viewer: Viewer) =>
  sql`
    id, name, url_code, description, app_engine, css_engine, public, active, app_build_time, css_build_time,
    fields, config, actions, db_code, show_in_module, position, embed_width, embed_height, department_id,
    coalesce(fields -> 'dashboard_widget' = 'true', false) as dashboard_widget,
    exists (
      select from app_drafts d where d.user_id = ${viewer.user_id} and d.app_id = id and d.source_code is not null
    ) as has_draft,
    version, lock_version, created_by_id, updated_by_id, iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const columns = (sql: Sql, viewer: Viewer) => sql`${listed(sql, viewer)}, prompt, source_code`;

const orders = (sql: Sql) => ({
  name: sql`name_folded, id`,
  "-name": sql`name_folded desc, id desc`,
  created_at: sql`created_at, id`,
  "-created_at": sql`created_at desc, id desc`,
  updated_at: sql`updated_at, id`,
  "-updated_at": sql`updated_at desc, id desc`,
});

/** One page of the apps that the viewer may see, newest first by default. */
export function listApps(sql: Sql, viewer: Viewer, page: AppPage) {
  const { q, action, app_engine, active, show_in_module, dashboard_widget } = page;
  const chosen = sql`
    from apps
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, page.department_id)}
      ${viewer.role === "guest" ? sql`and active` : sql``}
      ${
    action === undefined ? sql`` : sql`and exists (
        select from jsonb_array_elements(actions) named where named ->> 'action' ilike ${within(action)}
      )`
  }
      ${app_engine === undefined ? sql`` : sql`and app_engine = ${app_engine}`}
      ${page.public === undefined ? sql`` : sql`and public = ${page.public}`}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
      ${show_in_module === undefined ? sql`` : sql`and show_in_module = ${show_in_module}`}
      ${
    dashboard_widget === undefined
      ? sql``
      : sql`and coalesce(fields -> 'dashboard_widget' = 'true', false) = ${dashboard_widget}`
  }
      ${
    q === undefined
      ? sql``
      : sql`and (name ilike ${within(q)} or description ilike ${within(q)} or url_code ilike ${within(q)})`
  }
  `;
  return listJson<ListedApp>(
    sql,
    sql`select ${listed(sql, viewer)} ${chosen} order by ${orders(sql)[page.sort ?? "-created_at"]} ${
      slice(sql, page)
    }`,
    sql`select count(*) ${chosen}`,
  );
}

const one = (sql: Sql, viewer: Viewer, id: string) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

export const findApp = (sql: Sql, viewer: Viewer, id: string) =>
  oneJson<App>(sql, sql`select ${columns(sql, viewer)} from apps where ${one(sql, viewer, id)}`);

/** The state that a change starts from. */
export interface Written {
  app_engine: Engine;
  css_engine: CssEngine;
  source_code: string;
  actions: App["actions"];
  action_authors: Record<string, number>;
  public: boolean;
  fields: Record<string, unknown>;
  prompt: string | null;
  lock_version: number;
}

export async function findWritten(sql: Sql, viewer: Viewer, id: string): Promise<Written | undefined> {
  const [app] = await sql<Written[]>`
    select app_engine, css_engine, source_code, actions, action_authors, public, fields, prompt, lock_version
    from apps
    where ${one(sql, viewer, id)}
  `;
  return app;
}

/** Those of these codes whose flows the viewer may see. */
export const listVisibleFlows = (sql: Sql, viewer: Viewer, codes: string[]) =>
  sql<{ code: string }[]>`
    select code
    from flows
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
  `;

/** The columns that a write sets. `buildValues` makes those of a build. */
export type Values = Record<string, unknown>;

export const buildValues = (
  { code, css, imports, scripts, app_build_time, css_build_time, asks, config }: Build,
): Values => ({
  app_code: code,
  css_code: css,
  imports,
  scripts,
  app_build_time,
  css_build_time,
  asks,
  config,
});

const stored = (sql: Sql) =>
  sql`
    department_id, name, name_folded, url_code, description, app_engine, css_engine, source_code, public, active,
    db_code, show_in_module, position, embed_width, embed_height, prompt, actions, action_authors, fields, config, app_build_time, css_build_time,
    app_code, css_code, imports, scripts, asks, updated_by_id
  `;

const DEFAULTS = { position: 0, public: false, active: true, actions: [], action_authors: {}, fields: {} };

const asJson = (sql: Sql, values: Values) => sql.json(values as Parameters<Sql["json"]>[0]);

export const insertApp = (sql: Sql, viewer: Viewer, id: string, values: Values) =>
  oneJson<App>(
    sql,
    sql`select ${columns(sql, viewer)} from inserted`,
    sql`
      with inserted as (
        insert into apps (id, account_id, created_by_id, ${stored(sql)})
        select ${id}, ${viewer.account_id}, ${viewer.user_id}, ${stored(sql)}
        from jsonb_populate_record(null::apps, ${asJson(sql, { ...DEFAULTS, ...values })})
        returning *
      )
    `,
  );

/**
 * Changes the app if it still has this `lock_version`.
 *
 * @param keeps whether the current state becomes an earlier version
 */
export const updateApp = (
  sql: Sql,
  viewer: Viewer,
  id: string,
  lock_version: number,
  values: Values,
  keeps: boolean,
) =>
  oneJson<App>(
    sql,
    sql`select ${columns(sql, viewer)} from updated`,
    sql`
      with before as (
        select *
        from apps
        where ${one(sql, viewer, id)}
          and lock_version = ${lock_version}
        for update
      ),
      kept as (
        insert into app_versions (
          app_id, version, lock_version, app_engine, css_engine, source_code, actions, created_by_id
        )
        select id, version, lock_version, app_engine, css_engine, source_code, actions, ${viewer.user_id}
        from before
        where ${keeps}
      ),
      pruned as (
        delete from app_versions v
        using before b
        where v.app_id = b.id
          and v.version <= b.version - ${KEPT_VERSIONS}
          and ${keeps}
      ),
      updated as (
        update apps a
        set
          (${stored(sql)}) = (select ${stored(sql)} from jsonb_populate_record(a, ${asJson(sql, values)})),
          version = a.version + ${keeps ? 1 : 0},
          lock_version = a.lock_version + 1,
          updated_at = now()
        from before b
        where a.id = b.id
        returning a.*
      )
    `,
  );

export async function deleteApp(sql: Sql, viewer: Viewer, id: string): Promise<boolean> {
  const deleted = await sql`delete from apps where ${one(sql, viewer, id)} returning id`;
  return deleted.length > 0;
}
