/** Sends a file of rows in parts, with its columns mapped to fields, and collects what is refused. */
import type { Field } from "../tables.ts";
import { csvLine } from "./csv.ts";
import { type Preview, recordOf, type Row, rowsOf, textOf } from "./file_rows.ts";

/** Rows per request: a single statement of the server, so that a part is stored as a whole or not at all. */
const AT_ONCE = 500;
/** Characters per request, beside one row. */
const LENGTH_AT_ONCE = 4_000_000;

/** Column → field; columns that are left out are missing. */
export type Mapping = Record<string, string>;

export interface Rejected extends Row {
  reason: string;
}

export interface Progress {
  bytes: number;
  /** Rows that the server has answered for. */
  rows: number;
  created: number;
  /** Of all parts in one list, which grows while the import runs: a copy for each part would be quadratic work. */
  rejected: readonly Rejected[];
  /** Columns further down than the preview reaches. */
  found: string[];
  /** How many rows after those were sent without an answer: whether they are stored is unknown. */
  unanswered: number;
}

export const NO_PROGRESS: Progress = { bytes: 0, rows: 0, created: 0, rejected: [], found: [], unanswered: 0 };

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Columns and fields of the same name, without regard to case, spaces and signs. */
export function matching(columns: readonly string[], fields: readonly Field[], mapping: Mapping = {}): Mapping {
  const matched = { ...mapping };
  const left = new Set(fields.map(({ name }) => name));
  for (const name of Object.values(mapping)) left.delete(name);
  for (const column of columns) {
    const found = [...left].find((name) => plain(name) === plain(column));
    if (found === undefined) continue;
    matched[column] = found;
    left.delete(found);
  }
  return matched;
}

interface Sent {
  db_code: string;
  table_name: string | undefined;
  file: File;
  preview: Preview;
  fields: readonly Field[];
  mapping: Mapping;
  dry_run: boolean;
  /** Ends the import between two parts. */
  signal: AbortSignal;
  fetch: (address: string, init: RequestInit) => Promise<Response>;
  onprogress: (progress: Progress) => void;
}

/**
 * @param progress rows that it counts are not sent again
 * @throws {Error} in words for a person; what was stored before is in the last progress
 */
export async function importFile(sent: Sent, from: Progress): Promise<void> {
  // What a person has seen of an earlier run does not change.
  const rejected = [...from.rejected];
  const progress = { ...from, rejected };
  const { file, preview, onprogress } = sent;
  const columns = [...preview.columns];
  let { mapping } = sent;
  const done_before = progress.rows;
  let part: Row[] = [];
  let length = 0;
  const flush = async () => {
    try {
      await send({ ...sent, mapping }, columns, part, progress);
    } catch (error) {
      if (error instanceof Unanswered) onprogress({ ...progress, unanswered: part.length });
      throw error;
    }
    progress.rows += part.length;
    [part, length] = [[], 0];
    onprogress({ ...progress });
  };
  const rows = rowsOf(file, preview, {
    onbytes: (bytes) => (progress.bytes += bytes),
    oncolumn: (name) => {
      columns.push(name);
      progress.found = [...new Set([...progress.found, name])];
      mapping = matching([name], sent.fields, mapping);
    },
  });
  [progress.bytes, progress.unanswered] = [0, 0];
  for await (const row of rows) {
    sent.signal.throwIfAborted();
    if (row.number <= done_before) continue;
    part.push(row);
    length += row.length;
    if (part.length >= AT_ONCE || length >= LENGTH_AT_ONCE) await flush();
  }
  await flush();
}

async function send(
  { db_code, table_name, preview, mapping, dry_run, fetch }: Sent,
  columns: readonly string[],
  part: readonly Row[],
  progress: Progress & { rejected: Rejected[] },
): Promise<void> {
  const rejected = part.flatMap((row): Rejected[] => row.fault ? [{ ...row, reason: row.fault }] : []);
  const rows = part.filter(({ fault }) => !fault);
  if (rows.length > 0) {
    const chosen = columns.flatMap((column, i) => mapping[column] ? [{ field: mapping[column], i }] : []);
    const body = preview.kind === "csv"
      ? [chosen.map(({ field }) => field), ...rows.map(({ cells }) => chosen.map(({ i }) => textOf(cells[i])))]
        // A line of blanks would be no row.
        .map((cells) => cells.length === 1 && cells[0] === "" ? '""' : csvLine(cells)).join("\n")
      : rows.map(({ cells, department_id }) =>
        JSON.stringify({
          data: Object.fromEntries(chosen.map(({ field, i }) => [field, cells[i] ?? null])),
          department_id,
        })
      ).join("\n");
    const query = new URLSearchParams({ ...table_name && { table_name }, ...dry_run && { dry_run: "true" } });
    const answer = await answerTo(fetch, `/platform/dbs/${db_code}/import.${preview.kind}?${query}`, {
      method: "POST",
      headers: { "content-type": preview.kind === "csv" ? "text/csv" : "application/x-ndjson" },
      body: `${body}\n`,
    });
    progress.created += Number(answer.created);
    for (const { row: number, fields } of Array.isArray(answer.errors) ? answer.errors : []) {
      const row = rows[Number(number) - 1];
      if (!row) continue;
      const reason = Object.entries(fields).map(([field, messages]) => `${field} ${messages}`).join("; ");
      rejected.push({ ...row, reason });
    }
  }
  progress.rejected.push(...rejected.sort((one, other) => one.number - other.number));
}

class Unanswered extends Error {}

/** @throws {Error} the server's words, where it refuses a whole part */
async function answerTo(
  fetch: Sent["fetch"],
  address: string,
  init: RequestInit,
): Promise<Record<string, unknown>> {
  const response = await fetch(address, init).catch(() => {
    throw new Unanswered("The server does not answer.");
  });
  const answer = await response.json().catch(() => undefined);
  // A proxy may answer for a server that goes on, and an answer may be cut off.
  if (response.ok ? !answer : response.status >= 500) throw new Unanswered(`The server answers ${response.status}.`);
  if (!response.ok) throw new Error(answer?.error ?? `The server answers ${response.status}.`);
  return answer;
}

/** The refused rows as a file of the same kind, which can be mended and imported again. */
export function rejectedFile({ kind, columns }: Preview, rejected: readonly Rejected[]): File {
  if (kind === "ndjson") {
    const lines = rejected.map(({ number, reason, line = "" }) => {
      const data = recordOf(line)?.data;
      return JSON.stringify({ row: number, reason, ...data ? { data } : { line } });
    });
    return new File([lines.map((line) => `${line}\n`).join("")], "rejected.ndjson", { type: "application/x-ndjson" });
  }
  const lines = [
    [...columns, "row", "reason"],
    ...rejected.map(({ cells, number, reason }) => [
      ...columns.map((_, i) => textOf(cells[i])),
      String(number),
      reason,
      // Of a row with more cells than the header.
      ...cells.slice(columns.length).map(textOf),
    ]),
  ];
  return new File([lines.map((cells) => `${csvLine(cells)}\n`).join("")], "rejected.csv", { type: "text/csv" });
}
