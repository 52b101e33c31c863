/** Creating, changing and deleting databases. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { fold } from "../../schema.ts";
import { slug } from "../../slug.ts";
import { readSchema } from "../../store/definition.ts";
import { provePublicMethods, PublicMethods } from "../../store/public_methods.ts";
import { type Progress, progressOf, reindex } from "../../store/reindex.ts";
import type { Table } from "../../store/store.ts";
import { proveDepartment } from "../departments/proof.ts";
import {
  deleteDb,
  dropTable,
  findDb,
  insertDb,
  insertTable,
  listTables,
  lockDb,
  updateDb,
  updateTable,
  type Values,
} from "./queries.ts";
import type { Db, DbChanges, NewDb } from "./schema.ts";

/** @throws {Refusal} 404 */
export async function readDb({ sql, viewer }: Context, code: string): Promise<Json<Db>> {
  const db = await findDb(sql, viewer, code);
  if (!db) throw notFound("Database");
  return db;
}

export async function createDb(ctx: Context, input: NewDb): Promise<Json<Db>> {
  const { sql, viewer } = ctx;
  const { schema = { fields: {} }, public_methods = {}, department_id = null } = input;
  const code = input.code ?? slug(input.name, "_").slice(0, 100);
  if (!code) throw invalid({ code: ["can't be blank"] });
  const tables = readSchema(schema);
  provePublicMethods(public_methods, tables);
  await proveDepartment(ctx, department_id);
  const values = { public_write_limit: 60, ...valuesOf(input), code, schema, public_methods, department_id };
  await sql.begin(async (tx) => {
    const id = await insertDb(tx, viewer.account_id, values);
    for (const { name, fields } of tables.values()) {
      // deno-lint-ignore no-await-in-loop -- one connection
      await insertTable(tx, id, name, searchedIn(fields, []));
    }
  });
  return await readDb(ctx, code);
}

/**
 * Changes a database. A changed schema goes over the records in the same transaction: reads go on with the old one,
 * writes of records are sent away meanwhile.
 *
 * @throws {Refusal} 404; 409 where `lock_version` is stale; 422 naming the records that do not fit
 */
export async function changeDb(ctx: Context, code: string, changes: DbChanges): Promise<Json<Db>> {
  const { sql, viewer, dbs } = ctx;
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  let progress: Progress | undefined;
  const id = await sql.begin(async (tx) => {
    const db = await lockDb(tx, viewer, code);
    if (!db) throw notFound("Database");
    if (changes.lock_version !== undefined && changes.lock_version !== db.lock_version) {
      throw conflict((await findDb(tx, viewer, code))?.parse());
    }
    const after = readSchema(changes.schema ?? db.schema);
    provePublicMethods(PublicMethods.parse(changes.public_methods ?? db.public_methods), after);
    if (changes.schema !== undefined) {
      progress = progressOf(ctx, db.id);
      await changeTables(tx, progress, db.id, readSchema(db.schema), after);
    }
    await updateDb(tx, db.id, valuesOf(changes));
    return db.id;
  }).finally(() => progress?.end());
  dbs.forget(id);
  return await readDb(ctx, changes.code ?? code);
}

/** @throws {Refusal} 404 */
export async function removeDb({ sql, viewer, dbs }: Context, code: string): Promise<void> {
  const id = await deleteDb(sql, viewer, code);
  if (id === undefined) throw notFound("Database");
  dbs.forget(id);
}

async function changeTables(
  tx: Sql,
  progress: Progress,
  db_id: number,
  before: ReadonlyMap<string, Table>,
  after: ReadonlyMap<string, Table>,
): Promise<void> {
  const stored = await listTables(tx, db_id);
  for (const { id, name, searched } of stored) {
    const [was, becomes] = [before.get(name), after.get(name)];
    if (!was || !becomes) {
      // deno-lint-ignore no-await-in-loop -- one connection
      await dropTable(tx, id);
      continue;
    }
    const places = searchedIn(becomes.fields, searched);
    // deno-lint-ignore no-await-in-loop -- one connection
    await updateTable(tx, id, places);
    // deno-lint-ignore no-await-in-loop -- one connection
    await reindex(tx, progress, { before: { ...was, id, searched }, after: { ...becomes, id, searched: places } });
  }
  for (const { name, fields } of after.values()) {
    if (stored.some((table) => table.name === name)) continue;
    // deno-lint-ignore no-await-in-loop -- one connection
    await insertTable(tx, db_id, name, searchedIn(fields, []));
  }
}

/** The places of `q`'s fields: those known keep theirs, so that a new field leaves records as they are. */
function searchedIn(fields: Table["fields"], known: readonly string[]): string[] {
  const texts = [...fields].flatMap(([name, { type }]) => type === "string" || type === "text" ? [name] : []);
  return [...known, ...texts.filter((name) => !known.includes(name))];
}

function valuesOf({ lock_version: _lock_version, ...input }: Partial<NewDb> & DbChanges): Values {
  return { ...input, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
