/** Which database and table a request means, and which records the viewer may see there. */
import { actorOf } from "../../actor.ts";
import type { Context } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { findTablesOf, type KnownDb, part, type Place, type STALE, withDb } from "../../store/store.ts";
import { visible, visibleTo } from "../../visibility.ts";
import { tableOf } from "./tables.ts";

const noDb = () => notFound("Database");

/** Runs `work` in a database that the viewer may see. @throws {Refusal} 404 */
export function inDb<Result>(
  { viewer, dbs }: Pick<Context, "viewer" | "dbs">,
  db_code: string,
  work: (db: KnownDb) => Promise<Result | typeof STALE>,
): Promise<Result> {
  return withDb(dbs, viewer.account_id, db_code, noDb, (db) => {
    if (!visibleTo(viewer, db.department_id)) throw noDb();
    return work(db);
  });
}

/** A table of a database, with the records that the viewer may see. @throws {Refusal} 400, 404 */
export const placeIn = ({ viewer, call }: Context, db: KnownDb, table_name: string | undefined): Place => ({
  db,
  table: tableOf(db, table_name),
  allowed: visible(part, viewer),
  by: actorOf(call),
});

export const inTable = <Result>(
  ctx: Context,
  db_code: string,
  table_name: string | undefined,
  work: (place: Place) => Promise<Result | typeof STALE>,
): Promise<Result> => inDb(ctx, db_code, (db) => work(placeIn(ctx, db, table_name)));

/** Runs `work` in the table of a record. The id is unique in the database, so the request need not name the table. */
export const inTableOf = <Result>(
  ctx: Context,
  db_code: string,
  { id, table_name }: { id: string; table_name?: string | undefined },
  work: (place: Place) => Promise<Result | typeof STALE>,
): Promise<Result> =>
  inDb(ctx, db_code, async (db) => {
    if (table_name !== undefined || db.tables.has("")) return await work(placeIn(ctx, db, table_name));
    const [table] = (await findTablesOf(ctx.sql, db, visible(part, ctx.viewer), [id])).values();
    if (!table) throw notFound("Record");
    return await work(placeIn(ctx, db, table.name));
  });
