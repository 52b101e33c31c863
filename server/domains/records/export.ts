/** Writes a table as a file: CSV, or one JSON record per line. */
import { stringify } from "csv-stringify/sync";
import type { Context } from "../../context.ts";
import { exportRecords, type Place } from "../../store/store.ts";
import type { Record } from "./schema.ts";
import { inDb, placeIn } from "./place.ts";

export const FORMATS = ["csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** @throws {Refusal} 400, 404, before the first text */
export async function exportTable(
  ctx: Context,
  db_code: string,
  table_name: string | undefined,
  format: Format,
): Promise<AsyncGenerator<string>> {
  const place = await inDb(ctx, db_code, (db) => Promise.resolve(placeIn(ctx, db, table_name)));
  const pages = exportRecords(ctx.sql, place);
  return format === "csv" ? asCsv(pages, place) : asLines(pages);
}

async function* asLines(pages: AsyncGenerator<string[]>): AsyncGenerator<string> {
  for await (const page of pages) yield `${page.join("\n")}\n`;
}

/** Columns: `id`, the fields in the order of the schema, `created_at`, `updated_at`. Blank values are empty cells. */
async function* asCsv(pages: AsyncGenerator<string[]>, { table }: Place): AsyncGenerator<string> {
  const fields = [...table.fields.keys()];
  yield stringify([["id", ...fields, "created_at", "updated_at"]]);
  for await (const page of pages) {
    const rows = page.map((json) => {
      const { id, data, created_at, updated_at }: Record = JSON.parse(json);
      return [id, ...fields.map((name) => Object.hasOwn(data, name) ? data[name] : null), created_at, updated_at];
    });
    yield stringify(rows, { cast: { boolean: String } });
  }
}
