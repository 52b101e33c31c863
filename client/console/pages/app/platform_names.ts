/** The names of the `platform` module with their types, as client/app/platform.d.ts declares them. */

export interface Named {
  name: string;
  kind: "function" | "variable" | "class" | "method" | "property" | "constant";
  /** What follows the name in its declaration, such as `(id: string): Promise<…>`. */
  type: string;
  /** One sentence. */
  says: string;
}

export const MODULE: readonly Named[] = [
  {
    name: "db",
    kind: "function",
    type: "(code?: string): Database",
    says: "The public methods of a database; without a code, of the app's own",
  },
  {
    name: "action",
    kind: "function",
    type: "(name: string, params?: object, options?: { signal, timeout }): Promise<data>",
    says: "Runs the flow behind an action of this app, and waits for its end",
  },
  { name: "user", kind: "variable", type: ": AppUser | null", says: "The viewer; null for a visitor" },
  { name: "context", kind: "variable", type: ": { user, app }", says: "The viewer and the app" },
  {
    name: "PlatformError",
    kind: "class",
    type: ": { message, status, code, fields, flow_process_id, retry_after }",
    says: "What every failed call throws",
  },
];

export const OF_DB: readonly Named[] = [
  {
    name: "list",
    kind: "method",
    type: "({ page, per_page, sort, filter }?): Promise<Record[]>",
    says: "Up to 100 records, the newest first unless the options say otherwise",
  },
  { name: "create", kind: "method", type: "(data): Promise<Record>", says: "The record as it is stored" },
  {
    name: "update",
    kind: "method",
    type: "(id: string, data): Promise<Record>",
    says: "Changes the given fields and keeps the others; null clears a field",
  },
  { name: "delete", kind: "method", type: "(id: string): Promise<{ id }>", says: "Deletes a record" },
  {
    name: "subscribe",
    kind: "method",
    type: "((change: { kind, record }) => void): () => void",
    says: "Calls the listener with each change; returns a function that ends it",
  },
];

export const OF_USER: readonly Named[] = [
  ...["login", "email", "name"].map((name) => property(name, "string", "Of the viewer")),
  property("role", '"admin" | "manager" | "user" | "guest"', "Of the viewer"),
  ...["team", "group", "department"].flatMap((of) => [
    property(`${of}_ids`, "number[]", `The viewer's ${of}s`),
    property(`${of}_names`, "string[]", `The viewer's ${of}s`),
  ]),
];

/** What the server adds to every record. */
const OF_RECORDS: readonly Named[] = [
  property("id", "string", "Of the record, a UUID"),
  property("created_at", "string", "Of the record, ISO 8601 in UTC"),
  property("updated_at", "string", "Of the record, ISO 8601 in UTC"),
];

function property(name: string, type: string, says: string): Named {
  return { name, kind: "property", type: `: ${type}`, says };
}

/** What the app works with. */
export interface Known {
  db_code: string | null;
  /** Fields of the database. */
  fields: readonly Named[];
  actions: readonly string[];
}

interface Field {
  type: string;
  required: boolean;
}

/** Types in JavaScript; what is not here is a text. */
const TYPES: Readonly<Record<string, string>> = { integer: "number", boolean: "boolean" };
const FORMS: Readonly<Record<string, string>> = {
  date: "as YYYY-MM-DD",
  time: "as HH:MM",
  datetime: "in ISO 8601",
};

/** The fields of a database's schema. A field of the same name in several tables is named once. */
export function fieldsOf(schema: object | null): readonly Named[] {
  const tables = entriesOf(schema, "tables").map(([, table]) => table);
  const fields = (tables.length > 0 ? tables : [schema]).flatMap((table) => entriesOf(table, "fields"));
  const named = new Map(fields.map(([name, value]) => [name, fieldNamed(name, fieldOf(value))]));
  return named.size > 0 ? [...named.values(), ...OF_RECORDS] : [];
}

function fieldNamed(name: string, { type, required }: Field): Named {
  const form = FORMS[type] ? `, ${FORMS[type]}` : "";
  const says = `Field of the database: ${type}${form}${required ? ", required" : ""}`;
  return property(name, `${TYPES[type] ?? "string"}${required ? "" : " | null"}`, says);
}

const entriesOf = (value: unknown, key: string): [string, unknown][] => {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof found === "object" && found !== null ? Object.entries(found) : [];
};

/** A field is its type, or `{ type, required }`. */
function fieldOf(value: unknown): Field {
  if (typeof value !== "object" || value === null) return { type: String(value), required: false };
  const { type, required } = value as Record<string, unknown>;
  return { type: String(type), required: required === true };
}

/** The name at a place of a line, by the text before it; undefined for a name that is not the platform's. */
export function namedAt(before: string, name: string, { fields }: Known, imports: boolean): Named | undefined {
  const among = (list: readonly Named[]) => list.find((each) => each.name === name);
  if (/\bdb\([^()]*\)\s*\.\s*$/.test(before)) return among(OF_DB);
  if (/\buser\s*\??\.\s*$/.test(before)) return among(OF_USER);
  if (/\bplatform\.\s*$/.test(before)) return among(MODULE);
  if (/\.\s*$/.test(before) || /[{,]\s*$/.test(before)) return among(fields) ?? (imports ? among(MODULE) : undefined);
  return imports ? among(MODULE) : undefined;
}
