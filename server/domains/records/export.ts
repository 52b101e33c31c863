/** Writes a table as a file: CSV, or one JSON record per line. */
import { stringify } from "csv-stringify/sync";
import type { Context } from "../../context.ts";
import { z } from "zod";
import { conditionSql, exportRecords, part, type Place, readFilter, textSql } from "../../store/store.ts";
import { text } from "../../input/shapes.ts";
import { escapeFormula } from "./formulas.ts";
import { Filter, Flag, type Record } from "./schema.ts";
import { inDb, placeIn } from "./place.ts";

export const FORMATS = ["csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

export const CsvExportOptions = z.object({
  raw: Flag.default(false).describe(
    "Leaves texts as they are. Otherwise a text that a spreadsheet would run as a formula (it begins with `=`, `+`, " +
      "`-`, `@`, a tab or a carriage return) gets an apostrophe in front, which an import removes",
  ),
});
type CsvExportOptions = z.output<typeof CsvExportOptions>;

/** Which records are exported; all of them by default. */
export const Chosen = z.object({
  filter: Filter,
  q: text(255).optional().describe("Part of any string or text field, without regard to case").meta({
    examples: ["hello"],
  }),
});
type Chosen = z.output<typeof Chosen>;

/** @throws {Refusal} 400, 404, before the first text */
export async function exportTable(
  ctx: Context,
  db_code: string,
  table_name: string | undefined,
  format: Format,
  { raw, filter, q }: CsvExportOptions & Chosen,
): Promise<AsyncGenerator<string>> {
  const place = await inDb(ctx, db_code, (db) => Promise.resolve(placeIn(ctx, db, table_name)));
  const { table } = place;
  const allowed = readFilter(table, filter).reduce(
    (sofar, condition) => part`${sofar} and ${conditionSql(table, condition)}`,
    q === undefined ? place.allowed : part`${place.allowed} and ${textSql(q, "plain")}`,
  );
  const pages = exportRecords(ctx.sql, { ...place, allowed });
  return format === "csv" ? asCsv(pages, place, raw ? (text) => text : escapeFormula) : asLines(pages);
}

async function* asLines(pages: AsyncGenerator<string[]>): AsyncGenerator<string> {
  for await (const page of pages) yield `${page.join("\n")}\n`;
}

/** Columns: `id`, the fields in the order of the schema, `created_at`, `updated_at`. Blank values are empty cells. */
async function* asCsv(
  pages: AsyncGenerator<string[]>,
  { table }: Place,
  cellOf: (text: string) => string,
): AsyncGenerator<string> {
  const fields = [...table.fields.keys()];
  yield stringify([["id", ...fields, "created_at", "updated_at"]]);
  for await (const page of pages) {
    const rows = page.map((json) => {
      const { id, data, created_at, updated_at }: Record = JSON.parse(json);
      return [id, ...fields.map((name) => Object.hasOwn(data, name) ? data[name] : null), created_at, updated_at];
    });
    yield stringify(rows, { cast: { boolean: String, string: cellOf } });
  }
}
