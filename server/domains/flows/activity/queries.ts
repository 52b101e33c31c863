/** SQL of the latest runs of flows. */
import { Json } from "../../../database/json.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";
import { newest } from "../../flow_processes/newest.ts";
import { usedBy } from "../../uses/uses.ts";
import { type FlowActivity, MOST_RUNS } from "./schema.ts";

/** Those of these flows that the viewer may see, in the order of their ids. */
export async function listActivity(sql: Sql, viewer: Viewer, ids: readonly number[]): Promise<Json<FlowActivity[]>> {
  const latest = newest(sql, "flow_code", sql`flows.code`);
  const [row] = await sql<{ json: string }[]>`
    select coalesce(json_agg(r order by r.flow_id), '[]')::text as json
    from (
      select flows.id as flow_id, ${usedBy(sql, viewer, "flow", sql`flows.code`)} as used_by, (
        select coalesce(json_agg(l order by l.id), '[]')
        from (
          select
            id, status, iso(finished_at) as finished_at,
            (extract(epoch from finished_at - started_at) * 1000)::bigint as ms
          from flow_processes
          where account_id = ${viewer.account_id}
            and ${latest.where}
            and ${visible(sql, viewer)}
          ${latest.order}
          limit ${MOST_RUNS}
        ) l
      ) as runs
      from flows
      where id = any(${[...ids]}::int[])
        and account_id = ${viewer.account_id}
        and ${visible(sql, viewer)}
    ) r
  `;
  return new Json(row?.json ?? "[]");
}
