/** `public_methods`: their shape, and the check that they fit the schema. */
import { z } from "zod";
import { type Fields, invalid } from "../../errors.ts";
import { FIELD_NAME } from "./definition.ts";
import type { Field, FieldType, Table } from "./table.ts";
import { readValues } from "./values.ts";

/** Source: spec, "table_name works only in search". */
const ONE_TABLE = "are for a database with one table: a public method cannot name one of several tables. " +
  "To write to a given table, use records.json, or a database with a single table";

/** What `auto_fields` may write. Source: spec, "public_methods". */
const VARIABLES = ["{ip}", "{cookie_key}", "{user_id}", "{user_name}"] as const;
export type Variable = (typeof VARIABLES)[number];

const FieldName = z.string().regex(FIELD_NAME, "is not a field's name");
const FieldNames = z.array(FieldName).max(200);
const Value = z.union([z.string(), z.number(), z.boolean(), z.null()], { error: "must be a single value" });

/** Only for viewers with the role user who see the database; of records, they reach those that they see. */
const members_only = z.boolean().optional();

/** Operations that need no login, unless they are for members. An operation without a key is closed. Source: spec. */
export const PublicMethods = z.strictObject({
  list: z.strictObject({ members_only, scope_by: FieldName.optional() }),
  create: z.strictObject({
    members_only,
    allowed_fields: FieldNames.optional(),
    required_fields: FieldNames.optional(),
    default_values: z.record(FieldName, Value).optional(),
    auto_fields: z.record(FieldName, z.enum(VARIABLES)).optional(),
  }),
  update: z.strictObject({ members_only, allowed_fields: FieldNames.optional(), scope_by: FieldName.optional() }),
  delete: z.strictObject({ members_only, scope_by: FieldName.optional() }),
}).partial();
export type PublicMethods = z.output<typeof PublicMethods>;

const TEXTS: readonly FieldType[] = ["string", "text"];

/** The field types that can store the value of each variable. */
const HOLD: Record<Variable, readonly FieldType[]> = {
  "{ip}": TEXTS,
  "{cookie_key}": TEXTS,
  "{user_id}": ["integer", ...TEXTS],
  "{user_name}": TEXTS,
};

/** The field types that can store the owner of a record. */
const NAMING = HOLD["{user_id}"];

/**
 * Checks that every named field exists and has a suitable type. A misspelled field could open records that should be
 * closed.
 *
 * @throws {Refusal} 422, keyed by path: `public_methods.create.auto_fields.author`
 */
export function provePublicMethods(methods: PublicMethods, tables: ReadonlyMap<string, Table>): void {
  if (Object.keys(methods).length > 0 && !tables.has("")) throw invalid({ public_methods: [ONE_TABLE] });
  const fields = new Map([...tables.values()].flatMap((table) => [...table.fields]));
  const faults: Fields = {};
  const refuse = (path: string, message: string) => (faults[`public_methods.${path}`] ??= []).push(message);
  const known = (path: string, name: string | undefined) => {
    if (name !== undefined && !fields.has(name)) refuse(path, `names the field ${name}, which is not there`);
  };
  for (const method of ["list", "update", "delete"] as const) {
    const scope = methods[method]?.scope_by;
    known(`${method}.scope_by`, scope);
    const type = scope === undefined ? undefined : fields.get(scope)?.type;
    if (type && !NAMING.includes(type)) {
      refuse(`${method}.scope_by`, `must be of type ${NAMING.join(" or ")} to name a caller, and is ${type}`);
    }
  }
  for (const method of ["create", "update"] as const) {
    methods[method]?.allowed_fields?.forEach((name, i) => known(`${method}.allowed_fields.${i}`, name));
  }
  const { required_fields = [], default_values = {}, auto_fields = {} } = methods.create ?? {};
  required_fields.forEach((name, i) => known(`create.required_fields.${i}`, name));
  for (const [name, messages] of Object.entries(readValues({ fields }, default_values, false).faults)) {
    refuse(`create.default_values.${name}`, messages.join(", "));
  }
  for (const [name, variable] of Object.entries(auto_fields)) {
    proveAuto(fields.get(name), variable, (message) => refuse(`create.auto_fields.${name}`, message));
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

function proveAuto(field: Field | undefined, variable: Variable, refuse: (message: string) => void) {
  if (!field) refuse("is not a field of this table");
  else if (!HOLD[variable].includes(field.type)) {
    refuse(`must be of type ${HOLD[variable].join(" or ")} to hold ${variable}, and is ${field.type}`);
  }
}
