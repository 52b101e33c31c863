/** SQL of openings. */
import { Json } from "../../../database/json.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";
import { DAYS, type Openings } from "./schema.ts";

const KEPT_DAYS = 90;

export interface Opened {
  app_id: string;
  /** `2026-11-22` */
  day: string;
  count: number;
}

/** Those of these apps that the viewer may see, in the order of their ids. */
export async function listOpenings(sql: Sql, viewer: Viewer, ids: readonly string[]): Promise<Json<Openings[]>> {
  const [row] = await sql<{ json: string }[]>`
    select coalesce(json_agg(r order by r.app_id), '[]')::text as json
    from (
      select
        a.id as app_id, min(d.day)::date as first_day, json_agg(coalesce(o.count, 0) order by d.day) as counts,
        coalesce(sum(o.count), 0) as total
      from (
        select id
        from apps
        where id = any(${[...ids]}::uuid[])
          and account_id = ${viewer.account_id}
          and ${visible(sql, viewer)}
      ) a
      cross join generate_series(
        (now() at time zone 'utc')::date - ${DAYS - 1}::int, (now() at time zone 'utc')::date, interval '1 day'
      ) d (day)
      left join app_openings o on o.app_id = a.id and o.day = d.day::date
      group by a.id
    ) r
  `;
  return new Json(row?.json ?? "[]");
}

/** Adds counts. Apps that have been deleted are left out. */
export async function addOpenings(sql: Sql, opened: readonly Opened[]): Promise<void> {
  await sql`
    insert into app_openings as o (app_id, day, account_id, count)
    select a.id, n.day, a.account_id, n.count
    from unnest(
      ${opened.map(({ app_id }) => app_id)}::uuid[],
      ${opened.map(({ day }) => day)}::date[],
      ${opened.map(({ count }) => count)}::int[]
    ) n (app_id, day, count)
    join apps a on a.id = n.app_id
    order by a.id, n.day
    on conflict (app_id, day) do update
    set count = o.count + excluded.count
  `;
}

/** @returns how many rows were deleted, at most `at_once` */
export async function sweepOpenings(sql: Sql, now: Date, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from app_openings o
    where (o.app_id, o.day) in (
      select app_id, day
      from app_openings
      where day < (${now.toISOString()}::timestamptz at time zone 'utc')::date - ${KEPT_DAYS}::int
      limit ${at_once}
    )
  `;
  return count;
}
