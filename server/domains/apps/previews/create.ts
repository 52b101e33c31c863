/** Compiles a source as a save does, and keeps the result for a few minutes. Nothing of the app changes. */
import type { Context } from "../../../context.ts";
import { invalid } from "../../../errors.ts";
import { buildOf } from "../weight.ts";
import { findPreviewed, insertPreview } from "./queries.ts";
import type { NewPreview, Preview } from "./schema.ts";

const NEW_APP = { name: "Preview", db_code: null, app_engine: "svelte", css_engine: "tailwind_all" } as const;

/** @throws {Refusal} 422 where there is no such app @throws {CompileFailure} */
export async function createPreview(ctx: Context, { id = null, source_code, ...given }: NewPreview): Promise<Preview> {
  const app = id === null ? NEW_APP : await findPreviewed(ctx.sql, ctx.viewer, id);
  if (!app) throw invalid({ id: ["must exist"] });
  const parts = { ...app, ...given };
  const build = await buildOf(ctx, { ...parts, source_code }, true);
  const { key, expires_at } = await insertPreview(ctx.sql, ctx.viewer, { ...parts, app_id: id, build });
  const { app_build_time, css_build_time, config: { warnings, sizes } } = build;
  return { url: `/previews/${key}/frame`, expires_at, warnings, sizes, app_build_time, css_build_time };
}
