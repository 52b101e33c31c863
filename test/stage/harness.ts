/**
 * Starts a complete server inside the test process, composed as in `main.ts`, on a new database of the kind that
 * `TEST_DATABASE` names. Requests go directly to the handler; `listen` opens a port for tests that need one.
 */
import { compose } from "../../main.ts";
import { type Client, createClient } from "../../client/mod.ts";
import { readMigrations } from "../../db/migrate.ts";
import { childEnvironment, readConfig } from "../../server/config.ts";
import { createLog } from "../../server/log.ts";
import { sharedStore } from "../once/compiler/scratch.ts";
import { hashOf } from "../../server/http/files/variants.ts";
import type { Connectors, Lookup } from "../../server/connectors/connectors.ts";
import type { ConsoleFiles } from "../../server/compiler/compiler.ts";
import { openDatabase, type Pool } from "../../server/database/pool.ts";
import { migrate } from "../../db/migrate.ts";

export const ADMIN_TOKEN = "admin-token-of-the-tests";

/** Of the first admin, whose login is `admin`. */
export const ADMIN_PASSWORD = "password of the tests";

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body if it is JSON, otherwise its text; undefined if it is empty. */
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  body: any;
}

export interface Sent {
  /** Null sends no token. */
  token?: string | null;
  json?: unknown;
  form?: FormData;
  /** A body that is sent unchanged. */
  raw?: BodyInit;
  headers?: Record<string, string>;
}

export interface TestServer {
  base_url: string;
  data_dir: string;
  sql: Pool;
  connectors: Connectors;
  console: ConsoleFiles;
  handler: (request: Request) => Promise<Response>;
  /** The lines of the log, each a JSON object. */
  logged: string[];
  /** `request("POST", "/account/departments.json", { json })`. The default token is the admin's. */
  request(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** The typed client, which calls the handler without a port. */
  client(token?: string): Client;
  /** Serves until the server is closed, on a free port unless `port` names one. @returns the address */
  listen(port?: number): string;
  /** Ends all streams, as a process does when it stops. */
  endStreams(): void;
  /** Runs the sweep, which a process does every minute. */
  sweep(): Promise<void>;
  /** Runs a tick, which starts the triggers that are due. */
  tick(): Promise<unknown>;
  close(): Promise<void>;
}

/** The machine may be busy with other tests. */
const PATIENT_MS = 300_000;

export const on_postgres = Deno.env.get("TEST_DATABASE") === "postgres";

/**
 * @param environment further environment variables
 * @param parts replacements for parts of a real server
 */
export async function startServer(
  environment: Record<string, string> = {},
  parts: { lookup?: Lookup; compile_wait_ms?: number } = {},
): Promise<TestServer> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_test_" });
  const database_url = on_postgres ? await createDatabase() : undefined;
  if (!database_url) await copyMigrated(folder);
  const config = readConfig({
    ...childEnvironment(Deno.env.toObject()),
    DATA_DIR: folder,
    ADMIN_TOKEN,
    ADMIN_PASSWORD,
    BASE_URL: "http://atrium.test",
    ...(database_url && { DATABASE_URL: database_url, SECRET_KEYS: "k1:0123456789abcdef0123456789abcdef" }),
    ...environment,
  });
  const logged: string[] = [];
  const log = createLog((text) => logged.push(...text.trimEnd().split("\n")));
  const atrium = await compose(config, log, { vendor_store: sharedStore(), compile_wait_ms: PATIENT_MS, ...parts });
  const servers: Deno.HttpServer[] = [];

  const request = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const { token = ADMIN_TOKEN, json, form, raw } = sent;
    const headers = new Headers(sent.headers);
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    const body = json !== undefined ? JSON.stringify(json) : form ?? raw ?? null;
    const response = await atrium.handler(new Request(`${config.base_url}${path}`, { method, headers, body }));
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  };

  return {
    base_url: config.base_url,
    data_dir: folder,
    sql: atrium.sql,
    connectors: atrium.connectors,
    console: atrium.compiler.console,
    handler: atrium.handler,
    endStreams: atrium.endStreams,
    sweep: atrium.sweep,
    tick: atrium.tick,
    logged,
    request,
    client: (token = ADMIN_TOKEN) =>
      createClient({
        url: config.base_url,
        token,
        fetch: (input, init) => atrium.handler(new Request(input, init)),
      }),
    listen(port = 0) {
      const server = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, atrium.handler);
      servers.push(server);
      return `http://127.0.0.1:${server.addr.port}`;
    },
    async close() {
      atrium.endStreams();
      await Promise.all(servers.map((server) => server.shutdown()));
      await atrium.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The environment of another server process on the same PostgreSQL database, and so on the same Deno KV store. */
export const beside = ({ data_dir }: TestServer, DATABASE_URL: string) => ({
  DATABASE_URL,
  KV_URL: `${data_dir}/kv.sqlite3`,
});

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
}

/** Creates an empty database in the test run's cluster, whose administrative address is in `TEST_POSTGRES_URL`. */
export async function createDatabase(): Promise<string> {
  const { default: postgres } = await import("postgres");
  const admin_url = Deno.env.get("TEST_POSTGRES_URL");
  if (!admin_url) throw new Error("TEST_DATABASE=postgres needs TEST_POSTGRES_URL: run `deno task test`");
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = postgres(admin_url, { max: 1 });
  await admin`create database ${admin(name)}`;
  await admin.end();
  const url = new URL(admin_url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates an embedded database in the folder, with every migration applied and no account. */
export const copyMigrated = async (folder: string) => copyFolder(await migratedFolder(), folder);

/** A data folder with every migration applied. It is created once for each version of the migrations and then kept. */
async function migratedFolder(): Promise<string> {
  const hash = hashOf(JSON.stringify(await readMigrations()));
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/atrium_migrated_${hash}`;
  if (await exists(folder)) return folder;
  const fresh = await Deno.makeTempDir({ prefix: "atrium_migrating_" });
  const database = await openDatabase({ database_url: undefined, data_dir: fresh }, createLog(() => {}));
  await migrate(database.sql);
  await database.close();
  // Several test files may create it at the same time. The first folder stays.
  await Deno.rename(fresh, folder).catch(() => Deno.remove(fresh, { recursive: true }));
  return folder;
}

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

async function copyFolder(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
