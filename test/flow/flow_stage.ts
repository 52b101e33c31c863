/** What tests of flows stand on: an API elsewhere that counts its calls, and flows, connectors and apps in one call. */
import { startServer, type TestServer } from "../stage/harness.ts";
import { type Ask, player, proven, type Stage } from "../stage/scenario.ts";
import { addAccount, as, made } from "../stage/people.ts";

export interface Api extends AsyncDisposable {
  origin: string;
  host: string;
  calls: { method: string; path: string; headers: Headers; body: string }[];
  /** By path; what is not there is 404. */
  answers: Map<string, (call: number, signal: AbortSignal) => Response | Promise<Response>>;
  count(path: string): number;
}

/** Serves on a free port of this machine. */
export function startApi(): Api {
  const calls: Api["calls"] = [];
  const answers: Api["answers"] = new Map();
  const count = (path: string) => calls.filter((call) => call.path === path).length;
  // Aborted, not shut down: an answer may still be held back by a test that failed.
  const over = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: over.signal };
  const server = Deno.serve(options, async (request) => {
    const { pathname: path } = new URL(request.url);
    calls.push({ method: request.method, path, headers: request.headers, body: await request.text() });
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

/** An account of its own on a stage, with a connector `api` whose methods `get` and `post` take a `path`. */
export async function addTeam({ server, api }: FlowStage) {
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
  /** Runs the program by hand. @returns the answer, and the run as an inspection shows it */
  const run = async (program: unknown, input: Record<string, unknown> = {}) => {
    const { id } = await addFlow(program);
    const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input } });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return { ...body, process: await inspect(body.flow_process_id) };
  };
  const inspect = async (id: string) => (await ask("GET", `/connect/flow_processes/${id}.json`)).body;
  return { addFlow, addApp, run, inspect };
}

/** A file's tests share one stage; each has a team of its own. */
export function onStage(environment: Record<string, string> = {}) {
  const shared: { stage?: FlowStage } = {};
  Deno.test.beforeAll(async () => void (shared.stage = await startStage(environment)));
  Deno.test.afterAll(async () => await shared.stage?.[Symbol.asyncDispose]());
  return (
    name: string,
    work: (team: Team & Pick<FlowStage, "server" | "api"> & Pick<Stage, "play">, t: Deno.TestContext) => Promise<void>,
  ) =>
    Deno.test({
      name,
      // What a server has going beside its tests would be each one's leak.
      sanitizeOps: false,
      sanitizeResources: false,
      async fn(t) {
        const { stage } = shared;
        if (!stage) throw new Error("the stage was not set");
        const { server, api } = stage;
        const team = await addTeam(stage);
        await work({ server, api, ...team, play: player(t, team.ask) }, t);
      },
    });
}

/** Tries every 20 ms. @throws {Error} after 10 s */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(what);
}
