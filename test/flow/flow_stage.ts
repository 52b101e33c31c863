/** The stage of flow tests: a server, an external API that records its calls, and makers of flows and apps. */
import { startServer, type TestServer } from "../stage/harness.ts";
import { addAccount, as, made } from "../stage/people.ts";
import { type Ask, BESIDE_SERVER, player, proven, type Stage } from "../stage/scenario.ts";
import { share, type Shared } from "../run/shared.ts";

export interface Api extends AsyncDisposable {
  origin: string;
  host: string;
  calls: { method: string; path: string; query: string; headers: Headers; body: string }[];
  /** By path. Other paths are answered with 404. */
  answers: Map<string, (call: number, signal: AbortSignal) => Response | Promise<Response>>;
  count(path: string): number;
}

/** Serves on a free port of the loopback interface. */
export function startApi(): Api {
  const calls: Api["calls"] = [];
  const answers: Api["answers"] = new Map();
  const count = (path: string) => calls.filter((call) => call.path === path).length;
  // Aborted, because a graceful shutdown would wait for answers that a failed test never releases.
  const over = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: over.signal };
  const server = Deno.serve(options, async (request) => {
    const { pathname: path, search: query } = new URL(request.url);
    calls.push({ method: request.method, path, query, headers: request.headers, body: await request.text() });
    return await answers.get(path)?.(count(path), request.signal) ?? new Response("not found", { status: 404 });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  const end = () => {
    over.abort();
    return server.finished;
  };
  return { origin: `http://${host}`, host, calls, answers, count, [Symbol.asyncDispose]: end };
}

export interface FlowStage extends AsyncDisposable {
  server: TestServer;
  api: Api;
}

export async function startStage(environment: Record<string, string> = {}): Promise<FlowStage> {
  const api = startApi();
  const server = await startServer({ EGRESS_ALLOW: api.host, ACTION_WAIT_MS: "20000", ...environment });
  return {
    server,
    api,
    async [Symbol.asyncDispose]() {
      await server.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Creates an account with a connector `api`, whose methods `get`, `post` and `private` take a `path`. */
export async function addTeam({ server, api }: Pick<FlowStage, "server" | "api">) {
  const admin = await addAccount(server);
  const ask = as(proven(server.request), admin.token);
  const method = (method: string) => ({ method, path: "/{path}", public: true });
  const methods = {
    get: method("GET"),
    post: { ...method("POST"), body: "{body}" },
    private: { ...method("GET"), public: false },
  };
  const connector = { code: "api", name: "API", url: api.origin, fields: { auth: { type: "none" }, methods } };
  made(
    await ask("POST", "/connect/connectors.json", {
      json: { connector: { kind: "platform/custom_connector", ...connector } },
    }),
  );
  return { ask, admin, ...makers(ask) };
}

export type Team = Awaited<ReturnType<typeof addTeam>>;

let count = 0;

function makers(ask: Ask) {
  const addFlow = async (program: unknown, more: Record<string, unknown> = {}) => {
    const code = `flow_${++count}`;
    const flow = { kind: "platform/custom_flow", code, name: code, fields: { program }, ...more };
    return made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  };
  const addApp = async (
    flow_code: string,
    more: Record<string, unknown> = {},
    action: Record<string, unknown> = {},
  ) => {
    const app = {
      name: "Caller",
      app_engine: "html",
      source_code: "<p>An app</p>",
      public: true,
      actions: [{ action: "go", flow_code, public: true, ...action }],
      ...more,
    };
    return made(await ask("POST", "/platform/apps.json", { json: { app } })).id as string;
  };
  /** Runs the program by hand. @returns the answer, with the inspected run as `process` */
  const run = async (program: unknown, input: Record<string, unknown> = {}) => {
    const { id } = await addFlow(program);
    const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input } });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return { ...body, process: await inspect(body.flow_process_id) };
  };
  const inspect = async (id: string) => (await ask("GET", `/connect/flow_processes/${id}.json`)).body;
  return { addFlow, addApp, run, inspect };
}

/** By environment: what each file calls, and the server for all of them. */
const commons = new Map<string, { hosts: string[]; server: Shared<TestServer> }>();

/**
 * The tests of a file have an API of their own, and those of a bundle (test/run/bundles.ts) a server. Each test has its
 * own account.
 */
export function onStage(environment: Record<string, string> = {}) {
  const { hosts, server: shared } = commons.getOrInsertComputed(JSON.stringify(environment), () => {
    const hosts: string[] = [];
    const open = () => startServer({ EGRESS_ALLOW: hosts.join(","), ACTION_WAIT_MS: "20000", ...environment });
    return { hosts, server: share(open, (server) => server.close()) };
  });
  const api = startApi();
  hosts.push(api.host);
  Deno.test.afterAll(async () => await api[Symbol.asyncDispose]());
  return (
    name: string,
    work: (team: Team & Pick<FlowStage, "server" | "api"> & Pick<Stage, "play">, t: Deno.TestContext) => Promise<void>,
  ) => {
    shared.expect();
    Deno.test({
      name,
      ...BESIDE_SERVER,
      fn: (t) =>
        shared.use(async (server) => {
          const team = await addTeam({ server, api });
          await work({ server, api, ...team, play: player(t, team.ask) }, t);
        }),
    });
  };
}
