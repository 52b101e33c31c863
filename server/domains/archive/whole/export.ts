/**
 * Writes an account as one tar archive while it is read. On PostgreSQL it is one snapshot. The embedded database answers
 * one statement at a time and cannot hold a snapshot for a slow reader: there, rows that change during the export are
 * either as before or as after.
 */
import type { Context } from "../../../context.ts";
import { part } from "../../../database/part.ts";
import type { Sql } from "../../../database/pool.ts";
import { unavailable } from "../../../errors.ts";
import { exportRecords, findKnownDb } from "../../../store/store.ts";
import { readLogos } from "./logos.ts";
import { MANIFEST, readManifest } from "./manifest.ts";
import { type MovedTable, readRows } from "./moved.ts";
import { DEFINITIONS, HISTORY } from "./tables/tables.ts";
import { END, fileOf } from "./tar/write.ts";

export interface Exported {
  records: boolean;
  runs: boolean;
}

/** Bytes after which a file ends. A file of an archive says its length first, so its lines are collected. */
const FULL = 1024 * 1024;
/** PostgreSQL ends the snapshot of a reader who takes nothing for so long. */
const IDLE = "5min";
const MOST_DBS = 100_000;

/** The reader has taken no more. */
class Left extends Error {}

/**
 * @param failed is told why the archive was broken off, unless its reader has left
 * @throws {Refusal} 503 if another export of the account is running
 */
export async function exportAccount(
  ctx: Context,
  exported: Exported,
  failed: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let is_begun = false;
  const copy = async (sql: Sql) => {
    is_begun = true;
    begin();
    for await (const piece of piecesOf(ctx, sql, exported)) {
      // Waits until the piece is taken.
      await writer.write(piece).catch((cause) => {
        throw new Left("the reader of an export has left", { cause });
      });
    }
  };
  const work = ctx.config.database_url === undefined ? copy(ctx.sql) : inSnapshot(ctx, copy);
  work.then(
    // A reader may leave before the end.
    () => writer.close().catch(() => {}),
    (error) => {
      writer.abort(error).catch(() => {});
      // An error before that is thrown to the caller.
      if (is_begun && !(error instanceof Left)) failed(error);
    },
  );
  await Promise.race([begun, work]);
  return endingWith(readable, work);
}

/** The same stream. Its `cancel` resolves after the end of `work`, when another export of the account can start. */
function endingWith(stream: ReadableStream<Uint8Array>, work: Promise<void>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await work.catch(() => {});
    },
  }, { highWaterMark: 0 });
}

const inSnapshot = (ctx: Context, copy: (sql: Sql) => Promise<void>): Promise<void> =>
  ctx.sql.begin("isolation level repeatable read read only", async (tx) => {
    const key = `export ${ctx.viewer.account_id}`;
    const [{ is_free } = { is_free: false }] = await tx<{ is_free: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as is_free
    `;
    if (!is_free) throw unavailable("Another export of this account is running", undefined, 10);
    await tx`select set_config('idle_in_transaction_session_timeout', ${IDLE}, true)`;
    await copy(tx);
  }) as Promise<void>;

async function* piecesOf(
  { viewer: { account_id }, clock, release }: Context,
  sql: Sql,
  { records, runs }: Exported,
): AsyncGenerator<Uint8Array> {
  const made_at = clock.now();
  const file = (name: string, text: string) => fileOf(name, new TextEncoder().encode(text), made_at.getTime());
  const about = { made_at: made_at.toISOString(), version: release.version, records, runs };
  yield file(MANIFEST, `${JSON.stringify(await readManifest(sql, account_id, about), null, 2)}\n`);
  for await (const { name, body } of readLogos(sql, account_id)) yield fileOf(name, body, made_at.getTime());
  for (const table of DEFINITIONS) yield* files(readRows(sql, account_id, table), table.name, file);
  if (records) yield* recordFiles(sql, account_id, file);
  for (const table of HISTORY) {
    if (table.with === "account" || runs) yield* files(readRows(sql, account_id, table), table.name, file);
  }
  yield END;
}

type MakeFile = (name: string, text: string) => Uint8Array;

/** `flows/000001.ndjson`, `flows/000002.ndjson`, … */
async function* files(
  pages: AsyncIterable<string[]>,
  folder: MovedTable["name"],
  file: MakeFile,
): AsyncGenerator<Uint8Array> {
  let [count, text] = [0, ""];
  const next = () => file(`${folder}/${String(++count).padStart(6, "0")}.ndjson`, text);
  for await (const page of pages) {
    for (const line of page) {
      if (text.length > 0 && text.length + line.length >= FULL) {
        yield next();
        text = "";
      }
      text += `${line}\n`;
    }
  }
  if (text) yield next();
}

export const RECORDS = "records";

/** `records/orders/000001.ndjson`; of a database with several tables `records/library/books/000001.ndjson`. */
async function* recordFiles(sql: Sql, account: number, file: MakeFile): AsyncGenerator<Uint8Array> {
  const dbs = await sql<{ code: string }[]>`
    select code from dbs where account_id = ${account} order by id limit ${MOST_DBS}
  `;
  for (const { code } of dbs) {
    const db = await findKnownDb(sql, account, code);
    if (!db) continue;
    for (const table of db.tables.values()) {
      const pages = exportRecords(sql, { db, table, allowed: part`true`, by: undefined });
      yield* files(pages, table.name === "" ? `${RECORDS}/${code}` : `${RECORDS}/${code}/${table.name}`, file);
    }
  }
}
