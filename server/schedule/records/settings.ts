/** The settings of a trigger that changes of records start. */
import { z } from "zod";
import { everyKey } from "../../input/shapes.ts";
import { type Condition, type KnownDb, type KnownTable, readFilter } from "../../store/store.ts";

export const CHANGE_KINDS = ["create", "update", "delete"] as const;

/** Changes of one run, if the trigger does not say otherwise: ten steps for each fit into a run. */
const AT_MOST = 100;

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Values = z.union([Value, z.array(Value)]);
/** The record store reads it: it knows the fields' types. */
const Filter = everyKey(
  z.record(
    z.string(),
    z.union([Values, z.record(z.string(), Values)], { error: "must be a value or an object of operators" }),
  ),
);

export const RecordSettings = z.strictObject({
  db_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a database").describe("Code of the database")
    .meta({ examples: ["orders"] }),
  table_name: z.string().max(63).nullable().default(null)
    .describe("Of a database with several tables: the one whose changes start the flow. Null: all of them")
    .meta({ examples: [null] }),
  on: z.array(z.enum(CHANGE_KINDS)).min(1).max(CHANGE_KINDS.length).default([...CHANGE_KINDS])
    .describe(
      "Which changes. A record that the trigger's author begins to see is created for it, and one that the author sees " +
        "no longer is deleted",
    ).meta({ examples: [["create", "update"]] }),
  filter: Filter.nullable().default(null).describe(
    "Only changes of records that match, in the language of lists: by field a value, or an object of operators. Of a " +
      "deleted record its last values count, otherwise those after the change",
  ).meta({ examples: [{ total: { gte: 100 } }] }),
  at_most: z.int().min(1).max(500).default(AT_MOST)
    .describe("Changes of one run. A run has fewer if there are no more, or if they have more than 256 KiB of JSON")
    .meta({ examples: [AT_MOST] }),
});
export type RecordSettings = z.output<typeof RecordSettings>;

/** What the settings choose in a database. */
export interface Chosen {
  /** Undefined: every table. */
  table: KnownTable | undefined;
  conditions: Condition[];
}

/**
 * @returns the fault of one of the settings if they do not fit the database
 * @throws {Refusal} 400 if the filter does not fit the table
 */
export function chosenIn(
  { tables }: Pick<KnownDb, "tables">,
  { table_name, filter }: RecordSettings,
): Chosen | { field: "table_name" | "filter"; fault: string } {
  const table = table_name === null ? tables.get("") : tables.get(table_name);
  if (table_name !== null && !table) return { field: "table_name", fault: "must exist" };
  if (filter === null) return { table, conditions: [] };
  return table
    ? { table, conditions: readFilter(table, filter) }
    : { field: "filter", fault: "needs a table_name, because the database has several tables" };
}
