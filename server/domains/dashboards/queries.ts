/** SQL of dashboards. */
import type { Json } from "../../database/json.ts";
import { oneJson } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { opensFor } from "../embeds/queries.ts";
import type { Dashboard, Tile } from "./schema.ts";

/** Apps that the viewer may have on a board. */
const fitting = (sql: Sql, viewer: Viewer) =>
  sql`${opensFor(sql, viewer.account_id, viewer)} and coalesce(fields -> 'dashboard_widget' = 'true', false)`;

/**
 * A board with the tiles whose apps the viewer may have, in the order in which they were sent.
 *
 * @param user null for the account's default board only; a user without a board of its own gets that one, too
 * @param base_url without a trailing slash
 */
export async function findDashboard(
  sql: Sql,
  base_url: string,
  viewer: Viewer,
  user: number | null,
): Promise<Json<Dashboard> | undefined> {
  const of_user = sql`user_id = ${user}::int`;
  return await oneJson<Dashboard>(
    sql,
    sql`
      select
        coalesce(d.user_id is null, true) as is_default,
        coalesce(
          (
            select json_agg(json_build_object(
              'app_id', a.id, 'x', t.tile -> 'x', 'y', t.tile -> 'y', 'w', t.tile -> 'w', 'h', t.tile -> 'h',
              'title', a.name, 'url', ${`${base_url}/a/`} || a.id
            ) order by t.number)
            from jsonb_array_elements(d.tiles) with ordinality t (tile, number)
            join (select id, name from apps where ${fitting(sql, viewer)}) a on a.id = (t.tile ->> 'app_id')::uuid
          ),
          '[]'
        ) as tiles,
        iso(d.updated_at) as updated_at
      from (values (1)) one
      left join lateral (
        select user_id, tiles, updated_at
        from dashboards
        where account_id = ${viewer.account_id}
          and (user_id is null or ${of_user})
        order by user_id nulls last
        limit 1
      ) d on true
    `,
  );
}

/** Those of these apps that are in the account, and whether the viewer may have them on a board. */
export const listApps = (sql: Sql, viewer: Viewer, ids: string[]) =>
  sql<{ id: string; fits: boolean }[]>`
    select id, ${fitting(sql, viewer)} as fits
    from apps
    where account_id = ${viewer.account_id}
      and id = any(${ids}::uuid[])
  `;

const ofUser = (sql: Sql, user: number | null) => user === null ? sql`user_id is null` : sql`user_id = ${user}`;

/** @param user null for the account's default board @returns the tiles as they are stored, or undefined without a board */
export async function findTiles(sql: Sql, account: number, user: number | null): Promise<Tile[] | undefined> {
  const [row] = await sql<{ tiles: Tile[] }[]>`
    select tiles
    from dashboards
    where account_id = ${account}
      and ${ofUser(sql, user)}
  `;
  return row?.tiles;
}

/**
 * @param user null for the account's default board
 * @param if_updated_at the board must have it; null: there must be none; undefined: any
 * @returns whether the board was replaced
 */
export async function putTiles(
  sql: Sql,
  account: number,
  user: number | null,
  tiles: Tile[],
  if_updated_at: string | null | undefined,
): Promise<boolean> {
  if (typeof if_updated_at === "string") {
    const { count } = await sql`
      update dashboards
      set
        tiles = ${sql.json(tiles)},
        updated_at = now()
      where account_id = ${account}
        and ${ofUser(sql, user)}
        and iso(updated_at) = ${if_updated_at}
    `;
    return count > 0;
  }
  const target = user === null
    ? sql`(account_id) where user_id is null`
    : sql`(account_id, user_id) where user_id is not null`;
  const { count } = await sql`
    insert into dashboards (account_id, user_id, tiles)
    values (${account}, ${user}::int, ${sql.json(tiles)})
    on conflict ${target} do update
    set
      tiles = excluded.tiles,
      updated_at = now()
    where ${if_updated_at === undefined}
  `;
  return count > 0;
}

export const deleteDashboard = (sql: Sql, account: number, user: number) =>
  sql`delete from dashboards where account_id = ${account} and user_id = ${user}`;
