/** How many objects of each kind the viewer sees. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { mayDo, type Viewer } from "../../viewer.ts";
import { visible, visibleTo } from "../../visibility.ts";
import { type Counts, MOST_COUNTED } from "./schema.ts";

/** A kind that the viewer may not list is null. */
export async function countThings({ sql, viewer, flows }: Context): Promise<Counts> {
  const seen = (table: string) =>
    mayDo(viewer, "user", `${table}:read`) ? countRows(sql, viewer, table, visible(sql, viewer)) : null;
  const all = (table: string, domain = table) =>
    mayDo(viewer, "manager", `${domain}:read`) ? countRows(sql, viewer, table, sql`true`) : null;
  const [apps, dbs, flow_count, connectors, crons, user_settings, departments, runs_in_progress] = await Promise.all([
    seen("apps"),
    seen("dbs"),
    seen("flows"),
    seen("connectors"),
    seen("crons"),
    all("users", "user_settings"),
    all("departments"),
    mayDo(viewer, "user", "flow_processes:read") ? countRuns(flows, viewer) : null,
  ]);
  return { apps, dbs, flows: flow_count, connectors, crons, user_settings, departments, runs_in_progress };
}

async function countRows(
  sql: Sql,
  { account_id }: Viewer,
  table: string,
  condition: ReturnType<Sql>,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select from ${sql(table)} where account_id = ${account_id} and ${condition} limit ${MOST_COUNTED}) counted
  `;
  return row?.count ?? 0;
}

async function countRuns(flows: Context["flows"], viewer: Viewer): Promise<number> {
  const pending = await flows.pending(viewer.account_id, MOST_COUNTED);
  return pending.filter(({ department_id }) => visibleTo(viewer, department_id)).length;
}
