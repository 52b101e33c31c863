/** Which records are a caller's own, and the values that the server writes for a caller. */
import type { Context } from "../../../context.ts";
import type { Keys } from "../../../secrets/keys.ts";
import type { Condition, KnownDb, KnownTable, Place, Value, Variable } from "../../../store/store.ts";
import type { Caller } from "../../../viewer.ts";
import { findUserName } from "../../user_settings/queries.ts";

/** A variable of the definition, or `caller`: the user id of a viewer, the cookie key of a visitor. */
type Source = Variable | "caller";

/** The condition that selects the caller's own records; `none` where the caller has no value to compare with. */
export async function ownCondition(
  ctx: Pick<Context, "sql" | "keys">,
  caller: Caller,
  { db, table }: Pick<Place, "db" | "table">,
  scope_by: string | undefined,
): Promise<Condition | "none" | undefined> {
  if (scope_by === undefined) return undefined;
  const autos = db.public_methods.create?.auto_fields ?? {};
  // A field may be called like a property of every object.
  const source = Object.hasOwn(autos, scope_by) ? autos[scope_by] ?? "caller" : "caller";
  const value = await valueOf(ctx, caller, db, table, scope_by, source);
  if (value === null || value === "") return "none";
  return { field: scope_by, operator: "eq", values: [value] };
}

/**
 * Fields that the server writes for every caller: the auto fields, and each scope field without one, so that a record
 * belongs to the caller that creates it. A scope field that callers may send is theirs to fill.
 */
export function autoFields(
  { public_methods }: KnownDb,
  sendable: readonly string[] = [],
): Record<string, Source> {
  const { list, update, delete: remove, create } = public_methods;
  const scopes = [list, update, remove].flatMap((method) => method?.scope_by ?? []);
  return {
    ...Object.fromEntries(
      scopes.filter((field) => !sendable.includes(field)).map((field) => [field, "caller" as const]),
    ),
    ...create?.auto_fields,
  };
}

export async function autoValues(
  ctx: Pick<Context, "sql" | "keys" | "caller">,
  { db, table }: Place,
  fields: Record<string, Source>,
): Promise<Record<string, Value | null>> {
  const values = await Promise.all(
    Object.entries(fields).map(async ([field, source]): Promise<[string, Value | null]> => [
      field,
      await valueOf(ctx, ctx.caller, db, table, field, source),
    ]),
  );
  return Object.fromEntries(values);
}

/** The value of a source for this caller, as the field's type stores it; null where the caller has none. */
async function valueOf(
  { sql, keys }: Pick<Context, "sql" | "keys">,
  caller: Caller,
  db: KnownDb,
  { fields }: KnownTable,
  field: string,
  source: Source,
): Promise<Value | null> {
  const { viewer, address } = caller;
  switch (source === "caller" ? viewer ? "{user_id}" : "{cookie_key}" : source) {
    case "{ip}":
      return address;
    case "{cookie_key}":
      return fields.get(field)?.type === "integer" ? null : cookieKey(keys, db.id, caller.browser);
    case "{user_id}":
      if (!viewer) return null;
      return fields.get(field)?.type === "integer" ? viewer.user_id : String(viewer.user_id);
    case "{user_name}":
      return viewer ? await findUserName(sql, viewer.account_id, viewer.user_id) ?? null : null;
  }
}

/** A keyed hash, because records are public: a reader of one cannot pass for its visitor. */
const cookieKey = (keys: Keys, db_id: number, browser: string) =>
  keys.sign("cookie key", `${db_id}:${browser}`).subarray(0, 24).toString("base64url");
