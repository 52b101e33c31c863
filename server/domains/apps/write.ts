/** Creates, changes, restores and deletes apps. A change of the source compiles it. */
import { isDeepStrictEqual } from "node:util";
import { v7 as uuid } from "uuid";
import { CompileFailure } from "../../compiler/compiler.ts";
import type { Context } from "../../context.ts";
import { conflict, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { proveDepartment } from "../departments/proof.ts";
import { buildValues, deleteApp, findWritten, insertApp, updateApp, type Values, type Written } from "./queries.ts";
import { forgetRefusals, noteRefusal } from "./refusals.ts";
import { readApp, readVersion } from "./read.ts";
import type { App, AppChanges, NewApp } from "./schema.ts";
import { buildOf } from "./weight.ts";
import { authorsOf } from "./wiring.ts";

/** After this many conflicts with other writers a change is refused with 409. */
const ATTEMPTS = 20;

/** @throws {CompileFailure} */
export async function createApp(ctx: Context, input: NewApp): Promise<Json<App>> {
  await proveDepartment(ctx, input.department_id ?? null);
  const action_authors = await authorsOf(ctx, input.actions ?? []);
  const build = await buildOf(ctx, input);
  const values = { ...valuesOf(input, {}), action_authors, ...buildValues(build) };
  const created = await insertApp(ctx.sql, ctx.viewer, uuid(), values);
  if (!created) throw new Error("an insert returned no row");
  return created;
}

/**
 * Changes an app by what `edit` makes of its present state. The row is not locked during the compilation, which may
 * take seconds. If the app was changed in the meantime, `edit` runs again on the new state.
 *
 * @throws {Refusal} 404, 409 if `lock_version` is not the current one
 * @throws {CompileFailure} and changes nothing but the app's `app_refusals`
 */
export async function changeApp(
  ctx: Context,
  id: string,
  edit: (app: Written) => AppChanges,
  lock_version?: number,
): Promise<Json<App>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const changed = await tryChange(ctx, id, edit, lock_version);
    if (changed) {
      ctx.pages.forget(id);
      return changed;
    }
  }
  throw conflict((await readApp(ctx, id)).parse());
}

async function tryChange(
  ctx: Context,
  id: string,
  edit: (app: Written) => AppChanges,
  lock_version: number | undefined,
): Promise<Json<App> | undefined> {
  const { sql, viewer } = ctx;
  const app = await findWritten(sql, viewer, id);
  if (!app) throw notFound("App");
  if (lock_version !== undefined && lock_version !== app.lock_version) {
    throw conflict((await readApp(ctx, id)).parse());
  }
  const changes = edit(app);
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  const opens = changes.public === true && !app.public;
  const wired = changes.actions || opens;
  const action_authors = wired && await authorsOf(ctx, changes.actions ?? app.actions, app, opens);
  const values = {
    ...valuesOf(changes, app.fields),
    ...action_authors && { action_authors },
    ...await rebuilt(ctx, id, app, changes),
    updated_by_id: viewer.user_id,
  };
  const changed = await updateApp(sql, viewer, id, app.lock_version, values, keeps(app, changes));
  if (changed && differs(app, changes, SOURCES)) await forgetRefusals(sql, viewer, id);
  return changed;
}

/** @throws {Refusal} 404 */
export async function removeApp({ sql, viewer, pages }: Context, id: string): Promise<void> {
  if (!await deleteApp(sql, viewer, id)) throw notFound("App");
  pages.forget(id);
}

/** Restores the source, engines and actions of a version. The replaced state becomes a version in turn. */
export async function restoreVersion(ctx: Context, id: string, version: number): Promise<Json<App>> {
  const { source_code, app_engine, css_engine, actions } = (await readVersion(ctx, id, version)).parse();
  return await changeApp(ctx, id, () => ({ source_code, app_engine, css_engine, actions }));
}

const SOURCES = ["source_code", "app_engine", "css_engine"] as const;

/** PostgreSQL keeps the keys of an action in another order. */
const differs = (app: Written, changes: AppChanges, keys: readonly (keyof Written & keyof AppChanges)[]) =>
  keys.some((key) => changes[key] !== undefined && !isDeepStrictEqual(changes[key], app[key]));

const keeps = (app: Written, changes: AppChanges) => differs(app, changes, [...SOURCES, "actions"]);

async function rebuilt(ctx: Context, id: string, app: Written, changes: AppChanges): Promise<Values> {
  if (!differs(app, changes, SOURCES)) return {};
  try {
    return buildValues(await buildOf(ctx, { ...app, ...changes }));
  } catch (error) {
    if (error instanceof CompileFailure) await noteRefusal(ctx.sql, ctx.viewer, id, error);
    throw error;
  }
}

/** @param fields the app's `fields` before the write */
function valuesOf(input: Partial<NewApp> & AppChanges, fields: Record<string, unknown>): Values {
  const { dashboard_widget, lock_version: _lock_version, ...values } = input;
  const kept = fields.dashboard_widget === undefined ? {} : { dashboard_widget: fields.dashboard_widget };
  return {
    ...values,
    ...(input.name !== undefined && { name_folded: fold(input.name) }),
    ...(input.fields && { fields: { ...kept, ...input.fields } }),
    ...(dashboard_widget !== undefined && { fields: { ...(input.fields ?? fields), dashboard_widget } }),
  };
}
