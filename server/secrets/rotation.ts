/** Encrypts secrets that an old key encrypted again with the first of `SECRET_KEYS`. */
import type { Pool, Sql } from "../database/pool.ts";
import { type Encrypted, type Keys, Unreadable } from "./keys.ts";

const BATCH = 100;

export interface Rotation {
  rotated: number;
  /** Ids of rows whose secret no key decrypts. They are left unchanged. */
  unreadable: number[];
}

/** A table with secrets. */
export interface Secrets<Row extends { id: number }> {
  /** Locks rows whose secret another key than `writing` encrypted: at most `limit`, by id, after an id. */
  lock(sql: Sql, writing: string, after: number, limit: number): Promise<Row[]>;
  /** @throws {Unreadable} */
  decrypt(keys: Keys, row: Row): string;
  encrypt(keys: Keys, row: Row, secret: string): Encrypted;
  update(sql: Sql, row: Row, encrypted: Encrypted): Promise<unknown>;
}

/** Covers all accounts. Servers may keep running: each batch is a transaction that locks only its own rows. */
export async function rotate<Row extends { id: number }>(
  sql: Pool,
  keys: Keys,
  secrets: Secrets<Row>,
): Promise<Rotation> {
  const total: Rotation = { rotated: 0, unreadable: [] };
  for (let after: number | undefined = 0; after !== undefined;) {
    const step = await sql.begin((tx) => rotateBatch(tx, keys, secrets, after ?? 0));
    total.rotated += step.rotated;
    total.unreadable.push(...step.unreadable);
    after = step.last;
  }
  return total;
}

/** @returns with `last`, the id of the last row of the batch; undefined where there is none */
async function rotateBatch<Row extends { id: number }>(
  sql: Sql,
  keys: Keys,
  secrets: Secrets<Row>,
  after: number,
): Promise<Rotation & { last: number | undefined }> {
  const rows = await secrets.lock(sql, keys.writing, after, BATCH);
  const unreadable: number[] = [];
  for (const row of rows) {
    const secret = unlessUnreadable(() => secrets.decrypt(keys, row));
    if (secret === undefined) unreadable.push(row.id);
    else await secrets.update(sql, row, secrets.encrypt(keys, row, secret));
  }
  return { rotated: rows.length - unreadable.length, unreadable, last: rows.at(-1)?.id };
}

function unlessUnreadable(decrypt: () => string): string | undefined {
  try {
    return decrypt();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
