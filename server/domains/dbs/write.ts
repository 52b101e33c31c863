/** Creates, changes and deletes databases. */
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import {
  type Progress,
  progressOf,
  provePublicMethods,
  PublicMethods,
  readSchema,
  resetFeed,
} from "../../store/store.ts";
import { readRenames, renamedMethods } from "./renames.ts";
import { proveDepartment } from "../departments/proof.ts";
import { deleteDb, findDb, insertDb, lockDb, readDb, updateDb, type Values, type WrittenDb } from "./queries.ts";
import { proveUnused } from "../uses/uses.ts";
import type { Db, DbChanges, DbToDelete, NewDb } from "./schema.ts";
import { addTables, changeTables } from "./tables.ts";

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
    await addTables(tx, { id, account_id: viewer.account_id }, tables.values());
  });
  return await readDb(ctx, code);
}

/**
 * Changes a database. A changed schema is applied to the records in the same transaction. Meanwhile reads continue with
 * the old schema, and writes of records are refused with 503.
 *
 * @throws {Refusal} 404; 409 if `lock_version` is not the current one; 422 with the records that do not fit
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
    const renamed = readRenames(readSchema(db.schema), after, changes);
    const methods = changes.public_methods ??
      renamedMethods(PublicMethods.parse(db.public_methods), renamed.fields.get(""));
    if (changes.schema !== undefined || changes.public_methods !== undefined) provePublicMethods(methods, after);
    let loses = false;
    if (changes.schema !== undefined || changes.drop_tables !== undefined) {
      progress = progressOf(ctx, db.id);
      const schemas = { ...renamed, after, drop_tables: changes.drop_tables ?? [] };
      loses = await changeTables(tx, progress, viewer, db, schemas);
    }
    if (loses || changesVisibility(db, changes)) await resetFeed(tx, db);
    const carried = renamed.fields.has("") ? { public_methods: methods } : {};
    await updateDb(tx, viewer.account_id, db.id, { ...valuesOf(changes), ...carried });
    return db.id;
  }).finally(() => progress?.end());
  dbs.forget(id);
  return await readDb(ctx, changes.code ?? code);
}

/** @throws {Refusal} 404; 409 if it is in use */
export async function removeDb(ctx: Context, { db_code: code, force }: z.output<typeof DbToDelete>): Promise<void> {
  const { sql, viewer, dbs } = ctx;
  await readDb(ctx, code);
  await proveUnused(ctx, "db", code, "database", force);
  const id = await deleteDb(sql, viewer, code);
  if (id === undefined) throw notFound("Database");
  dbs.forget(id);
}

/** Whether the change lets subscribers see other records than before. */
const changesVisibility = (db: WrittenDb, { department_id, public_methods }: DbChanges) =>
  public_methods !== undefined || department_id !== undefined && department_id !== db.department_id;

function valuesOf(
  {
    lock_version: _lock_version,
    drop_tables: _drop_tables,
    rename_tables: _rename_tables,
    rename_fields: _rename_fields,
    ...input
  }: Partial<NewDb> & DbChanges,
): Values {
  return { ...input, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
