/** A schema in words, and its parts as rows. */
import type { Schema } from "./openapi.ts";

export interface Field {
  name: string;
  required: boolean;
  schema: Schema;
}

/** Bounds that only say how a number is stored. */
const STORED = new Set([2147483647, -2147483648, 9007199254740991, -9007199254740991]);
const TIME = /^\^\\d\{4\}-\\d\\d-\\d\\dT/;

/** `text, at most 255 characters`, `integer, 1 to 500`, `list of integers`, `"skip", "allow" or "queue"` */
export function wordsOf(schema: Schema): string {
  const { anyOf, enum: choices, type } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (choices) return listed(choices.map((choice) => JSON.stringify(choice)));
  if (anyOf) return listed([...new Set(anyOf.map(wordsOf))]);
  if (Array.isArray(type)) return listed(type.map((each) => wordsOf({ ...schema, type: each })));
  switch (type) {
    case "string":
      return textWords(schema);
    case "integer":
    case "number":
      return type + boundsOf(schema);
    case "array":
      return schema.items && isSimple(schema.items) ? `list of ${plural(wordsOf(schema.items))}` : "list";
    case "object": {
      const values = mapOf(schema);
      return values && isSimple(values) ? `object of ${plural(wordsOf(values))} by name` : "object";
    }
    case undefined:
      return "any JSON";
    default:
      return type;
  }
}

/** Whether the words of a schema have a plural. */
const isSimple = ({ type, anyOf, enum: choices }: Schema): boolean =>
  typeof type === "string" && anyOf === undefined && choices === undefined;

function textWords({ format, pattern = "", maxLength }: Schema): string {
  if (format === "binary") return "file";
  if (format === "uuid") return "UUID";
  if (format === "email" || format === "uri") return format === "uri" ? "address" : "e-mail address";
  if (TIME.test(pattern) || format === "date-time") return "time";
  return maxLength === undefined ? "text" : `text, at most ${maxLength.toLocaleString("en")} characters`;
}

function boundsOf({ minimum, maximum }: Schema): string {
  const low = minimum === undefined || STORED.has(minimum) ? undefined : minimum;
  const high = maximum === undefined || STORED.has(maximum) ? undefined : maximum;
  if (low !== undefined && high !== undefined) return `, ${low.toLocaleString("en")} to ${high.toLocaleString("en")}`;
  if (high !== undefined) return `, at most ${high.toLocaleString("en")}`;
  return low === undefined || low === 0 || low === 1 ? "" : `, at least ${low.toLocaleString("en")}`;
}

/** The schema of the values of an object whose names are free. */
function mapOf({ additionalProperties, properties }: Schema): Schema | undefined {
  const has_own = properties && Object.keys(properties).length > 0;
  return !has_own && typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
    ? additionalProperties
    : undefined;
}

const plural = (words: string) => words.replace(/^(integer|number|boolean|object|text|UUID|time|file|list)\b/, "$1s");

const listed = (words: string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** The fields of an object, of the items of a list, or of a choice's objects; empty where there are none. */
export function fieldsOf(schema: Schema): Field[] {
  if (schema.properties) {
    return Object.entries(schema.properties)
      .map(([name, field]) => ({ name, schema: field, required: schema.required?.includes(name) ?? false }));
  }
  if (schema.items) return fieldsOf(schema.items);
  const map = mapOf(schema);
  if (map) return fieldsOf(map);
  const seen = new Map((schema.anyOf ?? []).flatMap(fieldsOf).map((field) => [field.name, field]));
  return [...seen.values()];
}
