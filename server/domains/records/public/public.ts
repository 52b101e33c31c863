/** Public methods: what callers without a login may do with a database's records, within the database's own rules. */
import { Json } from "../../../database/json.ts";
import { type Fields, invalid, notFound } from "../../../errors.ts";
import {
  conditionSql,
  deleteRecord,
  insertRecord,
  type KnownDb,
  listRecords,
  part,
  type Place,
  readFilter,
  readOrder,
  readValues,
  updateRecord,
} from "../../../store/store.ts";
import { departmentOfRecord, type Restriction, visibleTo } from "../../../visibility.ts";
import { inPublic, type PublicContext } from "./public_access.ts";
import type { DeletedRecord, PublicChanges, PublicDelete, PublicPage, PublicRecord } from "./public_schema.ts";
import { autoFields, autoValues, ownCondition } from "./public_scope.ts";
import type { FlatRecord } from "../schema.ts";

/** The newest 100 first by default. A caller without a user or browser key that `scope_by` needs gets an empty list. */
export async function listPublic(ctx: PublicContext, { db_code, ...page }: PublicPage): Promise<Json<FlatRecord[]>> {
  const found = await inPublic(ctx, db_code, "list", async (place, { scope_by }) => {
    const own = await ownCondition(ctx, ctx.caller, place, scope_by);
    if (own === "none") return undefined;
    const conditions = [...readFilter(place.table, page.filter), ...own ? [own] : []];
    const order = readOrder(place.table, page.sort);
    return await listRecords<FlatRecord>(ctx, place, "flat", { ...page, conditions, order, count: false });
  });
  return found ?? new Json("[]");
}

export async function createPublic(ctx: PublicContext, { db_code, data }: PublicRecord): Promise<Json<FlatRecord>> {
  const [created] = await inPublic(ctx, db_code, "create", async (place, method) => {
    const { table, db } = place;
    const autos = autoFields(db, method.allowed_fields);
    const allowed = method.allowed_fields ?? [...table.fields.keys()];
    const sent = pick(data, allowed.filter((name) => !Object.hasOwn(autos, name)));
    const values = await autoValues(ctx, place, autos);
    const { changes, faults } = readValues(table, { ...method.default_values, ...sent, ...values }, true);
    for (const name of method.required_fields ?? []) {
      // A field may be called like a property of every object.
      const value = Object.hasOwn(changes, name) ? changes[name] : undefined;
      const blank = value === undefined || value === null || typeof value === "string" && !value.trim();
      if (blank && !Object.hasOwn(faults, name)) faults[name] = ["can't be blank"];
    }
    refuseFaults(faults);
    const { viewer } = ctx.caller;
    const created_by_id = viewer?.user_id ?? null;
    const department_id = method.members_only && viewer ? departmentFor(viewer, db) : null;
    return await insertRecord<FlatRecord>(ctx.sql, ctx.writes, place, "flat", {
      changes,
      department_id,
      created_by_id,
    });
  });
  if (!created) throw new Error("an insert returned no row");
  return created;
}

/** A department by which a member sees the record. The member sees the database, and so what belongs to its department. */
const departmentFor = (member: Restriction, db: KnownDb): number | null =>
  departmentOfRecord(member) ?? (visibleTo(member, null) ? null : db.department_id);

/** @throws {Refusal} 404 also for another caller's record */
export async function updatePublic(
  ctx: PublicContext,
  { db_code, id, data }: PublicChanges,
): Promise<Json<FlatRecord>> {
  const updated = await inPublic(ctx, db_code, "update", async (place, { allowed_fields, scope_by }) => {
    const own = await ownPlace(ctx, place, scope_by);
    if (!own) return undefined;
    const autos = autoFields(place.db, allowed_fields);
    const allowed = allowed_fields ?? [...place.table.fields.keys()];
    const sent = pick(data, allowed.filter((name) => !Object.hasOwn(autos, name)));
    const { changes, faults } = readValues(place.table, sent, false);
    refuseFaults(faults);
    return await updateRecord<FlatRecord>(ctx.sql, own, "flat", id, changes);
  });
  if (!updated) throw notFound("Record");
  return updated;
}

/** @throws {Refusal} 404 also for another caller's record */
export async function deletePublic(ctx: PublicContext, { db_code, id }: PublicDelete): Promise<DeletedRecord> {
  const deleted = await inPublic(ctx, db_code, "delete", async (place, { scope_by }) => {
    const own = await ownPlace(ctx, place, scope_by);
    return own ? await deleteRecord(ctx.sql, own, id) : false;
  });
  if (!deleted) throw notFound("Record");
  return { id };
}

/** The table, limited to the caller's own records where the method has a scope; undefined where there can be none. */
async function ownPlace(ctx: PublicContext, place: Place, scope_by: string | undefined): Promise<Place | undefined> {
  const own = await ownCondition(ctx, ctx.caller, place, scope_by);
  if (own === "none") return undefined;
  return own ? { ...place, allowed: part`${place.allowed} and ${conditionSql(place.table, own)}` } : place;
}

/** Drops fields that are not allowed, as strong parameters do, and those that are undefined, which are not sent. */
const pick = (data: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap((name) => Object.hasOwn(data, name) && data[name] !== undefined ? [[name, data[name]]] : []),
  );

function refuseFaults(faults: Fields): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}
