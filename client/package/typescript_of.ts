/** Writes JSON Schemas as TypeScript types without recursion between type parameters, so that compilers read them fast. */

export interface Schema {
  [keyword: string]: unknown;
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  description?: string;
}

export interface Writing {
  /** Lists that are sent may be read-only. */
  io: "input" | "output";
  /** The type that a reference stands for, by the last part of its path. */
  named?: (name: string) => string;
  /** Replaces the type of a property. */
  property?: (name: string, schema: Schema) => string | undefined;
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const schemas = (value: unknown): Schema[] => Array.isArray(value) ? value.filter(isSchema) : [];

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

export function typescriptOf(schema: Schema, writing: Writing): string {
  if (typeof schema.$ref === "string") return writing.named?.(schema.$ref.split("/").at(-1) ?? "") ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const either = schemas(schema.anyOf ?? schema.oneOf);
  // Beside properties they only say which of them are required.
  if (either.length > 0 && !schema.properties) return union(either.map((one) => typescriptOf(one, writing)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typescriptOf({ ...schema, type }, writing)));
  if (schema.format === "binary") return "Blob";
  if (schema.type === "array") return arrayOf(schema, writing);
  if (schema.type === "object" || schema.properties) return objectOf(schema, writing);
  return PLAIN[String(schema.type)] ?? "unknown";
}

const union = (types: readonly string[]): string => {
  const distinct = [...new Set(types)];
  return distinct.includes("unknown") ? "unknown" : distinct.join(" | ") || "never";
};

function arrayOf({ items, prefixItems }: Schema, writing: Writing): string {
  const kept = writing.io === "input" ? "readonly " : "";
  const first = schemas(prefixItems).map((item) => typescriptOf(item, writing));
  if (first.length > 0) return `${kept}[${first.join(", ")}${isSchema(items) ? "" : ", ...unknown[]"}]`;
  const item = isSchema(items) ? typescriptOf(items, writing) : "unknown";
  return `${kept}${/[|&]|^readonly /.test(item) ? `(${item})` : item}[]`;
}

/** Known fields are written out. Others are of one type, which takes in those of the known ones. */
function objectOf({ properties = {}, required = [], additionalProperties: more }: Schema, writing: Writing): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = writing.property?.(name, schema) ?? typescriptOf(schema, writing);
    const is_required = required.includes(name);
    return `${noteOf(schema)}${keyOf(name)}${is_required ? "" : "?"}: ${type}${is_required ? "" : " | undefined"};`;
  });
  const other = isSchema(more) ? typescriptOf(more, writing) : more === true ? "unknown" : undefined;
  if (fields.length === 0) return `Record<string, ${other ?? "unknown"}>`;
  if (other !== undefined) fields.push("[field: string]: unknown;");
  return `{\n${fields.map((field) => field.replace(/^/gm, "  ")).join("\n")}\n}`;
}

const keyOf = (name: string): string => /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

const noteOf = ({ description }: Schema): string =>
  description ? `/** ${description.replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */\n` : "";

/** Makes `DepartmentsCreate` of `departments.create` and `GuestBook` of `guest_book`. */
export const pascal = (name: string): string =>
  name.split(/[^A-Za-z0-9]+/).filter(Boolean).map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("")
    .replace(/^(?=\d|$)/, "T");

/** An interface where the type is an object, for shorter messages of the compiler. */
export const declared = (name: string, type: string): string =>
  /^\{\n(?: {2}.*\n)*\}$/.test(type) ? `export interface ${name} ${type}\n` : `export type ${name} = ${type};\n`;
