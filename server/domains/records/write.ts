/** Writes of single records within what the viewer may see. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { type Fields, invalid, notFound } from "../../errors.ts";
import { deleteRecord, insertRecord, readValues, updateRecord, updateTogether } from "../../store/store.ts";
import { departmentOfRecord } from "../../visibility.ts";
import { proveDepartment } from "../departments/proof.ts";
import { inTable, inTableOf } from "./place.ts";
import type { NewRecordInput, Record, RecordChanges } from "./schema.ts";

/** @throws {Refusal} 404, 422 */
export async function createRecord(ctx: Context, { db_code, record }: NewRecordInput): Promise<Json<Record>> {
  const { data, table_name, department_id = departmentOfRecord(ctx.viewer) } = record;
  await proveDepartment(ctx, department_id);
  const [created] = await inTable(ctx, db_code, table_name, (place) => {
    const { changes, faults } = readValues(place.table, data, true);
    refuseFaults(faults);
    const created_by_id = ctx.viewer.user_id;
    return insertRecord<Record>(ctx.sql, ctx.writes, place, "nested", { changes, department_id, created_by_id });
  });
  if (!created) throw new Error("an insert returned no row");
  return created;
}

/** @throws {Refusal} 404, 422 */
export async function changeRecord(ctx: Context, { db_code, id, record }: RecordChanges): Promise<Json<Record>> {
  const { data, table_name, department_id } = record;
  if (department_id !== undefined) await proveDepartment(ctx, department_id);
  const changed = await inTableOf(ctx, db_code, { id, table_name }, (place) => {
    const { changes, faults } = readValues(place.table, data, false);
    refuseFaults(faults);
    return department_id === undefined
      ? updateTogether<Record>(ctx.sql, ctx.writes, place, "nested", id, changes)
      : updateRecord<Record>(ctx.sql, place, "nested", id, changes, department_id);
  });
  if (!changed) throw notFound("Record");
  return changed;
}

/** @throws {Refusal} 404 */
export async function removeRecord(
  ctx: Context,
  { db_code, id, table_name }: { db_code: string; id: string; table_name?: string | undefined },
): Promise<void> {
  const deleted = await inTableOf(ctx, db_code, { id, table_name }, (place) => deleteRecord(ctx.sql, place, id));
  if (!deleted) throw notFound("Record");
}

function refuseFaults(faults: Fields): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}
