/** What workers share: a database, a file of Deno KV, the oracle, and the flows of `flows.ts`. */
import postgres from "postgres";
import { fillPlace } from "../stage/places/places.ts";
import { createDatabase, dropDatabase } from "../stage/postgres/postgres.ts";
import { DELIVER, FLOW_NAMES, FLOWS, method, TELL } from "./flows.ts";
import { HOST, type Oracle, startOracle } from "./oracle.ts";
import type { SmallDisk } from "./small_disk.ts";
import { launchWorker, SECRET_KEYS, type Worker } from "./workers.ts";

/** Pauses of workers are longer than the lease. */
export const LEASE_MS = 1_000;
const SWEEP_MS = 250;

export interface Site extends AsyncDisposable {
  oracle: Oracle;
  app_id: string;
  /** The data folder of its workers. */
  folder: string;
  /** The file of Deno KV. */
  kv: string;
  /** Undefined for the embedded database, which only its worker can open. */
  sql: postgres.Sql | undefined;
  /** Allows or refuses new connections of workers to PostgreSQL, and ends the present ones. */
  setReachable(reachable: boolean): Promise<void>;
  /** @param index below 4; the oracle identifies the worker by it */
  launch(index: number, more?: Launch): Promise<Worker>;
}

export interface Launch {
  tree?: string | undefined;
  lease_ms?: number;
  sweep_ms?: number;
  wait_ms?: number;
  /** Another file of Deno KV than the site's. */
  kv?: string;
}

/** A database on PostgreSQL with connector, flows and app. Sites are copies of it. */
export interface Base {
  admin_url: string;
  name: string;
  app_id: string;
}

const DATABASES = {
  marks: { fields: { run: "string", place: "string", mark: "integer" }, indexes: { idx_str_1: "run" } },
  source: { fields: { n: "integer" } },
  delivered: {
    fields: { seq: "integer", kind: "string", record: "string", n: "integer", was: "integer" },
    indexes: { idx_int_1: "seq" },
  },
};

async function furnish(worker: Worker, port: number): Promise<string> {
  const make = async (path: string, json: unknown) => {
    const { status, body } = await worker.ask("POST", path, json);
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const fields = { auth: { type: "none" }, methods: { call: method } };
  const connector = { kind: "platform/custom_connector", code: "oracle", name: "Oracle", url: urlOf(port), fields };
  await make("/connect/connectors.json", { connector });
  for (const [code, schema] of Object.entries(DATABASES)) {
    await make("/platform/dbs.json", { db: { name: code, code, schema } });
  }
  const programs: [string, unknown, object][] = FLOW_NAMES.map((code) => [
    code,
    FLOWS[code].program,
    Reflect.get(FLOWS[code], "settings") ?? {},
  ]);
  for (
    const [code, program, settings] of [["tell", TELL, {}] as const, ["deliver", DELIVER, {}] as const, ...programs]
  ) {
    const flow = { kind: "platform/custom_flow", code, name: code, fields: { program }, ...settings };
    const { warnings } = await make("/connect/flows.json", { flow });
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings));
  }
  const cron = {
    kind: "record",
    target_code: "deliver",
    record: { db_code: "source", at_most: 5 },
    max_failures: null,
  };
  await make("/account/crons.json", { cron });
  const actions = FLOW_NAMES.map((code) => ({ action: code, flow_code: code }));
  const app = { name: "Caller", app_engine: "html", source_code: "<p>An app</p>", actions };
  return (await make("/platform/apps.json", { app })).id;
}

const urlOf = (port: number) => `http://${HOST}:${port}`;

export async function makeBase(admin_url: string): Promise<Base> {
  const name = nameOf("base");
  const url = await createDatabase(admin_url, name);
  const folder = await Deno.makeTempDir({ prefix: "atrium_faults_" });
  const environment = { DATA_DIR: folder, DATABASE_URL: url, SECRET_KEYS };
  const worker = await launchWorker({ index: 0, lease_ms: LEASE_MS, sweep_ms: 0, environment });
  try {
    return { admin_url, name, app_id: await furnish(worker, 1) };
  } finally {
    await worker.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

export const dropBase = ({ admin_url, name }: Base) => dropDatabase(admin_url, name);

const nameOf = (what: string) => `faults_${what}_${crypto.randomUUID().slice(0, 8)}`;

/**
 * @param base undefined for the embedded database
 * @param disk where the database's tables and the file of Deno KV are; by default on the disk of all other files
 */
export async function openSite(base: Base | undefined, disk?: SmallDisk): Promise<Site> {
  const oracle = startOracle();
  const folder = await Deno.makeTempDir({ prefix: "atrium_faults_" });
  const kv = `${disk?.path ?? folder}/kv.sqlite3`;
  const name = nameOf("site");
  const url = base && await createDatabase(base.admin_url, name, base.name);
  if (url && base && disk) await disk.adopt(base.admin_url, name);
  if (!url) await fillPlace(folder, "migrated");
  const sql = url === undefined ? undefined : postgres(url, { max: 4, onnotice: () => {} });
  if (sql) await sql`update connectors set url = ${urlOf(oracle.port)}`;
  // The base was used with another file of Deno KV.
  if (sql) await sql`update kv_identity set bound = false`;
  const workers: Worker[] = [];
  const environment = {
    DATA_DIR: folder,
    KV_URL: kv,
    EGRESS_ALLOW: `${HOST}:${oracle.port}`,
    ...(url && { DATABASE_URL: url, SECRET_KEYS }),
  };
  const site: Site = {
    oracle,
    app_id: base?.app_id ?? "",
    folder,
    kv,
    sql,
    async launch(index, { tree, lease_ms = LEASE_MS, sweep_ms = SWEEP_MS, wait_ms = 0, kv: other = kv } = {}) {
      const more = { ...environment, KV_URL: other, ACTION_WAIT_MS: `${wait_ms}` };
      const worker = await launchWorker({ tree, index, lease_ms, sweep_ms, environment: more });
      workers.push(worker);
      return worker;
    },
    async setReachable(reachable) {
      const admin = postgres(base?.admin_url ?? "", { max: 1 });
      await admin.unsafe(`alter database ${name} allow_connections ${reachable}`);
      // A server may have connected again already.
      if (!reachable) {
        await admin`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where application_name = 'atrium'
            and datname = ${name}
        `;
      }
      await admin.end();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await sql?.end({ timeout: 1 });
      if (base) await dropDatabase(base.admin_url, name);
      await oracle[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
  if (base) return site;
  const worker = await site.launch(0);
  site.app_id = await furnish(worker, oracle.port);
  await worker.stop();
  return site;
}
