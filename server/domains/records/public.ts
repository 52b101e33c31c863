/** Public methods: what callers without a login may do with records, within what the database allows. */
import type { Keys } from "../../secrets/keys.ts";
import type { Context, Viewer } from "../../context.ts";
import { type Fields, forbidden, invalid, notFound, Refusal } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import {
  type Condition,
  conditionSql,
  countPublicWrite,
  deleteRecord,
  insertRecords,
  type KnownDb,
  type KnownTable,
  listRecords,
  part,
  type Place,
  type PublicMethods,
  readFilter,
  readOrder,
  readValues,
  STALE,
  updateRecord,
  type Value,
  type Variable,
  withDb,
} from "../../store/store.ts";
import { findUserName } from "../user_settings/queries.ts";
import type { PublicBody, PublicPage } from "./public_schema.ts";
import type { FlatRecord } from "./schema.ts";
import { tableOf } from "./tables.ts";

export interface Caller {
  account_id: number;
  /** Signed in, to this account. */
  viewer: Viewer | undefined;
  browser: string;
  address: string;
}

export type Method = keyof PublicMethods;

/** Runs `work` where the method is enabled. @throws {Refusal} 400, 403, 404, 429 */
async function inPublic<Name extends Method, Result>(
  ctx: Context,
  caller: Caller,
  db_code: string,
  name: Name,
  work: (place: Place, method: NonNullable<PublicMethods[Name]>) => Promise<Result | typeof STALE>,
): Promise<Result> {
  let counted = name === "list";
  return await inEnabled(ctx, caller, db_code, name, async (db, method) => {
    const table = tableOf(db, undefined);
    if (!counted && !caller.viewer) await countWrite(ctx, db, caller.address);
    counted = true;
    return await work({ db, table, allowed: part`true` }, method);
  });
}

/** Before a body is read. @throws {Refusal} 403, 404 */
export const proveEnabled = (ctx: Context, caller: Caller, db_code: string, name: Method): Promise<KnownDb> =>
  inEnabled(ctx, caller, db_code, name, (db) => Promise.resolve(db));

/** @throws {Refusal} 403, 404 */
const inEnabled = <Name extends Method, Result>(
  { dbs }: Context,
  { account_id }: Caller,
  db_code: string,
  name: Name,
  work: (db: KnownDb, method: NonNullable<PublicMethods[Name]>) => Promise<Result | typeof STALE>,
): Promise<Result> =>
  withDb(dbs, account_id, db_code, () => notFound("Database"), async (db) => {
    const method = db.public_methods[name];
    if (!method) throw notEnabled(name);
    return await work(db, method);
  });

const notEnabled = (name: Method) => forbidden(`The public method ${name} is not enabled`);

async function countWrite(
  { sql, clock }: Context,
  { id, public_write_limit }: KnownDb,
  address: string,
): Promise<void> {
  if (public_write_limit === 0) throw forbidden("This database takes no public writes");
  const now = clock.now();
  if (await countPublicWrite(sql, id, address, now) <= public_write_limit) return;
  const retry_after = 60 - now.getUTCSeconds();
  throw new Refusal(429, `At most ${public_write_limit} writes a minute`, {
    headers: { "retry-after": String(retry_after) },
  });
}

/** The newest 100 first, unless told. A caller who has nothing to be told by sees nothing. */
export async function listPublic(
  ctx: Context,
  caller: Caller,
  db_code: string,
  page: PublicPage,
): Promise<Json<FlatRecord[]> | undefined> {
  return await inPublic(ctx, caller, db_code, "list", async (place, { scope_by }) => {
    const own = await ownCondition(ctx, caller, place, scope_by);
    if (own === "nobody") return undefined;
    const conditions = [...readFilter(place.table, page.filter), ...own ? [own] : []];
    const order = readOrder(place.table, page.sort);
    return await listRecords<FlatRecord>(ctx.sql, place, "flat", { ...page, conditions, order, count: false });
  });
}

export async function createPublic(
  ctx: Context,
  caller: Caller,
  db_code: string,
  { data }: PublicBody<"create">,
): Promise<Json<FlatRecord>> {
  const [created] = await inPublic(ctx, caller, db_code, "create", async (place, method) => {
    const { table, db } = place;
    const autos = autoFields(db, method.allowed_fields);
    const allowed = method.allowed_fields ?? [...table.fields.keys()];
    const sent = pick(data, allowed.filter((name) => !Object.hasOwn(autos, name)));
    const values = await valuesOf(ctx, caller, place, autos);
    const { changes, faults } = readValues(table, { ...method.default_values, ...sent, ...values }, true);
    for (const name of method.required_fields ?? []) {
      const value = changes[name];
      const blank = value === undefined || value === null || typeof value === "string" && !value.trim();
      if (blank && !faults[name]) faults[name] = ["can't be blank"];
    }
    refuseFaults(faults);
    const created_by_id = caller.viewer?.user_id ?? null;
    return await insertRecords<FlatRecord>(ctx.sql, place, "flat", [{ changes, department_id: null, created_by_id }]);
  });
  if (!created) throw new Error("an insert returned no row");
  return created;
}

/** @throws {Refusal} 404 also for another's record */
export async function updatePublic(
  ctx: Context,
  caller: Caller,
  db_code: string,
  { id, data }: PublicBody<"update">,
): Promise<Json<FlatRecord>> {
  const updated = await inPublic(ctx, caller, db_code, "update", async (place, { allowed_fields, scope_by }) => {
    const own = await ownPlace(ctx, caller, place, scope_by);
    if (!own) return undefined;
    const autos = autoFields(place.db, allowed_fields);
    const allowed = allowed_fields ?? [...place.table.fields.keys()];
    const { changes, faults } = readValues(
      place.table,
      pick(data, allowed.filter((name) => !Object.hasOwn(autos, name))),
      false,
    );
    refuseFaults(faults);
    return await updateRecord<FlatRecord>(ctx.sql, own, "flat", id, changes);
  });
  if (!updated) throw notFound("Record");
  return updated;
}

/** @throws {Refusal} 404 also for another's record */
export async function deletePublic(
  ctx: Context,
  caller: Caller,
  db_code: string,
  { id }: PublicBody<"delete">,
): Promise<void> {
  const deleted = await inPublic(ctx, caller, db_code, "delete", async (place, { scope_by }) => {
    const own = await ownPlace(ctx, caller, place, scope_by);
    return own ? await deleteRecord(ctx.sql, own, id) : false;
  });
  if (!deleted) throw notFound("Record");
}

async function ownPlace(ctx: Context, caller: Caller, place: Place, scope_by?: string): Promise<Place | undefined> {
  const own = await ownCondition(ctx, caller, place, scope_by);
  if (own === "nobody") return undefined;
  return own ? { ...place, allowed: conditionSql(place.table, own) } : place;
}

/** The condition that makes records the caller's own; `nobody` where the caller has nothing to compare with. */
export async function ownCondition(
  ctx: Context,
  caller: Caller,
  { db, table }: Pick<Place, "db" | "table">,
  scope_by: string | undefined,
): Promise<Condition | "nobody" | undefined> {
  if (scope_by === undefined) return undefined;
  const variable = db.public_methods.create?.auto_fields?.[scope_by] ?? "who";
  const value = await valueOf(ctx, caller, db, table, scope_by, variable);
  if (value === null || value === "") return "nobody";
  return { field: scope_by, operator: "eq", values: [value] };
}

/**
 * Fields that the server writes, whoever calls: the auto fields, and a scope that has none of its own, or what a
 * caller creates would be nobody's. A scope that callers may send in so many words is theirs.
 */
function autoFields({ public_methods }: KnownDb, sendable: readonly string[] = []): Record<string, Variable | "who"> {
  const { list, update, delete: remove, create } = public_methods;
  const scopes = [list, update, remove].flatMap((method) => method?.scope_by ?? []);
  return {
    ...Object.fromEntries(scopes.filter((field) => !sendable.includes(field)).map((field) => [field, "who" as const])),
    ...create?.auto_fields,
  };
}

async function valuesOf(
  ctx: Context,
  caller: Caller,
  { db, table }: Place,
  autos: Record<string, Variable | "who">,
): Promise<Record<string, Value | null>> {
  const values = await Promise.all(
    Object.entries(autos).map(async ([field, variable]): Promise<[string, Value | null]> => [
      field,
      await valueOf(ctx, caller, db, table, field, variable),
    ]),
  );
  return Object.fromEntries(values);
}

/** What a variable stands for with this caller, as the field's type keeps it; null for nothing. */
async function valueOf(
  { sql, keys }: Context,
  { viewer, browser, address }: Caller,
  db: KnownDb,
  { fields }: KnownTable,
  field: string,
  variable: Variable | "who",
): Promise<Value | null> {
  switch (variable === "who" ? viewer ? "{user_id}" : "{cookie_key}" : variable) {
    case "{ip}":
      return address;
    case "{cookie_key}":
      return fields.get(field)?.type === "integer" ? null : cookieKey(keys, db.id, browser);
    case "{user_id}":
      if (!viewer) return null;
      return fields.get(field)?.type === "integer" ? viewer.user_id : String(viewer.user_id);
    case "{user_name}":
      return viewer ? await findUserName(sql, viewer.account_id, viewer.user_id) ?? null : null;
  }
}

/** Made from the browser's key and the database: whoever reads one in a record cannot become that visitor. */
const cookieKey = (keys: Keys, db_id: number, browser: string) =>
  keys.sign("cookie key", `${db_id}:${browser}`).subarray(0, 24).toString("base64url");

/** What is not allowed is dropped, as strong parameters do. */
const pick = (data: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => Object.hasOwn(data, name) ? [[name, data[name]]] : []));

function refuseFaults(faults: Fields): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}
