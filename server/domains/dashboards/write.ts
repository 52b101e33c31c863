/** Reads and replaces dashboards. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, invalid } from "../../errors.ts";
import { findDashboard, findTiles, listApps, putTiles } from "./queries.ts";
import { type Dashboard, MOST_TILES, type NewDashboard, type Tile } from "./schema.ts";

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
 * Replaces a board. Tiles of apps that the viewer may not have there now, such as one that is switched off for a while,
 * keep their stored places: the viewer's page does not show them, and so cannot send them.
 *
 * @param user null for the account's default board
 * @throws {Refusal} 422 for new tiles of apps that the viewer may not have on a board, and for two of one app; 409
 */
export async function putDashboard(
  ctx: Context,
  user: number | null,
  { tiles, if_updated_at }: NewDashboard,
): Promise<Json<Dashboard>> {
  const { sql, viewer } = ctx;
  const sent = tiles.map(idOf);
  const stored = await findTiles(sql, viewer.account_id, user) ?? [];
  const apps = await listApps(sql, viewer, [...sent, ...stored.map(idOf)]);
  const existing = new Set(apps.map(({ id }) => id));
  const fitting = new Set(apps.filter(({ fits }) => fits).map(({ id }) => id));
  const hidden = stored.filter((tile) => !fitting.has(idOf(tile)));
  const hidden_ids = new Set(hidden.map(idOf));
  const faults = sent.flatMap((id, index): [string, string[]][] => {
    const messages = [
      ...(fitting.has(id) || hidden_ids.has(id)
        ? []
        : ["must be an active app that you may see, with dashboard_widget"]),
      ...(sent.indexOf(id) < index ? ["has a tile already"] : []),
    ];
    return messages.length > 0 ? [[`tiles.${index}.app_id`, messages]] : [];
  });
  if (faults.length > 0) throw invalid(Object.fromEntries(faults));
  const kept = hidden.filter((tile) => existing.has(idOf(tile)) && !sent.includes(idOf(tile)));
  const all = [...tiles, ...kept].slice(0, MOST_TILES);
  if (!await putTiles(sql, viewer.account_id, user, all, if_updated_at)) {
    throw conflict((await readDashboard(ctx, user)).parse());
  }
  return await readDashboard(ctx, user);
}

const idOf = ({ app_id }: Pick<Tile, "app_id">) => app_id.toLowerCase();
