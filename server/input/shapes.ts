/** Schemas that several domains share. */
import { z } from "zod";
import { tooLong } from "./messages.ts";

/** Whether the text has at most `maximum` code points. One is one or two UTF-16 units, so most texts need no count. */
const characters = (text: string, maximum: number) =>
  text.length <= maximum || text.length <= 2 * maximum && [...text].length <= maximum;

/** Without NUL, which PostgreSQL refuses, and without lone surrogates, which would silently become U+FFFD. */
const storable = (text: string) => !text.includes("\0") && text.isWellFormed();
export const NOT_STORABLE = "contains characters that cannot be stored (NUL or half of a surrogate pair)";

/** One check and no copy of the schema: most schemas are texts, and a start makes hundreds of them. */
const limited = (schema: z.ZodString, maximum: number) =>
  schema.superRefine((value, { addIssue }) => {
    if (!storable(value)) addIssue({ code: "custom", message: NOT_STORABLE, continue: false });
    else if (!characters(value, maximum)) addIssue({ code: "custom", message: tooLong(maximum) });
  }).register(z.globalRegistry, { maxLength: maximum });

/** Text of at most `maximum` Unicode code points. */
export const text = (maximum: number) => limited(z.string(), maximum);

/** A name: trimmed, not blank, 255 characters at most. */
export const Name = limited(z.string().trim().min(1), 255);

/** An optional line of text. */
export const Line = text(255).nullable();

const EMAIL = /^[^\s@]+@(?:localhost|[^\s@.]+(?:\.[^\s@.]+)+)$/;
const isWebAddress = (value: string) => !/\s/.test(value) && URL.canParse(value) && /^https?:\/\//i.test(value);

/** Text in the form of an e-mail address. */
export const Email = text(254).refine((value) => EMAIL.test(value), "is not an e-mail address");
/** Blank, or text in the form of an e-mail address. */
export const OptionalEmail = text(254).refine((value) => !value || EMAIL.test(value), "is not an e-mail address")
  .nullable();
/** Blank, or an http or https address. */
export const OptionalUrl = text(2048).refine((value) => !value || isWebAddress(value), "is not an http(s) address")
  .nullable();

/** The id of everything except apps, records and runs. */
export const Id = z.int().min(1).max(2_147_483_647).meta({ examples: [1] });

/** A parameter of lists. */
export const InDepartment = Id.nullable().optional().describe("Only those of this department; blank: without one");

/** A complete list of assigned ids, which replaces the previous one. Duplicates are removed. */
export const Ids = z.array(Id).max(10_000).transform((ids) => [...new Set(ids)]);

/**
 * The id of an app, a record or a run: a UUID of version 7, which sorts by time. One that is sent in capitals is read in
 * small letters, because ids are compared as texts.
 */
export const Uuid = z.uuid().toLowerCase().meta({ examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] });

/** ISO 8601 in UTC with milliseconds and offset. */
export const Timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  .meta({ examples: ["2026-11-21T08:30:00.000+00:00"] });

/** A moment that a caller names. */
export const Moment = z.iso.datetime({
  offset: true,
  error: ({ code }) =>
    code === "invalid_format"
      ? "must be an ISO 8601 date and time with offset, such as 2026-11-21T08:30:00Z"
      : undefined,
}).meta({ examples: ["2026-11-21T00:00:00Z"] });

/** The number of changes of an object. An update with an outdated number is refused with 409. */
export const LockVersion = z.int().min(0).max(2_147_483_647).meta({ examples: [0] });

/**
 * Query parameters of a list.
 *
 * @param sorts the values that `sort` accepts, the default first; a leading minus means descending
 */
export const page = <const S extends readonly [string, ...string[]]>(sorts: S) =>
  z.object({
    page: z.int().min(1).max(1_000_000).default(1),
    per_page: z.int().min(1).max(500).default(100),
    sort: z.enum(sorts).optional(),
  });

export interface Page<S extends string = string> {
  page: number;
  per_page: number;
  sort?: S | undefined;
}

/** The input of a read or delete by `Id`. */
export const ById = z.object({ id: Id });
/** The input of a read or delete by `Uuid`. */
export const ByUuid = z.object({ id: Uuid });

/** Whether PostgreSQL can store every text inside the value. */
export const isStorable = (value: unknown): boolean => everyString(value, storable);

/** Refuses the key `__proto__` at any depth, which zod would silently drop from an object. */
export const everyKey = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value: z.input<S>, context) => {
    for (const path of prototypesIn(value)) context.addIssue({ code: "custom", path, message: "is not a known field" });
    return value;
  }, schema);

function prototypesIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "__proto__" ? [[key]] : prototypesIn(inner).map((path) => [key, ...path])
  );
}

/** Any JSON object that PostgreSQL can store. */
export const JsonObject = everyKey(z.record(z.string(), z.json()).refine(isStorable, NOT_STORABLE));

/** A JSON object of at most `maximum` characters, because it is part of lists. */
export const jsonObject = (maximum: number) =>
  JsonObject.refine((value) => characters(JSON.stringify(value), maximum), tooLong(maximum));

function everyString(value: unknown, holds: (text: string) => boolean): boolean {
  if (typeof value === "string") return holds(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => everyString(item, holds));
  return Object.entries(value).every(([key, item]) => holds(key) && everyString(item, holds));
}

/**
 * Folds a name for a comparison without regard to case, independent of the database's locale. Both lower-case sigmas
 * become one, because `toLowerCase` chooses between them by the next character.
 */
export const fold = (name: string) => name.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
