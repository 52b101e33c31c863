/** Reads an app and its versions. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { notFound } from "../../errors.ts";
import { findApp } from "./queries.ts";
import type { App, ListedVersion, Version, VersionPage } from "./schema.ts";
import { findVersion, listVersions } from "./version_queries.ts";

/** @throws {Refusal} 404 */
export async function readApp({ sql, viewer }: Context, id: string): Promise<Json<App>> {
  const app = await findApp(sql, viewer, id);
  if (!app) throw notFound("App");
  return app;
}

/** @throws {Refusal} 404 */
export async function readVersions(ctx: Context, id: string, page: VersionPage): Promise<Json<ListedVersion[]>> {
  await readApp(ctx, id);
  return await listVersions(ctx.sql, ctx.viewer.account_id, id, page);
}

/** @throws {Refusal} 404 */
export async function readVersion(ctx: Context, id: string, version: number): Promise<Json<Version>> {
  await readApp(ctx, id);
  const found = await findVersion(ctx.sql, ctx.viewer.account_id, id, version);
  if (!found) throw notFound("Version");
  return found;
}
