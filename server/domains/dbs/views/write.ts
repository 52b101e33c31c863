/** Reads, creates, changes and deletes views. */
import type { Context } from "../../../context.ts";
import { Json } from "../../../database/json.ts";
import { forbidden, invalid, notFound } from "../../../errors.ts";
import type { KnownDb, KnownTable } from "../../../store/store.ts";
import { inDb } from "../../records/place.ts";
import { tableOf } from "../../records/tables.ts";
import { fitting, proveFitting } from "./fitting.ts";
import { deleteView, findView, insertView, listViews, MOST_VIEWS, type StoredView, updateView } from "./queries.ts";
import type { ByView, NewView, Settings, View, ViewChanges, ViewPage } from "./schema.ts";

const BLANK: Settings = { columns: [], filter: {}, q: "", sort: "" };

/** @throws {Refusal} 404 */
export function readViews(ctx: Context, input: ViewPage): Promise<Json<View[]>> {
  return inDb(ctx, input.db_code, async (db) => {
    const tables = input.table_name === undefined ? [...db.tables.values()] : [tableOf(db, input.table_name)];
    const { rows, total } = await listViews(ctx.sql, ctx.viewer, tables.map(({ id }) => id), input);
    return new Json<View[]>(JSON.stringify(rows.map((row) => shown(db, row))), total);
  });
}

/** @throws {Refusal} 404 */
export const readView = (ctx: Context, input: ByView): Promise<Json<View>> =>
  inDb(
    ctx,
    input.db_code,
    async (db) => new Json<View>(JSON.stringify(shown(db, await found(ctx, db, input.view_id)))),
  );

/** @throws {Refusal} 404; 422 by field */
export function createView(ctx: Context, db_code: string, input: NewView): Promise<Json<View>> {
  const { sql, viewer } = ctx;
  return inDb(ctx, db_code, async (db) => {
    const table = db.tables.get(input.table_name ?? "");
    if (!table) {
      throw invalid({ table_name: [input.table_name ? "is no table of this database" : "can't be blank"] });
    }
    const settings = changed(BLANK, input);
    proveFitting(table, settings);
    const id = await insertView(sql, viewer, table.id, { ...input, settings });
    if (id === undefined) throw invalid({ base: [`You have ${MOST_VIEWS} views of this table; delete one first`] });
    return new Json<View>(JSON.stringify(shown(db, await found(ctx, db, id))));
  });
}

/** Parts that the table no longer fits are dropped. @throws {Refusal} 403, 404; 422 by field */
export function changeView(ctx: Context, { db_code, view_id }: ByView, changes: ViewChanges): Promise<Json<View>> {
  const { sql, viewer } = ctx;
  return inDb(ctx, db_code, async (db) => {
    const view = await mine(ctx, db, view_id);
    const table = tableBy(db, view);
    const settings = changed(fitting(table, view.settings).settings, changes);
    proveFitting(table, settings);
    const { name = view.name, shared = view.shared } = changes;
    if (!shared && view.owner_id !== viewer.user_id) {
      throw invalid({ shared: ["can be taken back by the view's owner only"] });
    }
    await updateView(sql, viewer.account_id, view_id, { name, shared, settings });
    return new Json<View>(JSON.stringify(shown(db, await found(ctx, db, view_id))));
  });
}

/** @throws {Refusal} 403, 404 */
export const removeView = (ctx: Context, { db_code, view_id }: ByView): Promise<void> =>
  inDb(ctx, db_code, async (db) => {
    await mine(ctx, db, view_id);
    await deleteView(ctx.sql, ctx.viewer.account_id, view_id);
  });

async function found({ sql, viewer }: Context, db: KnownDb, id: number): Promise<StoredView> {
  const view = await findView(sql, viewer, [...db.tables.values()].map((table) => table.id), id);
  if (!view) throw notFound("View");
  return view;
}

/** A view that the viewer may change: an own one, or a shared one where the viewer is a manager. */
async function mine(ctx: Context, db: KnownDb, id: number): Promise<StoredView> {
  const view = await found(ctx, db, id);
  const { role, user_id } = ctx.viewer;
  if (view.owner_id === user_id || role === "admin" || role === "manager") return view;
  throw forbidden("Only its owner or a manager may change a shared view");
}

const changed = (settings: Settings, { columns, filter, q, sort }: ViewChanges): Settings => ({
  columns: columns ?? settings.columns,
  filter: filter ?? settings.filter,
  q: q ?? settings.q,
  sort: sort ?? settings.sort,
});

function tableBy(db: KnownDb, { table_id }: StoredView): KnownTable {
  const table = [...db.tables.values()].find(({ id }) => id === table_id);
  if (!table) throw notFound("View");
  return table;
}

function shown(db: KnownDb, view: StoredView): View {
  const { table_id: _table_id, settings: saved, created_at, updated_at, ...row } = view;
  const table = tableBy(db, view);
  const { settings, faults } = fitting(table, saved);
  return {
    ...row,
    table_name: table.name || null,
    ...settings,
    left_out: faults.map(({ part, field, reason }) => ({ part, field, reason })),
    created_at,
    updated_at,
  };
}
