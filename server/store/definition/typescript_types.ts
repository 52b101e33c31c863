/** TypeScript types of a database's tables, for clients and editors. */
import type { KnownDb } from "./known_db.ts";
import type { Field, FieldType, Table } from "./table.ts";

const TYPES: Record<FieldType, string> = {
  string: "string",
  text: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  datetime: "string",
  date: "string",
  time: "string",
};

const NOTES: Partial<Record<FieldType, string>> = {
  integer: "A whole number.",
  datetime: "ISO 8601 with offset.",
  date: "YYYY-MM-DD.",
  time: "HH:MM or HH:MM:SS.",
};

/**
 * Writes a declaration file: for each table its fields, and its records in the flat form of search and public methods.
 *
 * @example
 * ```ts
 * import { db } from "platform";
 * import type { GuestbookFields } from "./guestbook.d.ts";
 * const guestbook = db<GuestbookFields>("guestbook");
 * ```
 */
export function typesOf({ code, tables }: Pick<KnownDb, "code" | "tables">): string {
  const several = !tables.has("");
  const named = [...tables.values()].map((table) => ({ table, name: pascal(table.name || code) }));
  const unique = distinct(named.map(({ name }) => name));
  const interfaces = named.map(({ table }, i) => interfacesOf(unique[i] ?? "Table", table));
  const index = several
    ? [
      "/** By table name. */\n" +
      `export interface Tables {\n${named.map(({ table }, i) => `  ${table.name}: ${unique[i]};`).join("\n")}\n}\n`,
    ]
    : [];
  return [
    `// The tables of the database ${code}. Generated: ask again when its schema has changed.\n`,
    ...interfaces,
    ...index,
  ]
    .join("\n");
}

function interfacesOf(name: string, { fields }: Table): string {
  const lines = [...fields].map(([field, { type, required }]: [string, Field]) => {
    const note = NOTES[type];
    return `${note ? `  /** ${note} */\n` : ""}  ${field}: ${TYPES[type]}${required ? "" : " | null"};`;
  });
  return `export interface ${name}Fields {\n${lines.join("\n")}\n}\n\n` +
    `export interface ${name} extends ${name}Fields {\n` +
    `  /** UUID. */\n  id: string;\n  /** ISO 8601 in UTC. */\n  created_at: string;\n` +
    `  /** ISO 8601 in UTC. */\n  updated_at: string;\n}\n`;
}

/** Makes `OrderLines` of `order_lines`. A name that begins with a digit gets a letter in front. */
const pascal = (name: string) =>
  name.split("_").filter(Boolean).map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("")
    .replace(/^(?=\d|$)/, "T");

/** Numbers names that differ in underscores only. The name of the index of tables is reserved. */
function distinct(names: string[]): string[] {
  const taken = new Set(["Tables"]);
  return names.map((name) => {
    let free = name;
    for (let n = 2; taken.has(free) || taken.has(`${free}Fields`); n++) free = `${name}${n}`;
    taken.add(free).add(`${free}Fields`);
    return free;
  });
}
