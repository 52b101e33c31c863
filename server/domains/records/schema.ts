import { z } from "zod";
import { everyKey, Id, InDepartment, text, Timestamp, Uuid } from "../../input/shapes.ts";
import { DbCode } from "../dbs/db_code.ts";

const DATA = { message: "Hello", author: "Ada" };

/** The record store checks it against the table. */
export const Data = everyKey(z.record(z.string(), z.unknown()));

/** A parameter of an import or an export. */
export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** Has no example, because all other examples use a database of one table. */
const TableName = z.string().max(63).optional().describe("Required in a database with several tables");

/** In a body, where null stands for no name, as in answers. */
export const SentTableName = z.string().max(63).nullable().transform((name) => name ?? undefined).optional()
  .describe("Required in a database with several tables");

const SentData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .describe("Every field of the table; null where it is blank").meta({ examples: [DATA] });

/** Source: spec, "Record structure differences". */
export const Record = z.object({
  id: Uuid,
  table_name: z.string().nullable().describe("Null in a database of one table").meta({ examples: [null] }),
  data: SentData,
  department_id: Id.nullable(),
  created_by_id: Id.nullable().describe("Null if it was created without login"),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Record = z.output<typeof Record>;

/** A record whose fields stand beside `id`, `created_at` and `updated_at`. */
export const FlatRecord = z.object({ id: Uuid, created_at: Timestamp, updated_at: Timestamp })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .meta({
    examples: [{
      id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
      ...DATA,
      created_at: "2026-11-21T08:30:00.000+00:00",
      updated_at: "2026-11-21T08:30:00.000+00:00",
    }],
  });
export type FlatRecord = z.output<typeof FlatRecord>;

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** The record store reads it: it knows the fields' types. */
export const Filter = everyKey(
  z.record(
    z.string(),
    z.union([Value, z.array(Value), z.record(z.string(), z.union([Value, z.array(Value)]))], {
      error: "is written filter[field]=v, filter[field][gte]=v, filter[field][in]=a,b or filter[field][in][]=a",
    }),
  ),
)
  .optional()
  .describe(
    "`filter[field]=v`, `filter[field][gte]=v`; operators eq ne gt gte lt lte in (separated by commas) contains",
  )
  .meta({ examples: [{ author: "Ada" }] });

const list = {
  db_code: DbCode,
  table_name: TableName,
  page: z.int().min(1).max(1_000_000).default(1),
  per_page: z.int().min(1).max(500).default(100),
  sort: z.string().max(270).optional().describe(
    "A field, or created_at, updated_at, id; a leading minus is descending. Up to four, separated by commas",
  )
    .meta({ examples: ["-created_at"] }),
  filter: Filter,
  department_id: InDepartment,
  q: text(255).optional().describe("Part of any string or text field, without regard to case").meta({
    examples: ["hello"],
  }),
  after: z.uuidv7().meta({ examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] }).optional().describe(
    "Keyset pagination: the list begins after this record, and `page` must be 1",
  ),
  count: z.boolean().default(false).describe("Also counts, and sends `X-Total-Count` and `Link`"),
  fields: z.string().max(10_000).optional().describe("Names of the fields that are sent, separated by commas")
    .meta({ examples: ["message,author"] }),
};

export const RecordPage = z.object(list);
export type RecordPage = z.output<typeof RecordPage>;

export const MarksInput = z.object({
  db_code: DbCode,
  table_name: TableName,
  sort: list.sort,
  every: z.int().min(50).max(1_000).default(250).describe("How many records lie between two of them"),
  after: list.after.describe("The walk begins after this record"),
});
export type MarksInput = z.output<typeof MarksInput>;

export const ByRecord = z.object({
  db_code: DbCode,
  id: Uuid,
  table_name: TableName,
  fields: list.fields,
});
export type ByRecord = z.output<typeof ByRecord>;

const sent = {
  data: Data.meta({ examples: [DATA] }),
  department_id: Id.nullable().optional().meta({ examples: [null] }),
};

export const NewRecordInput = z.object({
  db_code: DbCode,
  record: z.object({ ...sent, table_name: SentTableName }),
});
export type NewRecordInput = z.output<typeof NewRecordInput>;

export const RecordChanges = z.object({
  db_code: DbCode,
  id: Uuid,
  record: z.object({ ...sent, data: sent.data.default({}), table_name: SentTableName }),
});
export type RecordChanges = z.output<typeof RecordChanges>;

export const RecordToDelete = z.object({ db_code: DbCode, id: Uuid, table_name: TableName });
