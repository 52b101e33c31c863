/** How rows of a table are moved: the shape that the files in `tables/` have, and the two statements behind all of them. */
import { z } from "zod";
import type { WeighedBuild } from "../../apps/weight.ts";
import type { Context } from "../../../context.ts";
import { type Part, part, run } from "../../../database/part.ts";
import type { Sql } from "../../../database/pool.ts";
import { fieldsOf, sentenceOf } from "../../../input/messages.ts";
import { Timestamp } from "../../../input/shapes.ts";
import { type IdKind, type Ids, twice } from "./ids.ts";

/** A row as JSON: its keys are columns. */
export type Row = Record<string, unknown>;

/**
 * A column that names a numbered object, and what becomes of it where the archive lacks that object: `null`; `new`, for
 * columns without a foreign key, whose object may have been deleted; `skip` leaves the row out.
 */
export type Reference = readonly [kind: IdKind, missing: "null" | "new" | "skip"];

export interface MovedTable {
  /** The folder of its files. */
  name: string;
  /** `runs`: only where they are asked for. */
  with: "account" | "runs";
  table: Part;
  /** The columns that the archive has. */
  columns: Part;
  /** Columns that the import makes, beside `account_id`. */
  made?: Part;
  /** Where the archive has more, or something in another form, than the columns. */
  selected?: Part;
  /** The condition for the account's rows; `account_id` unless set. */
  own?(account: number): Part;
  /** The table has no column `account_id`. */
  unowned?: true;
  /** Unique. */
  key: Part;
  /** The key of a row. */
  keyOf(row: Row): Part;
  /** Rows per statement. */
  at_once: number;
  /** The kind of its own `id`, if other tables name it. */
  numbered?: IdKind;
  references: Readonly<Record<string, Reference>>;
  /** Proves a row. Further keys are allowed. */
  shape: z.ZodObject;
  /** Faults that the shape does not state. @throws {Refusal} */
  prove?(row: Row): void;
  /** @returns the columns to be written differently; undefined leaves the row out */
  settle?(row: Row, restoring: Restoring): Row | undefined | Promise<Row | undefined>;
  /** Writes what belongs to the rows elsewhere. */
  follow?(rows: readonly Row[], restoring: Restoring): Promise<void>;
}

/** An import in progress. */
export interface Restoring {
  /** Its `sql` is the transaction. */
  ctx: Context;
  account: number;
  ids: Ids;
  /** Users that were there before and are users of the archive, too. */
  matched: Set<number>;
  /** By the id of the app. */
  builds: ReadonlyMap<string, WeighedBuild>;
  /** Whether the archive has runs. */
  has_runs: boolean;
  /** What the answer tells. */
  result: {
    secrets: { kind: "connector" | "trigger" | "embedding_key"; name: string }[];
    webhooks: { trigger_id: number; name: string; webhook_url: string }[];
    users: string[];
  };
}

/** Of rows: PostgreSQL writes microseconds. */
export const Moment = z.iso.datetime({ offset: true }).or(Timestamp);

export const byId = {
  key: part`id`,
  keyOf: ({ id }: Row) => part`${Number(id)}::int`,
};
export const byUuid = {
  key: part`id`,
  keyOf: ({ id }: Row) => part`${String(id)}::uuid`,
};

/** The rows of an account as lines of JSON, in the order of their keys. */
export async function* readRows(sql: Sql, account: number, table: MovedTable): AsyncGenerator<string[]> {
  const own = table.own?.(account) ?? part`account_id = ${account}`;
  let behind: Part | undefined;
  for (;;) {
    const rows = await run<{ json: string }[]>(
      sql,
      part`
        select row_to_json(r)::text as json
        from (
          select ${table.selected ?? table.columns}
          from ${table.table}
          where ${own}
            ${behind ? part`and (${table.key}) > (${behind})` : part``}
          order by ${table.key}
          limit ${table.at_once}
        ) r
      `,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ json }) => json);
    behind = table.keyOf(JSON.parse(last.json));
  }
}

/** @returns what is wrong with a row; undefined for a good one */
export function faultOf({ shape, prove }: MovedTable, row: Row): string | undefined {
  const { error } = shape.safeParse(row);
  if (error) return sentenceOf(fieldsOf(error.issues));
  prove?.(row);
}

/** @returns the number of rows written */
export async function insertRows(table: MovedTable, rows: readonly Row[], restoring: Restoring): Promise<number> {
  const { ctx: { sql }, ids, account } = restoring;
  const { numbered, references } = table;
  if (numbered) await reserveOwn(sql, numbered, rows, ids);
  for (const [column, [kind, missing]] of Object.entries(references)) {
    if (missing === "new") await ids.reserve(sql, kind, rows.map((row) => row[column]));
  }
  const written: Row[] = [];
  for (const row of rows) {
    const named = renumbered(row, table, ids);
    const settled = named && (table.settle ? await table.settle(named, restoring) : {});
    if (settled) written.push({ ...named, ...settled, account_id: account });
  }
  if (written.length === 0) return 0;
  const of_account = table.unowned ? part`` : part`, account_id`;
  const made = table.made ? part`, ${table.made}` : part``;
  const columns = part`${table.columns}${of_account}${made}`;
  await run(
    sql,
    part`
      insert into ${table.table} (${columns}) overriding system value
      select ${columns}
      from json_populate_recordset(null::${table.table}, ${JSON.stringify(written)}::text::json)
    `,
  );
  await table.follow?.(written, restoring);
  return written.length;
}

/** @throws {Refusal} 422 for an id that another row has */
async function reserveOwn(sql: Sql, kind: IdKind, rows: readonly Row[], ids: Ids): Promise<void> {
  const own = new Set<unknown>();
  for (const { id } of rows) {
    if (own.has(id) || ids.find(kind, id) !== undefined) throw twice(kind, id);
    own.add(id);
  }
  await ids.reserve(sql, kind, own);
}

function renumbered(row: Row, { numbered, references }: MovedTable, ids: Ids): Row | undefined {
  const named: Row = numbered ? { ...row, id: ids.find(numbered, row.id) } : { ...row };
  for (const [column, [kind, missing]] of Object.entries(references)) {
    if (row[column] === null || row[column] === undefined) continue;
    const id = ids.find(kind, row[column]);
    if (id === undefined && missing === "skip") return undefined;
    named[column] = id ?? null;
  }
  return named;
}
