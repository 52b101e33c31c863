/**
 * `deno task rotate-secrets` for secret inputs of runs that wait or have ended, and of examples. Runs in progress encrypt
 * theirs again when the next process continues them, or when they wait.
 */
import type { Pool, Sql } from "../../database/pool.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import { resealed } from "./seal.ts";

const BATCH = 100;
/** Before every id. */
const FIRST_UUID = "00000000-0000-0000-0000-000000000000";

export interface RunRotation {
  rotated: number;
  /** Ids of runs whose secrets no key decrypts. They are left unchanged. */
  unreadable: string[];
}

interface Row {
  /** Of the row. */
  key: string;
  account_id: number;
  /** Of the run that the ciphertext is bound to. */
  run_id: string;
  sealed: string;
}

interface Table {
  first: string;
  /** Locks rows whose secrets another key than `writing` encrypted, by key, after a key. */
  lock(sql: Sql, writing: string, after: string): Promise<Row[]>;
  update(sql: Sql, row: Row, sealed: string): Promise<unknown>;
}

const TABLES: readonly Table[] = [
  {
    first: FIRST_UUID,
    lock: (sql, writing, after) =>
      sql<Row[]>`
        select id::text as key, account_id, id as run_id, sealed
        from flow_processes
        where sealed is not null
          and split_part(sealed, ':', 1) <> ${writing}
          and id > ${after}::uuid
        order by id
        limit ${BATCH}
        for update
      `,
    update: (sql, { key, account_id }, sealed) =>
      sql`update flow_processes set sealed = ${sealed} where id = ${key}::uuid and account_id = ${account_id}`,
  },
  {
    first: FIRST_UUID,
    lock: (sql, writing, after) =>
      sql<Row[]>`
        select run_id::text as key, account_id, run_id, head ->> 'sealed' as sealed
        from flow_waits
        where head ->> 'sealed' is not null
          and split_part(head ->> 'sealed', ':', 1) <> ${writing}
          and run_id > ${after}::uuid
        order by run_id
        limit ${BATCH}
        for update
      `,
    // The ciphertext occurs once. As jsonb, the keys of the input would change their order.
    update: (sql, { key, account_id, sealed: before }, sealed) =>
      sql`
        update flow_waits
        set head = replace(head::text, ${before}::text, ${sealed}::text)::json
        where run_id = ${key}::uuid
          and account_id = ${account_id}
      `,
  },
  {
    first: "0",
    lock: (sql, writing, after) =>
      sql<Row[]>`
        select id::text as key, account_id, recorded -> 'run' ->> 'id' as run_id, sealed
        from flow_examples
        where sealed is not null
          and split_part(sealed, ':', 1) <> ${writing}
          and id > ${after}::text::integer
        order by id
        limit ${BATCH}
        for update
      `,
    update: (sql, { key, account_id }, sealed) =>
      sql`update flow_examples set sealed = ${sealed} where id = ${key}::text::integer and account_id = ${account_id}`,
  },
];

/** Covers all accounts. Servers may keep running: each batch is a transaction that locks only its own rows. */
export async function rotateRunSecrets(sql: Pool, keys: Keys): Promise<RunRotation> {
  const total: RunRotation = { rotated: 0, unreadable: [] };
  for (const table of TABLES) {
    for (let after: string | undefined = table.first; after !== undefined;) {
      const from: string = after;
      after = await sql.begin((tx) => rotateBatch(tx, keys, table, from, total));
    }
  }
  return total;
}

/** @returns the key of the last row; undefined where there is none */
async function rotateBatch(
  sql: Sql,
  keys: Keys,
  table: Table,
  after: string,
  total: RunRotation,
): Promise<string | undefined> {
  const rows = await table.lock(sql, keys.writing, after);
  for (const row of rows) {
    try {
      await table.update(sql, row, resealed(keys, { account_id: row.account_id, id: row.run_id }, row.sealed));
      total.rotated++;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      total.unreadable.push(row.run_id);
    }
  }
  return rows.at(-1)?.key;
}
