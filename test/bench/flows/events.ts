/**
 * What waiting runs cost an idle server, and how long changes of records take until their flow begins. Each waiting run
 * is a row; 10,000 changes a minute are written in small batches.
 */
import postgres from "postgres";
import { print } from "../../stage/print.ts";
import { startPostgres } from "../../stage/postgres/postgres.ts";
import { until } from "../../stage/until.ts";
import { cpuSeconds } from "../measure/processes.ts";
import type { Section } from "../measure/section.ts";
import { layOut } from "../measure/table.ts";
import { startAtrium } from "./flows_stage.ts";

const RUNS = 1_000;
/** Of an idle server: one tick and one sweep. */
const IDLE_MS = 60_000;
const BATCH = 17;
const BATCHES_PER_SECOND = 10;
/** Milliseconds from a change to the start of its flow. Source: issue, "Proof". */
const AIM_MS = 2_000;
const PATIENCE_MS = 300_000;

type Atrium = Awaited<ReturnType<typeof startAtrium>>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Idle {
  waiting: number;
  /** CPU of the server, in milliseconds a second. */
  cpu_ms: number;
  tick_ms: number;
  sweep_ms: number;
}

async function measureIdle(sql: postgres.Sql, { pid }: Atrium): Promise<Idle> {
  const [before, began] = [cpuSeconds(pid), performance.now()];
  await pause(IDLE_MS);
  const cpu_ms = (cpuSeconds(pid) - before) * 1e6 / (performance.now() - began);
  const [row] = await sql`
    select
      (select count(*)::int from flow_waits) as waiting,
      (report -> 'tick' ->> 'ms')::int as tick_ms,
      (report -> 'sweep' ->> 'ms')::int as sweep_ms
    from server_processes
    order by seen_at desc
    limit 1
  `;
  return { waiting: row?.waiting, cpu_ms, tick_ms: row?.tick_ms ?? NaN, sweep_ms: row?.sweep_ms ?? NaN };
}

async function measureWaiting(sql: postgres.Sql, atrium: Atrium): Promise<Idle[]> {
  const { id } = await atrium.post("/connect/flows.json", flowOf("pause", [{ type: "wait", seconds: 86_400 }]));
  // The server has just started.
  await pause(IDLE_MS);
  print("idle without waiting runs");
  const without = await measureIdle(sql, atrium);
  let left = RUNS;
  const begin = async () => {
    while (left-- > 0) await atrium.post(`/connect/flows/${id}/run.json`, { wait: false });
  };
  await Promise.all(Array.from({ length: 8 }, begin));
  const waiting = async () => (await sql`select count(*)::int as n from flow_waits`)[0]?.n;
  await until(async () => await waiting() === RUNS, "all runs wait", PATIENCE_MS);
  await pause(IDLE_MS);
  print(`idle with ${RUNS} waiting runs`);
  return [without, await measureIdle(sql, atrium)];
}

const flowOf = (code: string, program: unknown) => ({
  flow: { kind: "platform/custom_flow", code, name: code, fields: { program } },
});

interface Delays {
  changes: number;
  per_second: number;
  runs: number;
  p50_ms: number;
  p99_ms: number;
  most_ms: number;
}

async function measureChanges(sql: postgres.Sql, { post }: Atrium, seconds: number): Promise<Delays> {
  print(`changing records for ${seconds} s`);
  await post("/platform/dbs.json", { db: { name: "Source", code: "source", schema: { fields: { n: "integer" } } } });
  await post("/connect/flows.json", flowOf("deliver", [{ type: "return", data: "{input.changes}" }]));
  await post("/account/crons.json", {
    cron: { kind: "record", target_code: "deliver", record: { db_code: "source" } },
  });
  const operations = Array.from({ length: BATCH }, (_, n) => ({ action: "create", record: { data: { n } } }));
  const began = performance.now();
  const batches = seconds * BATCHES_PER_SECOND;
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < batches; i++) {
    await pause(Math.max(0, began + i * 1_000 / BATCHES_PER_SECOND - performance.now()));
    writes.push(post("/platform/dbs/source/records/batch.json", { operations }));
  }
  await Promise.all(writes);
  const took_ms = performance.now() - began;
  const changes = batches * BATCH;
  const delays = sql`
    select extract(epoch from p.started_at - c.created_at) * 1000 as ms, p.id
    from flow_processes p, json_array_elements(p.data) as d, record_changes c
    where p.flow_code = 'deliver'
      and c.seq = (d ->> 'seq')::bigint
  `;
  const read = async () => {
    const [row] = await sql`
      select
        count(*)::int as changes,
        count(distinct id)::int as runs,
        percentile_cont(0.5) within group (order by ms)::float as p50_ms,
        percentile_cont(0.99) within group (order by ms)::float as p99_ms,
        max(ms)::float as most_ms
      from (${delays}) d
    `;
    return row;
  };
  await until(async () => (await read())?.changes === changes, "all changes are delivered", PATIENCE_MS);
  const row = await read();
  return {
    changes,
    per_second: changes / took_ms * 1_000,
    runs: row?.runs,
    p50_ms: row?.p50_ms,
    p99_ms: row?.p99_ms,
    most_ms: row?.most_ms,
  };
}

async function measureAll(stack: AsyncDisposableStack, seconds: number) {
  const folder = await Deno.makeTempDir({ prefix: "atrium_bench_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const cluster = await startPostgres();
  if (!cluster) throw new Error("PostgreSQL is missing: apt-get install postgresql, or brew install postgresql");
  stack.defer(() => cluster.stop());
  const database_url = await cluster.createDatabase("events");
  const sql = postgres(database_url, { max: 2, onnotice: () => {} });
  stack.defer(() => sql.end());
  const atrium = await startAtrium(folder, { DATABASE_URL: database_url });
  stack.defer(() => atrium.stop());
  return { delays: await measureChanges(sql, atrium, seconds), idle: await measureWaiting(sql, atrium) };
}

function reportOf({ idle, delays }: Awaited<ReturnType<typeof measureAll>>): string {
  const waiting = layOut([
    ["waiting runs", "CPU ms/s", "tick ms", "sweep ms"],
    ...idle.map((row) => [
      String(row.waiting),
      row.cpu_ms.toFixed(1),
      row.tick_ms.toFixed(0),
      row.sweep_ms.toFixed(0),
    ]),
  ], 0);
  const { changes, per_second, runs, p50_ms, p99_ms, most_ms } = delays;
  return `${waiting}
${changes} changes, ${per_second.toFixed(0)} a second, in ${runs} runs, which began after
p50 ${p50_ms.toFixed(0)} ms, p99 ${p99_ms.toFixed(0)} ms, at most ${most_ms.toFixed(0)} ms
aim: at most ${AIM_MS} ms: ${most_ms <= AIM_MS ? "met" : "MISSED"}
`;
}

/** @param seconds how long records are changed */
export const events = ({ seconds }: { seconds: number }): Section => ({
  name: "events",
  missing: undefined,
  async measure(stack) {
    const result = await measureAll(stack, seconds);
    return { result, report: reportOf(result) };
  },
});
