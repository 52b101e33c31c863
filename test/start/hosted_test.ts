/**
 * Hosted by Deno Deploy: instances are started by requests and stopped at any time. Nothing that was acknowledged is lost,
 * runs go on elsewhere, and clients come back by themselves. On the host's Deno, and on the one that self-hosters use.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startApi } from "../flow/flow_stage.ts";
import { LOOPS } from "../once/compiler/hostile.ts";
import { childEnvironment } from "../../server/config.ts";
import { fetchPackages } from "../../server/compiler/runtime/fetched_packages.ts";
import { findHostedDeno, findReadOnly, type Host, HOSTED_VERSION, openHost, packServer } from "../stage/places/host.ts";
import { connectAgent } from "../stage/agents/agent.ts";
import { createDatabase, on_postgres } from "../stage/harness.ts";
import { ask } from "../stage/launch.ts";
import { freePort } from "../stage/network/ports.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-hosted-tests";

const HOMELESS = { HOME: "/no/such/folder", TMPDIR: "/no/such/folder" };

/** An app of each engine, and of each CSS engine. */
const APPS: [app_engine: string, css_engine: string, source_code: string][] = [
  ["svelte", "tailwind", "<script>let n = $state(1)</script><p class='p-4 text-red-500'>{n}</p>"],
  ["vue", "tailwind_all", "<script setup>const n = 1</script><template><p class='p-4'>{{ n }}</p></template>"],
  ["react", "tailwind", "export default () => <p className='p-4'>1</p>"],
  ["kaboom", "none", "import kaboom from 'kaboom'; kaboom(); add([rect(24, 24)]);"],
  ["phaser", "none", "new Phaser.Game({ width: 8, height: 8 });"],
  ["js", "none", "document.title = 'x';"],
  ["html", "none", "<!doctype html><h1>x</h1>"],
];
/** All of them on the host's own version: `test/once/compiler/` compiles each engine on the other. */
const appsOn = (deno: string) => deno === Deno.execPath() ? APPS.slice(0, 2) : APPS;

/** A request whose instance is gone may never be answered. */
const late = () => AbortSignal.timeout(60_000);

/** Ends with the signal, whatever becomes of the connection. */
async function whileGoing<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  // An aborted signal has no further event.
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** For what an instance does by itself. @throws {Error} that names what is late */
async function inTime<T>(work: Promise<T> | undefined, what: string): Promise<T | undefined> {
  const signal = late();
  return await whileGoing(signal, Promise.resolve(work)).catch((error) => {
    throw signal.aborted ? new Error(`waited in vain until ${what}`) : error;
  });
}

/** A request that is given up after a minute. */
const askHost = (host: Host, path: string, init: RequestInit = {}) => {
  const signal = late();
  return whileGoing(signal, ask(host.url + path, TOKEN, { ...init, signal }));
};

const appOf = (app_engine: string, css_engine: string, source_code: string) => ({
  app: { name: `App ${crypto.randomUUID()}`, app_engine, css_engine, source_code },
});

/** @returns undefined if nothing was acknowledged: the instance was stopping, or its connection broke */
async function post(host: Host, path: string, json: unknown) {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  };
  const { status, text } = await askHost(host, path, init).catch((error) => {
    if (error instanceof TypeError || error.name === "TimeoutError") return { status: 502, text: "" };
    throw error;
  });
  if (status === 502 || status === 503) return undefined;
  assert.ok(status < 300, `${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** Repeats what was not acknowledged: a busy machine may have no compile worker in time. */
async function made(host: Host, path: string, json: unknown) {
  let answer: Awaited<ReturnType<typeof post>>;
  await until(async () => (answer = await post(host, path, json)) !== undefined, `${path} is answered`, 180_000);
  return answer;
}

/** Repeats what is not answered. @returns undefined if it is refused */
async function read(host: Host, path: string) {
  let answer: { status: number; text: string } | undefined;
  const answered = async () => {
    answer = await askHost(host, path).catch(() => undefined);
    return answer !== undefined && answer.status !== 502 && answer.status !== 503;
  };
  await until(answered, `${path} is answered`, 180_000);
  return answer?.status === 200 ? JSON.parse(answer.text) : undefined;
}

/** Repeats a request at a pace: each record is an event, a run and a read, too. @returns the ids that were acknowledged */
async function keepPosting(
  host: Host,
  path: string,
  { json, done, pause_ms }: { json: () => unknown; done: () => boolean; pause_ms: number },
): Promise<string[]> {
  const ids: string[] = [];
  while (!done()) {
    const answer = await post(host, path, json());
    if (answer) ids.push(answer.id);
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
  return ids;
}

/** Follows a feed as an EventSource does: it connects again with the last id. @param seen receives each event's text */
async function follow(host: Host, path: string, seen: (event: string) => void, signal: AbortSignal): Promise<number> {
  let connections = 0;
  for (let last = ""; !signal.aborted;) {
    const headers = { authorization: `Bearer ${TOKEN}`, ...last && { "last-event-id": last } };
    try {
      const response = await whileGoing(signal, fetch(host.url + path, { headers, signal }));
      if (response.status === 200) connections++;
      let rest = "";
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      while (reader) {
        const { value, done } = await whileGoing(signal, reader.read());
        if (done) break;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          last = /^id: (.+)$/m.exec(block)?.[1] ?? last;
          seen(block);
        }
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof TypeError)) throw error;
    }
  }
  return connections;
}

/** The console's page and everything that it loads first. The first instance builds it, if nobody has. */
async function openConsole(host: Host) {
  const opened = async (path: string) => {
    let answer = { status: 0, text: "" };
    await until(
      async () => (answer = await askHost(host, path)).status === 200,
      `${path} is answered`,
      300_000,
    );
    return answer.text;
  };
  const files = [...(await opened("/")).matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = ""]) => path);
  assert.ok(files.length > 1);
  for (const path of files) await opened(path);
}

/** An agent lists its tools, and makes an app. */
async function proveAgent(host: Host) {
  const handler = (request: Request) => fetch(request, { signal: late() });
  const agent = await connectAgent({ base_url: host.url, handler }, TOKEN);
  assert.ok((await agent.client.listTools()).tools.length > 0);
  const { app } = appOf("svelte", "tailwind", "<p class='p-2'>made by an agent</p>");
  const { id } = await agent.call("create", { kind: "app", value: app });
  assert.equal((await askHost(host, `/a/${id}`)).status, 200);
  await agent.close();
}

async function comeAndGo(deno: string) {
  await using api = startApi();
  let is_held = true;
  api.answers.set(
    "/held",
    (_, signal) =>
      is_held
        ? new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response())))
        : Response.json({ ok: true }),
  );
  let traces = "";
  await using collector = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    traces += await request.text();
    return Response.json({});
  });
  const environment = {
    ...HOMELESS,
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
    ADMIN_TOKEN: TOKEN,
    ADMIN_PASSWORD: "password of the hosted tests",
    EGRESS_ALLOW: api.host,
    ACTION_WAIT_MS: "0",
  };
  await using host = await openHost(deno, environment, { readOnly });
  assert.equal(host.instances.length, 0);
  assert.deepEqual(await read(host, "/readyz"), { status: "ok", database: true, kv: true });
  assert.equal(host.instances.length, 1, "a request has started it");

  await openConsole(host);
  for (const app of appsOn(deno)) {
    const { id } = await made(host, "/platform/apps.json", appOf(...app));
    assert.equal((await askHost(host, `/a/${id}`)).status, 200, app.join(" "));
  }
  await inTime(proveAgent(host), "an agent is answered");
  const methods = { get: { method: "GET", path: "/{path}" } };
  await made(host, "/connect/connectors.json", {
    connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
  });
  const db = { name: "Log", code: "log", schema: { fields: { n: "integer" } } };
  await made(host, "/platform/dbs.json", { db });
  const flow = async (code: string, program: unknown[]) =>
    await made(host, "/connect/flows.json", {
      flow: { kind: "platform/custom_flow", code, name: code, fields: { program } },
    });
  const held = await flow("held", [
    { type: "connector", id: "call", connector_code: "api", method: "get", params: { path: "held" } },
    { type: "return", data: "{steps.call.body}" },
  ]);
  const waits = await flow("waits", [
    { type: "code", id: "twice", source: "export default ({ input }: { input: { n: number } }) => 2 * input.n" },
    { type: "wait", id: "pause", seconds: 3 },
    { type: "mutation", id: "sum", set: { of: "{= steps.twice.body + 1 }" } },
    { type: "return", data: { sum: "{steps.sum.body.of}" } },
  ]);
  await flow("noted", [
    {
      type: "for_each",
      items: "{input.changes}",
      as: "change",
      steps: [{ type: "record", action: "create", db_code: "noted", data: { of: "{change.record_id}" } }],
    },
  ]);
  await made(host, "/platform/dbs.json", {
    db: { name: "Noted", code: "noted", schema: { fields: { of: "string" } } },
  });
  const record = { db_code: "log", on: ["create"] };
  await made(host, "/account/crons.json", { cron: { kind: "record", target_code: "noted", record } });

  const left = new AbortController();
  let is_over = false;
  // A failure ends what goes on in the background, too: it would start instances for ever.
  using _background = {
    [Symbol.dispose]() {
      is_over = true;
      left.abort();
    },
  };
  let told = "";
  const following = follow(host, "/platform/dbs/log/changes", (event) => told += event, left.signal);
  await until(() => told !== "", "the feed is followed");
  await host.start();
  let n = 0;
  const done = () => is_over;
  const record_of = () => ({ record: { data: { n: n++ } } });
  const records = keepPosting(host, "/platform/dbs/log/records.json", { json: record_of, done, pause_ms: 20 });
  const source = () => `<script>let n = $state(${n++})</script><p class='p-4 text-red-500'>{n}</p>`;
  const app_of = () => appOf("svelte", "tailwind", source());
  const apps = keepPosting(host, "/platform/apps.json", { json: app_of, done, pause_ms: 200 });
  const starts = [
    await made(host, `/connect/flows/${held.id}/run.json`, { input: {} }),
    await made(host, `/connect/flows/${waits.id}/run.json`, { input: { n: 4 } }),
  ];
  await until(() => api.count("/held") > 0, "a run is in a call");

  for (const instance of [...host.instances]) {
    const { code, killed, stderr } = await instance.stop();
    assert.deepEqual([code, killed], [0, false], stderr + instance.output().slice(-2_000));
    assert.doesNotMatch(instance.output(), /starts from its sources/);
    is_held = false;
  }
  // The next request starts a new one, whose first sweep continues what the others have left.
  const finished = async (id: string) =>
    (await read(host, `/connect/flow_processes/${id}.json`).catch(() => undefined))?.status === "finished";
  for (const { flow_process_id } of starts) {
    await until(() => finished(flow_process_id), "the run is finished elsewhere", 120_000);
  }
  is_over = true;
  const [record_ids = [], app_ids = []] = await inTime(Promise.all([records, apps]), "the last posts are answered") ??
    [];
  assert.ok(record_ids.length > 0 && app_ids.length > 0);
  for (const id of record_ids) assert.ok(await read(host, `/platform/dbs/log/records/${id}.json`), `record ${id}`);
  for (const id of app_ids) assert.ok(await read(host, `/platform/apps/${id}.json`), `app ${id}`);
  await until(() => record_ids.every((id) => told.includes(id)), "the follower has been told of all records");
  left.abort();
  assert.ok((await inTime(following, "the follower ends") ?? 0) > 1, "it has connected again");
  const noted = async () => {
    const ids: string[] = [];
    for (let page = 1;; page++) {
      const records = await read(host, `/platform/dbs/noted/records.json?per_page=100&page=${page}`);
      if (!records?.length) return ids;
      ids.push(...records.map(({ data }: { data: { of: string } }) => data.of));
    }
  };
  await until(
    async () => record_ids.every(((ids) => (id) => ids.includes(id))(await noted())),
    "a trigger has started a flow for each record",
    120_000,
  );
  const all = await noted();
  assert.equal(new Set(all).size, all.length, "and for none twice");
  const { data } = await read(host, `/connect/flow_processes/${starts[1].flow_process_id}.json`);
  assert.deepEqual(data, { sum: 9 });

  await until(() => traces.includes('"GET /platform/dbs/:db_code/records/:id.json"'), "spans are named by their route");
  assert.match(traces, /"atrium\.request_id"/);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(host.folder)), [], "nothing is written beside the checkout");
}

const hosted = on_postgres ? await findHostedDeno() : undefined;
/** Deno's own caches and subprocesses cannot write either. */
const readOnly = on_postgres ? await findReadOnly() : undefined;
const place = readOnly ? "a read-only file system" : "a file system that can be written, because it cannot be mounted";
const VERSIONS: [version: string, deno: string | undefined][] = [
  [HOSTED_VERSION, hosted],
  [Deno.version.deno, Deno.execPath()],
];

for (const [version, deno] of VERSIONS) {
  const where = deno === undefined && on_postgres ? "left out: npx does not provide it" : `on ${place}`;
  Deno.test({
    name: `hosted on Deno ${version}: instances come and go, nothing acknowledged is lost (${where})`,
    ignore: !on_postgres || deno === undefined,
    async fn() {
      await packServer(deno ?? "");
      // An instance cannot fetch it here.
      const engines = appsOn(deno ?? "").map(([engine]) => engine);
      if (engines.includes("phaser")) {
        await fetchPackages(["phaser"], deno ?? "", childEnvironment(Deno.env.toObject()));
      }
      await comeAndGo(deno ?? "");
    },
  });
}

Deno.test({
  name: "hosted without subprocesses: apps are compiled in a thread, and an instance ends with one that hangs",
  ignore: hosted === undefined,
}, async () => {
  await using host = await openHost(hosted ?? "", { ADMIN_TOKEN: TOKEN, ADMIN_PASSWORD: "password" }, {
    has_subprocesses: false,
  });
  const compile = async (engine: string, source_code: string) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(appOf(engine, "tailwind", source_code));
    return await askHost(host, "/platform/apps.json", { method: "POST", headers, body });
  };
  // A busy machine may not compile even this within 5 s.
  let n = 0;
  await until(
    async () => (await compile("svelte", `<p class='p-4'>${n++}</p>`)).status === 201,
    "it compiles",
    180_000,
  );
  const [instance] = host.instances;
  assert.match(instance?.output() ?? "", /compile_workers_are_threads/);
  const { status, text } = await compile("vue", LOOPS);
  assert.match(`${status} ${text}`, /^422 .*compile timed out/);
  assert.equal((await inTime(instance?.ended, "the instance ends"))?.code, 0);
  assert.ok((await read(host, "/platform/apps.json")).length > 0, "the next instance answers");
});

Deno.test({
  name:
    `start: Deno ${HOSTED_VERSION} has no locks for the embedded database, and a host says what is missing to deploy and start`,
  ignore: hosted === undefined,
}, async () => {
  const folder = await Deno.makeTempDir({ prefix: "atrium_hosted_" });
  const faultIn = async (env: Record<string, string>, ...command: string[]) => {
    const args = [
      "run",
      "--allow-all",
      "--quiet",
      fileURLToPath(new URL("../../main.ts", import.meta.url)),
      ...command,
    ];
    const options = { args, cwd: folder, env: { NO_COLOR: "1", ...env }, signal: late() };
    const { code, stderr } = await new Deno.Command(hosted ?? "", options).output();
    return `${code} ${new TextDecoder().decode(stderr)}`;
  };
  try {
    assert.match(
      await faultIn({ DATA_DIR: folder, PORT: String(freePort()) }),
      /^1 The embedded database needs a newer Deno than 2\.5\.0, .* DATABASE_URL to a PostgreSQL database\n$/,
    );
    const database = await createDatabase();
    const env = { DENO_DEPLOYMENT_ID: "1", DATABASE_URL: database, SECRET_KEYS: "k1:0123456789abcdef" };
    assert.match(await faultIn({ DENO_DEPLOY: "true" }, "migrate"), /^1 The configuration is wrong:\n[^]*DATABASE_URL/);
    assert.match(await faultIn(env, "migrate"), /^0 /, "the command before a deployment");
    const no_kv = { DENO_KV_DEFAULT_PATH: `${folder}/missing/kv.sqlite3`, PORT: String(freePort()) };
    assert.match(await faultIn({ ...env, ...no_kv }), /1 [^]*Deno KV is required here: provision a database "Deno KV"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
