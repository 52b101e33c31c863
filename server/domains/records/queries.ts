/** Reads of records within what the viewer may see. The statements are the record store's. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { badRequest, notFound } from "../../errors.ts";
import {
  findRecord,
  type KnownTable,
  listMarks,
  listRecords,
  part,
  type Place,
  readFilter,
  readOrder,
  type Shape,
} from "../../store/store.ts";
import { inDepartment } from "../../visibility.ts";
import { inTable, inTableOf } from "./place.ts";
import type { ByRecord, FlatRecord, MarksInput, Record, RecordPage } from "./schema.ts";

export const listPrivate = (ctx: Context, input: RecordPage): Promise<Json<Record[]>> =>
  listed<Record>(ctx, "nested", input);

export const search = (ctx: Context, input: RecordPage): Promise<Json<FlatRecord[]>> =>
  listed<FlatRecord>(ctx, "flat", input);

function listed<T>(ctx: Context, shape: Shape, input: RecordPage): Promise<Json<T[]>> {
  const { db_code, table_name, filter, sort, after, page } = input;
  if (after !== undefined && page > 1) throw badRequest("after and page exclude each other");
  const allowed = ({ allowed }: Place) => part`${allowed} and ${inDepartment(part, input.department_id)}`;
  return inTable(
    ctx,
    db_code,
    table_name,
    (place) =>
      listRecords<T>(ctx, { ...place, allowed: allowed(place) }, shape, {
        ...input,
        conditions: readFilter(place.table, filter),
        order: readOrder(place.table, sort),
        fields: fieldsOf(place.table, input.fields),
      }),
  );
}

export const marks = (ctx: Context, { db_code, table_name, sort, ...rest }: MarksInput): Promise<Json<string[]>> =>
  inTable(
    ctx,
    db_code,
    table_name,
    (place) => listMarks(ctx.sql, place, { ...rest, order: readOrder(place.table, sort) }),
  );

/** @throws {Refusal} 404 */
export async function readRecord(ctx: Context, { db_code, id, table_name, fields }: ByRecord): Promise<Json<Record>> {
  const found = await inTableOf(
    ctx,
    db_code,
    { id, table_name },
    (place) => findRecord<Record>(ctx.reads, place, "nested", id, fieldsOf(place.table, fields)),
  );
  if (!found) throw notFound("Record");
  return found;
}

/** Names that `fields` may contain although every record has them. */
const ALWAYS = ["id", "table_name", "created_at", "updated_at"];

/** @throws {Refusal} 400 */
function fieldsOf({ fields }: KnownTable, names: string | undefined): string[] | undefined {
  if (names === undefined) return undefined;
  const chosen = [...new Set(names.split(","))].filter((name) => !ALWAYS.includes(name));
  const unknown = chosen.find((name) => !fields.has(name));
  if (unknown !== undefined) throw badRequest(`fields names no field of this table: ${unknown}`);
  return chosen;
}
