/** A database with one table of many records, and a server process on it, for the bench of the console's grid. */
import postgres from "postgres";
import { V8_FLAGS } from "../../../server/process/v8_flags.ts";
import { print } from "../../stage/print.ts";
import { freePort } from "../../stage/network/ports.ts";
import { startPostgres } from "../../stage/postgres/postgres.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";
import { addSession, made } from "../../stage/people.ts";
import { launch } from "../measure/servers.ts";
import { loadRecords, SCHEMA } from "../records/records_load.ts";

export interface GridStage {
  origin: string;
  cookie: string;
  /** Of the database. */
  code: string;
}

const CODE = "large";
const SECRET_KEYS = "k1:0123456789abcdef0123456789abcdef";

/** @returns new places for a database: an address of PostgreSQL if it is installed, and a folder */
export async function newPlaces(stack: AsyncDisposableStack): Promise<string[]> {
  const cluster = await startPostgres();
  if (cluster) stack.defer(() => cluster.stop());
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  return [...cluster ? [await cluster.createDatabase("grid")] : [], folder];
}

export const isAddress = (place: string): boolean => /^postgres(ql)?:/.test(place);

/** Fills the database, unless an earlier run has filled it. @throws {Error} if it has other records */
async function fill({ request, sql }: TestServer, place: string, rows: number): Promise<void> {
  const [found] = await sql<{ records: number }[]>`
    select count(*)::int as records
    from records
    where table_id = (select t.id from db_tables t join dbs d on d.id = t.db_id where d.code = ${CODE})
  `;
  if (found?.records === rows) return;
  if (found && found.records > 0) throw new Error(`${place} has ${found.records} records instead of ${rows}`);
  const [known] = await sql`select from dbs where code = ${CODE}`;
  if (!known) {
    made(await request("POST", "/platform/dbs.json", { json: { db: { name: "Large", code: CODE, schema: SCHEMA } } }));
  }
  const [table] = await sql<{ id: number }[]>`
    select t.id from db_tables t join dbs d on d.id = t.db_id where d.code = ${CODE}
  `;
  print(`loading ${rows} records`);
  const tables = new Map([[table?.id ?? 0, rows]]);
  if (!isAddress(place)) return await loadRecords(sql, tables);
  // The server's own connections have a time limit.
  const own = postgres(place, { max: 1 });
  await loadRecords(own, tables).finally(() => own.end());
}

/** The folder with the Deno KV store of an earlier run is gone. */
async function forgetStore(place: string): Promise<void> {
  const sql = postgres(place, { max: 1 });
  try {
    const [found] = await sql`select from pg_tables where tablename = 'kv_identity'`;
    if (found) await sql`update kv_identity set bound = false`;
  } finally {
    await sql.end();
  }
}

/** @param place the address of PostgreSQL, or the folder of an embedded database */
export async function setGridStage(stack: AsyncDisposableStack, place: string, rows: number): Promise<GridStage> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const env: Record<string, string> = isAddress(place)
    ? { DATABASE_URL: place, DATA_DIR: folder, SECRET_KEYS }
    : { DATA_DIR: place };
  if (isAddress(place)) await forgetStore(place);
  const filler = await startServer(env);
  let cookie: string;
  try {
    await fill(filler, place, rows);
    const { body: { user } } = await filler.request("GET", "/account/me.json");
    cookie = (await addSession(filler, user.id)).cookie;
  } finally {
    await filler.close();
  }
  const port = freePort();
  const server = await launch({
    args: [V8_FLAGS, "-P", "main.ts"],
    env: { ...env, BASE_URL: `http://127.0.0.1:${port}`, ADMIN_TOKEN, TRUSTED_PROXIES: "1" },
    log: `${folder}/log`,
    first: "/platform/dbs.json",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  }, port);
  stack.defer(() => server.stop());
  return { origin: server.origin, cookie, code: CODE };
}
