/** The rows of a CSV or NDJSON file as it is read: their cells by column, or why a row cannot be sent. */
import { CsvReader, separatorOf } from "./csv.ts";

const PREVIEW_BYTES = 200_000;
/** The first line may be longer than a preview. */
const FIRST_LINE_BYTES = 8 * 1024 * 1024;
const SAMPLES = 20;
/** As the server has it. */
const ROW_BYTES = 2 * 1024 * 1024;
/** A cell that does not end: the file is read no further, before the memory is used up. */
const CELL_LENGTH = 64 * 1024 * 1024;

export type Kind = "csv" | "ndjson";

export interface Preview {
  kind: Kind;
  encoding: "utf-8" | "utf-16le";
  separator: string;
  /** Their names are unique. */
  columns: string[];
  /** The first rows, a text for each column. */
  samples: string[][];
}

export interface Row {
  /** From 1, without the header. */
  number: number;
  /** As the file has them, by the number of the column. */
  cells: unknown[];
  /** Why the row cannot be sent. */
  fault: string | undefined;
  /** Characters. */
  length: number;
  /** NDJSON: the line. */
  line: string | undefined;
  /** Of a record of an export; undefined elsewhere. */
  department_id?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Only a line with one of these can have a number that JavaScript would round. A reviver makes reading slower. */
const MAY_BE_ROUNDED = /\d{16}|[eE]\+?\d{3}|\d{3}[eE]\+?\d{2}/;

/** Of a number that JavaScript would round, the digits as a text: the server decides about it, as it does for a CSV file. */
function digitsOf(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source } = context ?? {};
  if (typeof value !== "number" || source === undefined) return value;
  return !Number.isFinite(value) || /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? source : value;
}

/**
 * One line of NDJSON: of an export, which names the record's department, or a plain object of its values. Undefined: the
 * line is neither.
 */
export function recordOf(line: string): { data: Record<string, unknown>; department_id?: unknown } | undefined {
  try {
    const read: unknown = MAY_BE_ROUNDED.test(line) ? JSON.parse(line, digitsOf) : JSON.parse(line);
    if (!isObject(read)) return undefined;
    return isObject(read.data) ? { data: read.data, department_id: read.department_id } : { data: read };
  } catch {
    return undefined;
  }
}

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Reads the beginning of a file. @throws {Error} in words for a person */
export async function previewOf(file: File): Promise<Preview> {
  let bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  if (!bytes.includes(10)) bytes = new Uint8Array(await file.slice(0, FIRST_LINE_BYTES).arrayBuffer());
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  const text = decoded(new TextDecoder(encoding, { fatal: true }), bytes, bytes.length === file.size);
  if (/^\s*\[/.test(text) && /\.json$/i.test(file.name)) {
    throw new Error("The file is one JSON array. An import reads one object in each line (NDJSON).");
  }
  const kind: Kind = /\.(nd)?jsonl?$/i.test(file.name) || /^\s*\{/.test(text) ? "ndjson" : "csv";
  if (kind === "ndjson") {
    const lines = text.split("\n");
    const rows = (bytes.length < file.size ? lines.slice(0, -1) : lines).flatMap((line): Record<string, unknown>[] => {
      const record = recordOf(line);
      return record ? [record.data] : [];
    });
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (columns.length === 0) throw new Error("The file has no line with a JSON object.");
    const samples = rows.slice(0, SAMPLES).map((row) => columns.map((name) => textOf(row[name])));
    return { kind, encoding, separator: "", columns, samples };
  }
  const separator = separatorOf(text);
  const [header, ...samples] = new CsvReader(separator).push(`${text}\n`);
  if (!header || header.every((name) => !name.trim())) throw new Error("The first line has no names of columns.");
  return { kind, encoding, separator, columns: uniqueNames(header), samples: samples.slice(0, SAMPLES) };
}

/** @throws {Error} */
function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined, is_end: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !is_end });
  } catch {
    throw new Error(
      "The file is not UTF-8, so that its letters cannot be told. Save it as “CSV UTF-8” and choose it again.",
    );
  }
}

function uniqueNames(header: readonly string[]): string[] {
  const names = new Set<string>();
  for (const [i, cell] of header.entries()) {
    const name = cell.trim() || `Column ${i + 1}`;
    let unique = name;
    for (let n = 2; names.has(unique); n++) unique = `${name} (${n})`;
    names.add(unique);
  }
  return [...names];
}

/**
 * @param oncolumn called for each name that NDJSON has further down than the preview reaches
 * @throws {Error} in words for a person, if the file cannot be read further
 */
export async function* rowsOf(
  file: Blob,
  preview: Preview,
  { onbytes, oncolumn }: { onbytes?: (bytes: number) => void; oncolumn?: (name: string) => void } = {},
): AsyncGenerator<Row> {
  const texts = textsOf(file, preview.encoding, onbytes);
  yield* preview.kind === "csv" ? csvRows(texts, preview) : jsonRows(texts, preview, oncolumn);
}

async function* textsOf(file: Blob, encoding: string, onbytes?: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield decoded(decoder, value, done);
      if (done) return;
      onbytes?.(value.byteLength);
    }
  } finally {
    // Fails where the file could not be read to its end, which is told already.
    void reader.cancel().catch(() => {});
  }
}

async function* csvRows(texts: AsyncIterable<string>, { separator, columns }: Preview): AsyncGenerator<Row> {
  const reader = new CsvReader(separator);
  let number = -1;
  const row = (cells: string[], open_quote = false): Row => {
    const length = cells.reduce((sum, cell) => sum + cell.length, 0);
    const fault = open_quote
      ? "has a quotation mark that is not closed"
      : tooLong(length, () => cells.join(""))
      ? "is longer than 2 MiB"
      : cells.slice(columns.length).some(Boolean)
      ? `has ${cells.length} cells, and the header has ${columns.length}`
      : undefined;
    return { number, cells, fault, length, line: undefined };
  };
  for await (const text of texts) {
    // The first row is the header.
    for (const cells of reader.push(text)) if (++number > 0) yield row(cells);
    if (reader.open_length > CELL_LENGTH) {
      throw new Error(`Row ${number + 1} does not end. Perhaps a quotation mark is not closed.`);
    }
  }
  const { in_quotes } = reader;
  for (const cells of reader.end()) if (++number > 0) yield row(cells, in_quotes);
}

async function* jsonRows(
  texts: AsyncIterable<string>,
  preview: Preview,
  oncolumn?: (name: string) => void,
): AsyncGenerator<Row> {
  const columns = [...preview.columns];
  const known = new Set(columns);
  let number = 0;
  for await (const line of linesOf(texts)) {
    if (!line.trim()) continue;
    number++;
    const { data, department_id } = recordOf(line) ?? {};
    for (const name of Object.keys(data ?? {})) {
      if (known.has(name)) continue;
      known.add(name);
      columns.push(name);
      oncolumn?.(name);
    }
    const fault = !data
      ? "is not a JSON object"
      : tooLong(line.length, () => line)
      ? "is longer than 2 MiB"
      : undefined;
    const cells = data ? columns.map((name) => data[name]) : [];
    yield { number, cells, fault, length: line.length, line, department_id };
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  let number = 1;
  for await (const text of texts) {
    const [first = "", ...others] = text.split("\n");
    parts.push(first);
    length += first.length;
    if (length > CELL_LENGTH) throw new Error(`Line ${number} does not end.`);
    const last = others.pop();
    if (last === undefined) continue;
    yield parts.join("");
    yield* others;
    number += 1 + others.length;
    [parts, length] = [[last], last.length];
  }
  yield parts.join("");
}

const tooLong = (length: number, text: () => string): boolean =>
  length * 3 > ROW_BYTES && new TextEncoder().encode(text()).length > ROW_BYTES;
