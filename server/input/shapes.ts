/** Shapes that several domains share. */
import { z } from "zod";
import { tooLong } from "./messages.ts";

/** A code point is one or two units, so most texts need no counting. */
const characters = (text: string, maximum: number) =>
  text.length <= maximum || text.length <= 2 * maximum && [...text].length <= maximum;

/** PostgreSQL stores neither, and a lone surrogate would silently become another character. */
const storable = (text: string) => !text.includes("\0") && text.isWellFormed();
export const NOT_STORABLE = "contains characters that cannot be stored (NUL or half of a surrogate pair)";

/** Text of at most `maximum` Unicode code points. */
export const text = (maximum: number) =>
  z.string()
    .refine(storable, { message: NOT_STORABLE, abort: true })
    .refine((value) => characters(value, maximum), tooLong(maximum))
    .meta({ maxLength: maximum });

/** A name: trimmed, not blank, 255 characters at most. */
export const Name = z.string().trim().min(1)
  .refine(storable, { message: NOT_STORABLE, abort: true })
  .refine((value) => characters(value, 255), tooLong(255))
  .meta({ maxLength: 255 });

/** An optional line of text. Null and absent are the same. */
export const Line = text(255).nullable();

const EMAIL = /^[^\s@]+@(?:localhost|[^\s@.]+(?:\.[^\s@.]+)+)$/;
const isWebAddress = (value: string) => !/\s/.test(value) && URL.canParse(value) && /^https?:\/\//i.test(value);

/** Looks like an e-mail address. */
export const Email = text(254).refine((value) => EMAIL.test(value), "is not an e-mail address");
/** Blank, or looks like an e-mail address. */
export const OptionalEmail = text(254).refine((value) => !value || EMAIL.test(value), "is not an e-mail address")
  .nullable();
/** Blank, or an http(s) address. */
export const OptionalUrl = text(2048).refine((value) => !value || isWebAddress(value), "is not an http(s) address")
  .nullable();

/** Accounts, users, departments, teams, groups, mailboxes, tokens. */
export const Id = z.int().min(1).max(2_147_483_647).meta({ examples: [1] });

/** A whole assignment: sending it replaces the one before. Repeated ids count once. */
export const Ids = z.array(Id).max(10_000).transform((ids) => [...new Set(ids)]);

/** Apps, records, flow processes: version 7, so that they sort by time. */
export const Uuid = z.uuid().meta({ examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] });

/** ISO 8601 in UTC with milliseconds and offset. */
export const Timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  .meta({ examples: ["2026-11-21T08:30:00.000+00:00"] });

/** Counts the changes of an object; an update that sends a stale one is refused with 409. */
export const LockVersion = z.int().min(0).meta({ examples: [0] });

/**
 * Query parameters of a list.
 *
 * @param sorts that `sort` takes, the default first; a leading minus is descending
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

/** Input of a read or delete by number. */
export const ById = z.object({ id: Id });
/** Input of a read or delete by UUID. */
export const ByUuid = z.object({ id: Uuid });

/** Whether PostgreSQL can store every text inside. */
export const isStorable = (value: unknown): boolean => everyString(value, storable);

/** A free JSON object that PostgreSQL can store. */
export const JsonObject = z.record(z.string(), z.json()).refine(isStorable, NOT_STORABLE);

/** One that lists carry, too: at most `maximum` characters of JSON. */
export const jsonObject = (maximum: number) =>
  JsonObject.refine((value) => characters(JSON.stringify(value), maximum), tooLong(maximum));

/** zod leaves a key named `__proto__` out of an object without a word. Here it is refused, however deep it stands. */
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

function everyString(value: unknown, holds: (text: string) => boolean): boolean {
  if (typeof value === "string") return holds(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => everyString(item, holds));
  return Object.entries(value).every(([key, item]) => holds(key) && everyString(item, holds));
}

/**
 * How names are compared where case does not count, whatever the database's locale knows of letters. A sigma at the end
 * of a word is one: which of the two small ones `toLowerCase` makes of a capital depends on what follows it.
 */
export const fold = (name: string) => name.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
