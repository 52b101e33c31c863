/** Reads and replaces dashboards. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { invalid } from "../../errors.ts";
import { findDashboard, listFitting, putTiles } from "./queries.ts";
import type { Dashboard, NewDashboard } from "./schema.ts";

/** @param user null for the account's default board */
export async function readDashboard(
  { sql, config, viewer }: Context,
  user: number | null,
): Promise<Json<Dashboard>> {
  const board = await findDashboard(sql, config.base_url, viewer, user);
  if (!board) throw new Error("a query without a condition returned no row");
  return board;
}

/**
 * @param user null for the account's default board
 * @throws {Refusal} 422 for tiles of apps that the viewer may not have on a board
 */
export async function putDashboard(
  ctx: Context,
  user: number | null,
  { tiles }: NewDashboard,
): Promise<Json<Dashboard>> {
  const { sql, viewer } = ctx;
  const known = await listFitting(sql, viewer, tiles.map(({ app_id }) => app_id));
  const fitting = new Set(known.map(({ id }) => id));
  const faults = tiles.flatMap(({ app_id }, index): [string, string[]][] =>
    fitting.has(app_id.toLowerCase())
      ? []
      : [[`tiles.${index}.app_id`, ["must be an active app that you may see, with dashboard_widget"]]]
  );
  if (faults.length > 0) throw invalid(Object.fromEntries(faults));
  await putTiles(sql, viewer.account_id, user, tiles);
  return await readDashboard(ctx, user);
}
