/** Starts one PostgreSQL with a hundred databases of records, of which some are large, and both servers on it. */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { V8_FLAGS } from "../../../server/process/v8_flags.ts";
import { print } from "../../stage/print.ts";
import { freePort } from "../../stage/network/ports.ts";
import { startPostgres } from "../../stage/postgres/postgres.ts";
import {
  CITIES,
  customersOf,
  type Known,
  loadRecords,
  makePlainTables,
  SCHEMA,
  SEARCHED,
  wordOf,
} from "./records_load.ts";
import { type Launch, launch, type Server } from "../measure/servers.ts";

/** A database that is measured. */
export interface Measured {
  code: string;
  records: number;
  /** The parameters that a bare statement needs. */
  known: Known;
  /** Files of values, one per line: each request uses another line. */
  ids: string;
  cities: string;
  customers: string;
  words: string;
}

export interface RecordsStage {
  ours: Server;
  bare: Server;
  token: string;
  dbs: Measured[];
  postgres_version: number;
  load_seconds: number;
}

const DATABASES = 100;
const RECORDS_OF_THE_OTHERS = 1_000;
/** Lines of a file of ids, which are chosen at random. */
const LINES = 50_000;

async function makeDb(origin: string, token: string, code: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ db: { name: code, code, schema: SCHEMA } });
  const response = await fetch(`${origin}/platform/dbs.json`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Error(`a database was answered with ${response.status}`);
  await response.body?.cancel();
}

async function writeLines(path: string, lines: Iterable<string>): Promise<string> {
  await Deno.writeTextFile(path, [...lines].join("\n") + "\n");
  return path;
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** The measured databases come first, in the order of `sizes`. */
async function fill(url: string, folder: string, sizes: readonly number[]): Promise<Measured[]> {
  const sql = postgres(url, { max: 1 });
  try {
    const tables = await sql<(Known & { code: string; searched: string[] })[]>`
      select d.id as db, d.code, d.lock_version, t.id as table, t.searched
      from dbs d
      join db_tables t on t.db_id = d.id
      order by d.id
    `;
    if (tables.some(({ searched }) => `${searched}` !== `${SEARCHED}`)) {
      throw new Error("records are searched otherwise");
    }
    const sizeOf = (i: number) => sizes[i] ?? RECORDS_OF_THE_OTHERS;
    await loadRecords(sql, new Map(tables.map(({ table }, i) => [table, sizeOf(i)])));
    await makePlainTables(sql, tables.slice(0, sizes.length).map(({ code }, i) => [code, sizeOf(i)]));
    return await Array.fromAsync(tables.slice(0, sizes.length), async ({ code, db, lock_version, table }, i) => {
      const records = sizeOf(i);
      const ids = await sql<{ id: string }[]>`
        select id from records where table_id = ${table} order by random() limit ${LINES}
      `;
      const step = Math.max(1, Math.floor(records / LINES));
      const some = numbers(Math.min(records, LINES)).map((n) => n * step);
      return {
        code,
        records,
        known: { db, lock_version, table },
        ids: await writeLines(`${folder}/${code}.ids`, ids.map(({ id }) => id)),
        cities: await writeLines(`${folder}/cities`, numbers(CITIES).map((n) => `${n - 1}`)),
        customers: await writeLines(
          `${folder}/${code}.customers`,
          numbers(Math.min(LINES, customersOf(records))).map((n) => `${n - 1}`),
        ),
        words: await writeLines(`${folder}/${code}.words`, some.map(wordOf)),
      };
    });
  } finally {
    await sql.end();
  }
}

/** @param stack ends what this starts. @param sizes record counts of the measured databases */
export async function setRecordsStage(stack: AsyncDisposableStack, sizes: readonly number[]): Promise<RecordsStage> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const cluster = await startPostgres();
  if (!cluster) throw new Error("PostgreSQL is missing: apt-get install postgresql, or brew install postgresql");
  stack.defer(() => cluster.stop());

  const token = `atr_${randomBytes(24).toString("hex")}`;
  const port = freePort();
  const DATABASE_URL = await cluster.createDatabase("records");
  const launched: Launch = {
    args: [V8_FLAGS, "-P", "main.ts"],
    env: {
      BASE_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: `${folder}/data`,
      DATABASE_URL,
      ADMIN_TOKEN: token,
      ADMIN_PASSWORD: randomBytes(12).toString("hex"),
      // As behind a reverse proxy: without one, the process forwards each connection itself.
      TRUSTED_PROXIES: "1",
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    },
    log: `${folder}/ours.log`,
    first: "/platform/dbs.json",
    headers: { authorization: `Bearer ${token}` },
  };
  const maker = await launch(launched, port);
  try {
    for (const n of numbers(DATABASES)) {
      await makeDb(maker.origin, token, `db_${n}`);
    }
  } finally {
    await maker.stop();
  }
  print(`loading ${sizes.join(", ")} records`);
  const began = performance.now();
  const dbs = await fill(DATABASE_URL, folder, sizes);
  const load_seconds = (performance.now() - began) / 1000;
  print(`loaded in ${load_seconds.toFixed(0)} s`);

  const ours = await launch(launched, port);
  stack.defer(() => ours.stop());
  const bare = await launch({
    args: ["-A", fileURLToPath(new URL("./records_bare.ts", import.meta.url))],
    env: { DATABASE_URL, KNOWN: JSON.stringify(Object.fromEntries(dbs.map(({ code, known }) => [code, known]))) },
    log: `${folder}/bare.log`,
    first: `/${dbs[0]?.code}/records`,
  });
  stack.defer(() => bare.stop());
  print("building the console and the runtimes, which the server would else do while it is measured");
  await ours.says("runtimes_");
  return { ours, bare, token, dbs, postgres_version: cluster.version, load_seconds };
}
