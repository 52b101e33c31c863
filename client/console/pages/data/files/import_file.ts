/** Sends a file of rows in parts, with its columns mapped to fields, and collects what the server refuses. */
import { sessionFetch } from "../../../connection.svelte.ts";
import type { Field } from "../tables.ts";
import { csvLine, CsvReader, separatorOf } from "./csv.ts";

/** Rows per request: the server names at most this many refused rows. */
const AT_ONCE = 1_000;
const PREVIEW_BYTES = 200_000;

export type Kind = "csv" | "ndjson";

export interface Preview {
  kind: Kind;
  separator: string;
  columns: string[];
  /** The first rows, a text for each column. */
  samples: string[][];
}

/** Column → field; columns that are left out are missing. */
export type Mapping = Record<string, string>;

interface Row {
  /** From 1, without the header. */
  number: number;
  /** As the file has it. */
  cells: unknown[];
}

export interface Rejected extends Row {
  reason: string;
}

export interface Progress {
  bytes: number;
  created: number;
  rejected: Rejected[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The values of one line of NDJSON: of an export, or a plain object. */
function dataOf(line: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(line);
    if (!isObject(read)) return undefined;
    return isObject(read.data) ? read.data : read;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Reads the beginning of a file. @throws {Error} in words for a person */
export async function previewOf(file: File): Promise<Preview> {
  const text = await file.slice(0, PREVIEW_BYTES).text();
  const kind: Kind = /\.(nd)?jsonl?$/i.test(file.name) || /^\s*\{/.test(text) ? "ndjson" : "csv";
  if (kind === "ndjson") {
    const rows = text.split("\n").slice(0, 20).flatMap((line): Record<string, unknown>[] => {
      const row = dataOf(line);
      return row ? [row] : [];
    });
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    if (columns.length === 0) throw new Error("The file has no line with a JSON object.");
    return { kind, separator: "", columns, samples: rows.map((row) => columns.map((name) => textOf(row[name]))) };
  }
  const separator = separatorOf(text.replace(/^\uFEFF/, ""));
  const [columns, ...samples] = new CsvReader(separator).push(text);
  if (!columns || columns.every((name) => !name.trim())) throw new Error("The first line has no names of columns.");
  return { kind, separator, columns: columns.map((name) => name.trim()), samples: samples.slice(0, 20) };
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Columns and fields of the same name, without regard to case, spaces and signs. */
export function matching(columns: readonly string[], fields: readonly Field[]): Mapping {
  const left = new Set(fields.map(({ name }) => name));
  const mapping: Mapping = {};
  for (const column of columns) {
    const found = [...left].find((name) => plain(name) === plain(column));
    if (found === undefined) continue;
    mapping[column] = found;
    left.delete(found);
  }
  return mapping;
}

interface Sent {
  db_code: string;
  table_name: string | undefined;
  file: File;
  preview: Preview;
  mapping: Mapping;
  dry_run: boolean;
  signal: AbortSignal;
  onprogress: (progress: Progress) => void;
}

/** @throws {Error} the server's words, where it refuses a whole part; rows before it are stored */
export async function importFile({ file, preview, mapping, onprogress, ...sent }: Sent): Promise<Progress> {
  const progress: Progress = { bytes: 0, created: 0, rejected: [] };
  let rows: Row[] = [];
  let number = 0;
  const flush = async () => {
    if (rows.length > 0) await send({ ...sent, preview, mapping }, rows, progress);
    rows = [];
    onprogress({ ...progress });
  };
  const take = async (cells: unknown[]) => {
    rows.push({ number: ++number, cells });
    if (rows.length >= AT_ONCE) await flush();
  };
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  const csv = new CsvReader(preview.separator);
  let is_header = preview.kind === "csv";
  let rest = "";
  for (;;) {
    sent.signal.throwIfAborted();
    const { done, value = "" } = await reader.read();
    progress.bytes += new Blob([value]).size;
    if (preview.kind === "csv") {
      for (const cells of done ? csv.end() : csv.push(value)) {
        if (is_header) is_header = false;
        else await take(cells);
      }
    } else {
      const lines = (rest + value).split("\n");
      rest = done ? "" : lines.pop() ?? "";
      for (const line of lines) {
        if (!line.trim()) continue;
        const data = dataOf(line);
        await take(data ? preview.columns.map((name) => data[name]) : [line]);
      }
    }
    if (done) break;
  }
  await flush();
  return progress;
}

async function send(
  { db_code, table_name, preview, mapping, dry_run, signal }: Omit<Sent, "file" | "onprogress">,
  rows: readonly Row[],
  progress: Progress,
): Promise<void> {
  const chosen = preview.columns.flatMap((column, i) => mapping[column] ? [{ field: mapping[column], i }] : []);
  const body = preview.kind === "csv"
    ? [chosen.map(({ field }) => field), ...rows.map(({ cells }) => chosen.map(({ i }) => textOf(cells[i])))]
      // A line of blanks would be no row.
      .map((cells) => cells.length === 1 && cells[0] === "" ? '""' : csvLine(cells)).join("\n")
    : rows.map(({ cells }) =>
      JSON.stringify({ data: Object.fromEntries(chosen.map(({ field, i }) => [field, cells[i] ?? null])) })
    )
      .join("\n");
  const query = new URLSearchParams({ ...table_name && { table_name }, ...dry_run && { dry_run: "true" } });
  const response = await sessionFetch(`/platform/dbs/${db_code}/import.${preview.kind}?${query}`, {
    method: "POST",
    headers: { "content-type": preview.kind === "csv" ? "text/csv" : "application/x-ndjson" },
    body: `${body}\n`,
    signal,
  });
  const answer: unknown = await response.json();
  if (!response.ok || !isObject(answer)) {
    throw new Error(
      isObject(answer) && typeof answer.error === "string" ? answer.error : `The server answers ${response.status}.`,
    );
  }
  progress.created += Number(answer.created);
  for (const error of Array.isArray(answer.errors) ? answer.errors : []) {
    const row = rows[Number(error.row) - 1];
    if (!row || !isObject(error.fields)) continue;
    const reason = Object.entries(error.fields).map(([field, messages]) => `${field} ${messages}`).join("; ");
    progress.rejected.push({ ...row, reason });
  }
}

/** The refused rows as a file that can be mended and imported again. */
export const rejectedFile = ({ columns }: Preview, rejected: readonly Rejected[]): Blob =>
  new Blob(
    [
      [...columns, "row", "reason"],
      ...rejected.map(({ cells, number, reason }) => [
        ...columns.map((_, i) => textOf(cells[i])),
        String(number),
        reason,
      ]),
    ].map((cells) => `${csvLine(cells)}\n`),
    { type: "text/csv" },
  );
