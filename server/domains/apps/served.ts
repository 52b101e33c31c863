/** SQL of the apps that `/a/` serves: active ones of every account. The caller decides who may open them. */
import type { CssEngine, Engine } from "../../compiler/compiler.ts";
import type { Sql } from "../../database/pool.ts";

export interface Served {
  id: string;
  account_id: number;
  department_id: number | null;
  name: string;
  db_code: string | null;
  public: boolean;
  engine: Engine;
  css_engine: CssEngine;
  code: string;
  css: string;
  imports: string[];
  scripts: string[];
  actions: { action: string; flow_code: string; public: boolean }[];
  action_authors: Record<string, number>;
  /** Whether it may ask the server for records or actions, and so needs a page token. */
  asks: boolean;
  lock_version: number;
}

/** For apps that were built before builds said it: what a source that sends requests names. */
const ASKING = "\\m(platform|fetch|XMLHttpRequest|EventSource)\\M|/db/";

/** An active app. The id alone names it: a page's address carries no account. */
export async function findServed(sql: Sql, id: string): Promise<Served | undefined> {
  const [app] = await sql<Served[]>`
    select
      id, account_id, department_id, name, db_code, public, app_engine as engine, css_engine, app_code as code,
      css_code as css, imports, scripts, actions, action_authors, lock_version,
      db_code is not null or jsonb_array_length(actions) > 0 or coalesce(asks, source_code ~ ${ASKING}) as asks
    from apps
    where id = ${id}
      and active
  `;
  return app;
}

/** The id of an active app. */
export async function findServedId(sql: Sql, account_id: number, url_code: string): Promise<string | undefined> {
  const [app] = await sql<{ id: string }[]>`
    select id
    from apps
    where account_id = ${account_id}
      and url_code = ${url_code}
      and active
  `;
  return app?.id;
}

/** Undefined if the app is deleted or inactive. */
export async function findServedVersion(
  sql: Sql,
  { id, account_id }: { id: string; account_id: number },
): Promise<number | undefined> {
  const [app] = await sql<{ lock_version: number }[]>`
    select lock_version
    from apps
    where id = ${id}
      and account_id = ${account_id}
      and active
  `;
  return app?.lock_version;
}
