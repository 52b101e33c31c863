/** Reads a flow's versions. */
import type { Context } from "../../../context.ts";
import { Json } from "../../../database/json.ts";
import { notFound } from "../../../errors.ts";
import { findFlow } from "../queries.ts";
import { findVersion, listVersions } from "./queries.ts";
import type { FlowVersion, FlowVersionDiff, FlowVersionPage, FlowVersionPair, ListedFlowVersion } from "./schema.ts";

/** @throws {Refusal} 404 */
async function presentVersion({ sql, viewer }: Context, id: number): Promise<number> {
  const flow = await findFlow(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  return flow.parse().version;
}

/** @throws {Refusal} 404 */
export async function readVersions(ctx: Context, page: FlowVersionPage): Promise<Json<ListedFlowVersion[]>> {
  await presentVersion(ctx, page.id);
  return await listVersions(ctx.sql, ctx.viewer.account_id, page);
}

/** @throws {Refusal} 404 */
export async function readVersion(ctx: Context, id: number, version: number): Promise<Json<FlowVersion>> {
  await presentVersion(ctx, id);
  const found = await findVersion(ctx.sql, ctx.viewer.account_id, id, version);
  if (!found) throw notFound("Version");
  return found;
}

/** Both versions, the older one first. @throws {Refusal} 404 */
export async function readVersionDiff(
  ctx: Context,
  { id, version, against }: FlowVersionPair,
): Promise<Json<FlowVersionDiff>> {
  const other = against ?? await presentVersion(ctx, id);
  const before = await readVersion(ctx, id, Math.min(version, other));
  const after = await readVersion(ctx, id, Math.max(version, other));
  // The stored texts: parsing and writing them again would move numeric keys of the programs to the front.
  return new Json(`{"before":${before.text},"after":${after.text}}`);
}
