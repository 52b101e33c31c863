/** SQL of connectors' health. */
import { Json } from "../../../database/json.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";
import type { ConnectorHealth } from "./schema.ts";

/** Of those of these connectors that the viewer may see, in the order of their ids. */
export async function listHealth(
  sql: Sql,
  viewer: Viewer,
  ids: readonly number[],
  hours: number,
): Promise<Json<ConnectorHealth[]>> {
  const [row] = await sql<{ json: string }[]>`
    select coalesce(json_agg(r order by r.connector_id), '[]')::text as json
    from (
      select
        k.id as connector_id,
        iso(min(h.hour)) as first_hour,
        json_agg(coalesce(c.calls, 0) order by h.hour) as calls,
        json_agg(coalesce(c.failures, 0) order by h.hour) as failures,
        json_agg(round(c.total_ms::numeric / c.calls)::int order by h.hour) as ms,
        json_build_object(
          'calls', coalesce(sum(c.calls), 0), 'failures', coalesce(sum(c.failures), 0),
          'ms', round(sum(c.total_ms) / sum(c.calls))::int, 'most_ms', max(c.most_ms)
        ) as total,
        (
          select json_build_object(
            'at', iso(f.failed_at), 'method', f.last_failure->>'method', 'kind', f.last_failure->>'kind',
            'message', f.last_failure->>'message'
          )
          from connector_calls f
          where f.connector_id = k.id
            and f.failed_at is not null
          order by f.hour desc
          limit 1
        ) as last_failure
      from (
        select id
        from connectors
        where id = any(${[...ids]}::int[])
          and account_id = ${viewer.account_id}
          and ${visible(sql, viewer)}
      ) k
      cross join generate_series(
        date_trunc('hour', now()) - ${hours - 1}::int * interval '1 hour', date_trunc('hour', now()), interval '1 hour'
      ) h (hour)
      left join connector_calls c on c.connector_id = k.id and c.hour = h.hour
      group by k.id
    ) r
  `;
  return new Json(row?.json ?? "[]");
}
