/** SQL of an app's earlier versions. */
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Page } from "../../input/shapes.ts";
import type { ListedVersion, Version } from "./schema.ts";

const versionColumns = (sql: Sql) =>
  sql`v.version, v.lock_version, v.app_engine, v.css_engine, v.created_by_id, iso(v.created_at) as created_at`;

const ofApp = (sql: Sql, account: number, id: string) =>
  sql`v.app_id = (select id from apps where id = ${id} and account_id = ${account})`;

/** The states that later changes replaced, newest first unless `sort` says otherwise. */
export function listVersions(sql: Sql, account: number, id: string, page: Page<"version" | "-version">) {
  const order = page.sort === "version" ? sql`v.version` : sql`v.version desc`;
  return listJson<ListedVersion>(
    sql,
    sql`
      select ${versionColumns(sql)}
      from app_versions v
      where ${ofApp(sql, account, id)}
      order by ${order}
      ${slice(sql, page)}
    `,
    sql`select count(*) from app_versions v where ${ofApp(sql, account, id)}`,
  );
}

export const findVersion = (sql: Sql, account: number, id: string, version: number) =>
  oneJson<Version>(
    sql,
    sql`
      select ${versionColumns(sql)}, v.source_code, v.actions
      from app_versions v
      where ${ofApp(sql, account, id)}
        and v.version = ${version}
    `,
  );
