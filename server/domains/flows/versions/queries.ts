/** SQL of a flow's versions. */
import { listJson, oneJson, slice } from "../../../database/lists.ts";
import type { Sql } from "../../../database/pool.ts";
import type { FlowVersion, FlowVersionPage, ListedFlowVersion } from "./schema.ts";

/** The number of earlier versions that a flow keeps. */
export const KEPT_VERSIONS = 100;

const listed = (sql: Sql) =>
  sql`version, author_id, runs_as, iso(created_at) as created_at, iso(replaced_at) as replaced_at`;

/** The earlier versions, newest first unless `sort` says otherwise. */
export function listVersions(sql: Sql, account: number, page: FlowVersionPage) {
  const order = page.sort === "version" ? sql`version` : sql`version desc`;
  const chosen = sql`
    from flow_versions
    where flow_id = ${page.id}
      and account_id = ${account}
      and replaced_at is not null
      and dropped_at is null
  `;
  return listJson<ListedFlowVersion>(
    sql,
    sql`select ${listed(sql)} ${chosen} order by ${order} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

/** An earlier version or the present one. */
export const findVersion = (sql: Sql, account: number, flow: number, version: number) =>
  oneJson<FlowVersion>(
    sql,
    sql`
      select ${listed(sql)}, input, output, secret_inputs, on_failure, program
      from flow_versions
      where flow_id = ${flow}
        and account_id = ${account}
        and version = ${version}
        and dropped_at is null
    `,
  );
