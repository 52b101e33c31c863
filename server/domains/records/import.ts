/** Creates records from a file while it arrives: CSV with a header, or one JSON record per line. */
import { CsvError, parse } from "csv-parse";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import { parseExactly } from "../../input/exact_json.ts";
import { refusalOfDatabase } from "../../database/pg_errors.ts";
import { badRequest, type Fields, invalid, Refusal } from "../../errors.ts";
import { Id } from "../../input/shapes.ts";
import {
  insertRecords,
  type KnownDb,
  type NewRecord,
  type Place,
  readValues,
  STALE,
  typedText,
} from "../../store/store.ts";
import { departmentOfRecord } from "../../visibility.ts";
import { faultOfDepartment, proveDepartment } from "../departments/proof.ts";
import { textsOf } from "./arriving.ts";
import type { Format } from "./export.ts";
import { unescapeFormula } from "./formulas.ts";
import { inDb, placeIn } from "./place.ts";
import { Flag } from "./schema.ts";

/** Rows per statement. */
const AT_ONCE = 500;
const NAMED_FAULTS = 1_000;
const LINE_LIMIT = 2 * 1024 * 1024;

/** Columns of an export that are not fields. An import ignores them, because it creates new records. */
const OF_AN_EXPORT = new Set(["id", "created_at", "updated_at"]);

export const ImportResult = z.object({
  created: z.int().meta({ examples: [2] }),
  failed: z.int().meta({ examples: [1] }),
  errors: z.array(z.object({
    row: z.int().describe("From 1, without the header"),
    fields: z.record(z.string(), z.array(z.string())),
  })).describe(`The first ${NAMED_FAULTS}`).meta({ examples: [[{ row: 3, fields: { message: ["can't be blank"] } }]] }),
});
export type ImportResult = z.output<typeof ImportResult>;

export const ImportOptions = z.object({
  dry_run: Flag.default(false)
    .describe("Checks the rows and creates nothing"),
  raw: Flag.default(false)
    .describe("CSV: leaves an apostrophe that an export has put before a formula"),
  department_id: z.coerce.number().pipe(Id).nullable().optional()
    .describe(
      "Set on every record; blank for none. By default the department that the line names (NDJSON), or else the caller's " +
        "only department, if the caller is restricted to one",
    ),
});
type ImportOptions = z.output<typeof ImportOptions>;

/** One row: its values and the department that it names, or why it cannot be read. */
type Row = { data: Record<string, unknown>; department_id?: number | null | undefined } | { fault: string };

/**
 * Creates records from the valid rows, in batches as they arrive, and reports the others.
 *
 * @throws {Refusal} 400 if the file cannot be read further; 422 or 503 if the database refuses rows or is away. The rows
 *   before that place are stored; the message counts them
 */
export async function importTable(
  ctx: Context,
  db_code: string,
  table_name: string | undefined,
  format: Format,
  body: ReadableStream<Uint8Array>,
  { dry_run, raw, department_id: of_all }: ImportOptions,
): Promise<ImportResult> {
  const default_department = of_all === undefined ? departmentOfRecord(ctx.viewer) : of_all;
  // A line of NDJSON may name another one.
  if (of_all !== undefined || format === "csv") await proveDepartment(ctx, default_department);
  const faultOf = departmentCheck(ctx);
  const result: ImportResult = { created: 0, failed: 0, errors: [] };
  const place = await inDb(ctx, db_code, (db) => Promise.resolve(placeIn(ctx, db, table_name)));
  const rows = format === "csv" ? csvRows(body, place, raw ? (cell) => cell : unescapeFormula) : jsonRows(body);
  let number = 0;
  const fail = (fields: Fields) => {
    result.failed++;
    if (result.errors.length < NAMED_FAULTS) result.errors.push({ row: number, fields });
  };
  try {
    for await (const batch of batches(rows)) {
      const fitting: NewRecord[] = [];
      for (const row of batch) {
        number++;
        if ("fault" in row) {
          fail({ base: [row.fault] });
          continue;
        }
        const department_id = of_all !== undefined || row.department_id === undefined
          ? default_department
          : row.department_id;
        const { changes, faults } = readValues(place.table, row.data, true);
        const department_fault = await faultOf(department_id);
        if (department_fault) faults.department_id = [department_fault];
        if (Object.keys(faults).length > 0) fail(faults);
        else fitting.push({ changes, department_id, created_by_id: ctx.viewer.user_id });
      }
      if (!dry_run) await inDb(ctx, db_code, (db) => insertInto(ctx, db, table_name, place, fitting));
      result.created += fitting.length;
    }
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOfDatabase(error);
    if (!refusal || dry_run || result.created === 0) throw error;
    throw withCount(refusal, result.created);
  }
  return result;
}

/** Who imports the whole file again creates these records twice. */
function withCount({ status, message, fields, headers, cause }: Refusal, created: number): Refusal {
  const counted = `${created} records have been created before`;
  return fields
    ? invalid({ ...fields, base: [...fields.base ?? [], counted] })
    : new Refusal(status, `${message} (${counted})`, { headers, cause });
}

/** Asks the database once for each department that is allowed. @returns why one is not */
function departmentCheck(ctx: Context): (department_id: number | null) => Promise<string | undefined> {
  const allowed = new Set<number | null>();
  return async (department_id) => {
    if (allowed.has(department_id)) return undefined;
    const fault = await faultOfDepartment(ctx, department_id);
    if (!fault) allowed.add(department_id);
    return fault;
  };
}

/** The rows were checked against the schema at the start: a change of the schema ends the import. */
async function insertInto(
  ctx: Context,
  db: KnownDb,
  table_name: string | undefined,
  { db: { lock_version } }: Place,
  records: NewRecord[],
): Promise<typeof STALE | true> {
  if (db.lock_version !== lock_version) throw badRequest("The schema has changed during the import");
  if (records.length === 0) return true;
  return await insertRecords(ctx.sql, placeIn(ctx, db, table_name), "flat", records) === STALE ? STALE : true;
}

/** The last batch has the rows before the end, or before the place where the file cannot be read. */
async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let broken: { error: unknown } | undefined;
  try {
    for await (const row of rows) {
      batch.push(row);
      if (batch.length < AT_ONCE) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    broken = { error };
  }
  if (batch.length > 0) yield batch;
  if (broken) throw broken.error;
}

/**
 * Reads each cell as its field's type. An empty cell is blank.
 *
 * The parser hands over rows by `on_record`, because a stream that fails drops the rows that are not read yet.
 */
async function* csvRows(
  body: ReadableStream<Uint8Array>,
  { table }: Place,
  textOf: (cell: string) => string,
): AsyncGenerator<Row> {
  const rows: Row[] = [];
  const parser = parse({
    columns: (header: string[]) => headerOf(header, table.fields),
    skip_empty_lines: true,
    max_record_size: LINE_LIMIT,
    on_record(cells: Record<string, string>) {
      const data = Object.entries(cells).filter(([name]) => table.fields.has(name)).map(([name, text]) => {
        const type = table.fields.get(name)?.type ?? "string";
        return [name, text === "" ? null : typedText(type, textOf(text))];
      });
      rows.push({ data: Object.fromEntries(data) });
      return null;
    },
  });
  // Each call reports its own error.
  parser.on("error", () => {});
  try {
    for await (const text of textsOf(body)) {
      const error = await ended((done) => parser.write(text, done));
      yield* rows.splice(0);
      if (error) throw ofCsv(error);
    }
  } catch (error) {
    await ended((done) => parser.write(NO_LINE_END, done));
    yield* rows.splice(0);
    throw error;
  }
  const error = await ended((done) => parser.end(done));
  yield* rows.splice(0);
  if (error) throw ofCsv(error);
}

/**
 * The parser holds back a few characters that may belong to a line end or a quote. Where the body breaks off, this makes it
 * read them: a row whose line has ended is handed over, and the unfinished one is not.
 */
const NO_LINE_END = "x".repeat(16);

/** @returns the error that a call of a stream reports */
const ended = (call: (done: (error?: Error | null) => void) => void) =>
  new Promise<Error | null | undefined>((resolve) => call(resolve));

const ofCsv = (error: Error): Error =>
  error instanceof CsvError ? badRequest(`The CSV cannot be read: ${error.message}`) : error;

/** @throws {Refusal} 400 */
function headerOf(cells: string[], fields: ReadonlyMap<string, unknown>): string[] {
  const names = cells.map((name) => name.trim());
  const strange = names.filter((name) => !fields.has(name) && !OF_AN_EXPORT.has(name));
  if (strange.length > 0) throw badRequest(`The header names no fields of this table: ${strange.join(", ")}`);
  const twice = names.filter((name, i) => names.indexOf(name) < i);
  if (twice.length > 0) throw badRequest(`The header names fields twice: ${twice.join(", ")}`);
  return names;
}

/** Reads `{"data": {…}, "department_id": …}` per line, as an export writes it. */
async function* jsonRows(body: ReadableStream<Uint8Array>): AsyncGenerator<Row> {
  for await (const line of linesOf(body)) {
    if (line.trim()) yield readLine(line);
  }
}

/** Not cleaned by zod: a key that is not a field must be reported, whatever its name is. */
const LineData = z.custom<Record<string, unknown>>((data) =>
  typeof data === "object" && data !== null && !Array.isArray(data)
);
const Line = z.object({ data: LineData, department_id: Id.nullable().optional() });

function readLine(line: string): Row {
  if (deeperThan(line, DEPTH_LIMIT)) return { fault: `is nested deeper than ${DEPTH_LIMIT} levels` };
  try {
    const { data, success } = Line.safeParse(parseExactly(line));
    return success
      ? data
      : { fault: "must be an object with an object named data, and perhaps an id named department_id" };
  } catch {
    return { fault: "is not valid JSON" };
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of textsOf(body)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > LINE_LIMIT) throw badRequest("A line is longer than 2 MiB");
  }
  if (rest) yield rest;
}
