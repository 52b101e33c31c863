/**
 * Durable runs per second: an action starts a flow of three steps (an HTTP call, a mutation, a condition). It takes turns
 * with a bare handler that makes the HTTP call between two commits.
 */
import { fileURLToPath } from "node:url";
import { print } from "../../stage/print.ts";
import { startPostgres } from "../../stage/postgres/postgres.ts";
import { findProgram } from "../../stage/programs.ts";
import { until } from "../../stage/until.ts";
import { HOW_TO_INSTALL, load, type Order } from "../measure/load.ts";
import { memoryOf } from "../measure/memory.ts";
import type { Section } from "../measure/section.ts";
import { launch } from "../measure/servers.ts";
import { startAtrium } from "./flows_stage.ts";
import { layOut, median } from "../measure/table.ts";

/** Source: design, performance, "Aims". */
const AIM_PER_SECOND = 1_500;
const AIM_BEYOND_MS = 3;
/** The most that a busy machine takes to build the console. */
const BUILD_MS = 180_000;

const PROGRAM = [
  { type: "connector", id: "rates", connector_code: "fx", method: "latest", params: { base: "{input.base}" } },
  { type: "mutation", id: "pick", set: { price: "{json_object.rates.0.mid}" } },
  {
    type: "if",
    id: "high",
    condition: "{price} > 4.5",
    then: [{ type: "return", data: { price: "{price}", high: true } }],
    else: [{ type: "return", data: { price: "{price}", high: false } }],
  },
];

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

async function setStage(stack: AsyncDisposableStack) {
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const postgres = await startPostgres();
  if (!postgres) throw new Error("PostgreSQL is missing: apt-get install postgresql, or brew install postgresql");
  stack.defer(() => postgres.stop());
  const api = await launch({ args: ["-A", here("flows_api.ts")], env: {}, log: `${folder}/api.log`, first: "/" });
  stack.defer(() => api.stop());
  const bare = await launch({
    args: ["-A", here("flows_bare.ts")],
    env: { DATABASE_URL: await postgres.createDatabase("bare"), API: api.origin },
    log: `${folder}/bare.log`,
    first: "/",
  });
  stack.defer(() => bare.stop());
  const database_url = await postgres.createDatabase("ours");
  const ours = await startAtrium(folder, { DATABASE_URL: database_url, EGRESS_ALLOW: new URL(api.origin).host });
  stack.defer(() => ours.stop());
  const { site, headers, post } = ours;
  const methods = { latest: { method: "GET", path: "/rates/{base}" } };
  const connector = { code: "fx", name: "Rates", url: api.origin, fields: { auth: { type: "none" }, methods } };
  await post("/connect/connectors.json", { connector: { kind: "platform/custom_connector", ...connector } });
  const flow = { kind: "platform/custom_flow", code: "watch", name: "Watch", fields: { program: PROGRAM } };
  await post("/connect/flows.json", { flow });
  const actions = [{ action: "go", flow_code: "watch" }];
  const app = await post("/platform/apps.json", {
    app: { name: "Bench", app_engine: "html", source_code: "<p>Bench</p>", actions },
  });
  const json = { "content-type": "application/json" };
  const order = (url: string, headers: Record<string, string>): Order => ({
    method: "POST",
    url,
    headers,
    body: `{"base":"EUR"}`,
  });
  print("building the console and the runtimes, which the server would else do while it is measured");
  await until(async () => (await fetch(site, { headers })).ok, "the console is built", BUILD_MS);
  await ours.says("runtimes_");
  return {
    postgres,
    pid: ours.pid,
    subjects: {
      ours: order(`${site}/platform/apps/${app.id}/action/go`, { ...headers, ...json }),
      bare: order(bare.origin, json),
      api: { method: "GET", url: api.origin } satisfies Order,
    },
  };
}

async function measureAll(stack: AsyncDisposableStack, { seconds, rounds, connections }: Options) {
  print("starting PostgreSQL and the servers");
  const { subjects, pid } = await setStage(stack);
  const idle_mb = memoryOf(pid);
  const rows = await Array.fromAsync([connections, 1], async (connections) => {
    const how = { seconds, connections };
    await Array.fromAsync(Object.values(subjects), (order) => load(order, { ...how, seconds: 1 }));
    const turns = await Array.fromAsync(Array.from({ length: rounds }), async (_, turn) => {
      print(`${connections} connections: round ${turn + 1} of ${rounds}`);
      return {
        ours: await load(subjects.ours, how),
        bare: await load(subjects.bare, how),
        api: await load(subjects.api, how),
      };
    });
    const of = (subject: keyof typeof subjects) => ({
      per_second: median(turns.map((turn) => turn[subject].per_second)),
      p50_ms: median(turns.map((turn) => turn[subject].p50_ms)),
      p99_ms: median(turns.map((turn) => turn[subject].p99_ms)),
    });
    return { connections, ours: of("ours"), bare: of("bare"), api: of("api") };
  });
  return { rows, memory_mb: { idle: idle_mb, after: memoryOf(pid) } };
}

type Measured = Awaited<ReturnType<typeof measureAll>>;

function reportOf({ rows, memory_mb }: Measured): string {
  const table = layOut([
    ["connections", "subject", "runs/s", "p50 ms", "p99 ms", "ours ÷ it"],
    ...rows.flatMap(({ connections, ours, bare, api }) =>
      Object.entries({ ours, "two commits and the call": bare, "the call alone": api }).map(([name, figures], i) => [
        i === 0 ? String(connections) : "",
        name,
        figures.per_second.toFixed(0),
        figures.p50_ms.toFixed(1),
        figures.p99_ms.toFixed(1),
        i === 0 ? "" : (ours.per_second / figures.per_second).toFixed(2),
      ])
    ),
  ], 2);
  const [many, one] = rows;
  const per_second = many?.ours.per_second ?? 0;
  const beyond = one ? one.ours.p50_ms - one.api.p50_ms : Infinity;
  const met = (holds: boolean) => holds ? "met" : "MISSED";
  return `${table}
aim: at least ${AIM_PER_SECOND} runs/s: ${per_second.toFixed(0)} ${met(per_second >= AIM_PER_SECOND)}
aim: one caller, p50 at most ${AIM_BEYOND_MS} ms beyond the call: ${beyond.toFixed(1)} ${met(beyond <= AIM_BEYOND_MS)}
memory MB: ${memory_mb.idle.total.toFixed(0)} idle, ${memory_mb.after.total.toFixed(0)} after
`;
}

export const flows = (options: Options): Section => ({
  name: "flows",
  missing: findProgram("wrk") ? undefined : HOW_TO_INSTALL,
  async measure(stack) {
    const result = await measureAll(stack, options);
    return { result, report: reportOf(result) };
  },
});
