/**
 * Starts a complete server inside the test process, composed as in `main.ts`, on a new database of the kind that
 * `TEST_DATABASE` names. Requests go directly to the handler; `listen` opens a port for tests that need one.
 */
import { compose } from "../../main.ts";
import { type Client, createClient } from "../../client/mod.ts";
import { childEnvironment, readConfig } from "../../server/config.ts";
import { createLog } from "../../server/log.ts";
import { sharedStore } from "../once/compiler/scratch.ts";
import type { Connectors, Lookup } from "../../server/connectors/connectors.ts";
import type { ConsoleFiles } from "../../server/compiler/compiler.ts";
import type { Pool } from "../../server/database/pool.ts";
import { type Keys, openKeys } from "../../server/secrets/keys.ts";
import type { Passwords } from "../../server/secrets/passwords.ts";
import { ADMIN_PASSWORD, ADMIN_TOKEN, fillPlace, on_postgres, quickPasswords } from "./places/places.ts";

export { ADMIN_PASSWORD, ADMIN_TOKEN, createDatabase, on_postgres } from "./places/places.ts";

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

/** The secret key of servers on PostgreSQL. Others have theirs in their folder. */
const KEY = { id: "k1", material: "0123456789abcdef0123456789abcdef" };

/** The secret keys of a server. */
export const keysOf = ({ data_dir }: TestServer): Promise<Keys> =>
  openKeys({ data_dir, secret_keys: on_postgres ? [KEY] : undefined }, () => Promise.resolve(false));

/** The machine may be busy with other tests. */
const PATIENT_MS = 300_000;

/**
 * @param environment further environment variables
 * @param parts replacements for parts of a real server
 */
export async function startServer(
  environment: Record<string, string> = {},
  parts: { lookup?: Lookup; passwords?: Passwords; compile_wait_ms?: number } = {},
): Promise<TestServer> {
  const folder = await Deno.makeTempDir({ prefix: "atrium_test_" });
  const has_own = environment.DATABASE_URL !== undefined || environment.DATA_DIR !== undefined;
  const database_url = has_own ? undefined : await fillPlace(folder, "admin");
  const config = readConfig({
    ...childEnvironment(Deno.env.toObject()),
    DATA_DIR: folder,
    ADMIN_TOKEN,
    ADMIN_PASSWORD,
    BASE_URL: "http://atrium.test",
    ...(on_postgres && { SECRET_KEYS: `${KEY.id}:${KEY.material}` }),
    ...(database_url && { DATABASE_URL: database_url }),
    ...environment,
  });
  const logged: string[] = [];
  const log = createLog((text) => logged.push(...text.trimEnd().split("\n")));
  const atrium = await compose(config, log, {
    vendor_store: sharedStore(),
    passwords: quickPasswords(),
    compile_wait_ms: PATIENT_MS,
    // A machine that runs tests at the same time may not compile a large app within the server's own limit.
    compile_limit_ms: PATIENT_MS,
    ...parts,
  });
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
    // Deno.serve gives a handler without declared parameters no request.
    handler: async (request: Request, info?: Deno.ServeHandlerInfo) => await atrium.handler(request, info),
    endStreams: atrium.endStreams,
    sweep: atrium.sweep,
    tick: atrium.tick,
    logged,
    request,
    client: (token = ADMIN_TOKEN) =>
      createClient({
        url: config.base_url,
        token,
        fetch: async (input, init) => await atrium.handler(new Request(input, init)),
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
