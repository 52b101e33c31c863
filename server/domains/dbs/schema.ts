import { z } from "zod";
import { tooLong } from "../../input/messages.ts";
import {
  everyKey,
  Id,
  InDepartment,
  jsonObject,
  LockVersion,
  Name,
  page,
  text,
  Timestamp,
} from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { PublicMethods } from "../../store/store.ts";
import { Force, UsedBy } from "../uses/uses.ts";
import { DbCode } from "./db_code.ts";

/** Cleaned like `url_code`, with `_` as the separator. */
const Code = text(1000).transform((value) => slug(value, "_"))
  .refine((code) => code !== "", "can't be blank")
  .refine((code) => code.length <= 100, "is too long (maximum is 100 characters)")
  .meta({ examples: ["guestbook"] });

const SCHEMA = {
  fields: { message: { type: "text", required: true }, author: "string" },
  indexes: { idx_str_1: "author" },
};

/** Validated by `readSchema`, which knows both notations. Its length is limited because lists contain it. */
const Schema = jsonObject(262_144).meta({ examples: [SCHEMA] })
  .describe("One table: `{ fields, indexes }`. Several: `{ tables: { <name>: { fields, indexed_fields } } }`");

/** The maximum characters of JSON, because `default_values` may be long. */
const MOST_OF_METHODS = 65_536;
const PUBLIC_METHODS = { list: {}, create: { allowed_fields: ["message", "author"] } };

const written = {
  name: Name.meta({ examples: ["Guestbook"] }),
  code: Code,
  schema: Schema,
  public_methods: everyKey(
    PublicMethods.refine((methods) => JSON.stringify(methods).length <= MOST_OF_METHODS, tooLong(MOST_OF_METHODS)),
  )
    .meta({ examples: [PUBLIC_METHODS] }),
  public_write_limit: z.int().min(0).max(100_000)
    .describe(
      "Public writes per minute of callers without a login, for each IPv4 address or IPv6 /64 network; 0 allows none",
    ).meta({
      examples: [60],
    }),
  department_id: Id.nullable().meta({ examples: [null] }),
};

export const NewDb = z.object(written).partial().extend({ name: written.name });
export type NewDb = z.output<typeof NewDb>;

const OldName = text(63).meta({ examples: ["author"] });
const NewName = text(63).meta({ examples: ["writer"] });

export const Renames = z.object({
  rename_tables: z.array(z.object({ from: OldName, to: NewName })).max(50).optional()
    .describe(
      'Tables that keep their records under another name of the schema that is sent; "" is the table without a name',
    )
    .meta({ examples: [[]] }),
  rename_fields: z.array(
    z.object({
      table_name: text(63).default("").describe("As the schema that is sent names the table"),
      from: OldName,
      to: NewName,
    }),
  ).max(500).optional()
    .describe(
      "Fields that keep their values under another name of the schema that is sent. Public methods and views are " +
        "changed with them; sources of apps, flows and triggers are not",
    )
    .meta({ examples: [[]] }),
});
export type Renames = z.output<typeof Renames>;

export const DbChanges = z.object(written).partial().extend({
  lock_version: LockVersion.optional(),
  drop_tables: z.array(text(63)).max(50).optional()
    .describe(
      'Tables that may be dropped with their records, because the schema leaves them out; "" is the table without a name',
    )
    .meta({ examples: [[]] }),
  ...Renames.shape,
});
export type DbChanges = z.output<typeof DbChanges>;

const Reindexing = z.object({
  done: z.int().describe("Records that have been changed"),
  total: z.int().describe("Records in all"),
}).nullable().describe("The progress of a schema change; null if there is none").meta({ examples: [null] });

export const ListedDb = z.object({
  id: Id,
  ...written,
  code: z.string().meta({ examples: ["guestbook"] }),
  reindexing: Reindexing,
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ListedDb = z.output<typeof ListedDb>;

export const Db = ListedDb.extend({
  warnings: z.record(z.string(), z.array(z.string()))
    .describe("By field, what may not be intended: a public `list` that shows records of departments to everyone")
    .meta({ examples: [{}] }),
  used_by: UsedBy,
});
export type Db = z.output<typeof Db>;

export const DbPage = page(["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"]).extend({
  department_id: InDepartment,
  q: text(255).optional().describe("Part of the name or code, case-insensitive").meta({ examples: ["guest"] }),
});
export type DbPage = z.output<typeof DbPage>;

export const ByCode = z.object({ db_code: DbCode });
export const ByMention = ByCode.extend({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/).optional().describe("Of a field or a table")
    .meta({ examples: ["author"] }),
});
export type ByMention = z.output<typeof ByMention>;
export const DbToDelete = ByCode.extend({ force: Force });
