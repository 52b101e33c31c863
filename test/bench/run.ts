/**
 * `deno task bench [--seconds=3] [--rounds=5] [--connections=32] [--only=list,read,create,update,page]`
 *
 * Measures our server and bare handlers with the same SQL in turn, on one throw-away PostgreSQL, and prints ratios: the
 * same machine gives other figures every hour, but the same ratios. Also writes bench/last.json.
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { print } from "../print.ts";
import { findProgram } from "../programs.ts";
import { HOW_TO_INSTALL, type Load, load } from "./load.ts";
import { describeMachine, watchForeignLoad } from "./machine.ts";
import { memoryOf, withPeak } from "./memory.ts";
import { checkSameAnswers } from "./same_answers.ts";
import type { Server } from "./servers.ts";
import { setStage } from "./stage.ts";
import { layOut, median, ratioTable, summarize, type Summary } from "./table.ts";
import { type Work, worksOf } from "./works.ts";

const text = (value: string) => ({ type: "string", default: value }) as const;
const { values } = parseArgs({
  args: Deno.args,
  options: { seconds: text("3"), rounds: text("5"), connections: text("32"), only: text("") },
});
const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(Number);
const only = values.only.split(",").filter(Boolean);

/** Where a compile pool and its caches have settled after the start. */
const SETTLE_MS = 3000;

async function measure(work: Work): Promise<Summary[]> {
  await checkSameAnswers(work);
  const subjects = [{ name: "ours", order: work.ours, aim: undefined }, ...work.others];
  const how = { seconds: Number(seconds), connections: Number(connections) };
  await Array.fromAsync(subjects, ({ order }) => load(order, { ...how, seconds: 1 }));
  const turns = await Array.fromAsync(Array.from({ length: Number(rounds) }), async (_, turn) => {
    print(`${work.name}: round ${turn + 1} of ${rounds}`);
    return await Array.fromAsync(subjects, ({ order }) => load(order, how));
  });
  const roundsOf = (index: number): Load[] => turns.flatMap((turn) => turn[index] ?? []);
  return subjects.map(({ name, aim }, index) =>
    index === 0
      ? summarize({ work: work.name, subject: name, rounds: roundsOf(0) })
      : summarize({ work: work.name, subject: name, rounds: roundsOf(index) }, roundsOf(0), aim)
  );
}

async function bench(stack: AsyncDisposableStack) {
  const foreignLoad = watchForeignLoad();
  print("starting PostgreSQL and the servers, five times each");
  const stage = await setStage(stack);
  const { ours, bare, starts } = stage;
  await pause(SETTLE_MS);
  const idle = { ours: memoryOf(ours.pid), bare: memoryOf(bare.pid) };
  const works = worksOf({ ...stage, ours: ours.origin, bare: bare.origin })
    .filter(({ name }) => only.length === 0 || only.some((word) => name.startsWith(word)));
  if (works.length === 0) throw new Error(`--only=${values.only} names no work`);
  const measured = withPeaks(bare, ours, () => Array.fromAsync(works, measure));
  const [[summaries, ours_peak], bare_peak] = await measured.catch(async (error) => {
    await Promise.all([ours.check(), bare.check()]);
    throw error;
  });
  return {
    at: new Date().toISOString(),
    machine: describeMachine(),
    postgres: stage.postgres_version,
    options: { seconds, rounds, connections },
    foreign_load: foreignLoad(),
    works: summaries.flat(),
    memory_mb: { ours: { idle: idle.ours, peak: ours_peak }, bare: { idle: idle.bare, peak: bare_peak } },
    first_answer_ms: { ours: median(starts.ours), bare: median(starts.bare) },
  };
}

const withPeaks = <T>(outer: Server, inner: Server, work: () => Promise<T>) =>
  withPeak(outer.pid, () => withPeak(inner.pid, work));

function report(result: Awaited<ReturnType<typeof bench>>): void {
  const { machine, memory_mb, first_answer_ms, foreign_load } = result;
  const row = (name: "ours" | "bare") => {
    const { idle: { server, server_rss, workers, total }, peak } = memory_mb[name];
    const figures = [
      server_rss,
      server,
      workers.reduce((sum, one) => sum + one, 0),
      total,
      peak,
      first_answer_ms[name],
    ];
    return [name, ...figures.map((figure) => figure.toFixed(0))];
  };
  print(`\n${ratioTable(result.works)}\n`);
  print(layOut([
    ["", "idle MB: RSS", "PSS", "workers", "all", "peak MB", "first answer ms"],
    row("ours"),
    row("bare"),
  ], 1));
  print(`\n${machine.cpu}, ${machine.cores} cores, Deno ${machine.deno}, PostgreSQL ${result.postgres}`);
  print(`medians of ${rounds} rounds of ${seconds} s in turn, ${connections} connections; memory is PSS but for RSS`);
  const percent = (foreign_load * 100).toFixed(0);
  print(`others used ${percent} % of the machine${foreign_load > 0.1 ? ": too much, measure again" : ""}`);
}

if (!findProgram("wrk")) {
  print(HOW_TO_INSTALL);
  Deno.exit(2);
}
const stack = new AsyncDisposableStack();
const whole = Promise.withResolvers<void>();
/** Whoever comes second, a signal or the end of the bench, waits for the one clearing-up. */
const clearUp = () => {
  if (!stack.disposed) whole.resolve(stack.disposeAsync());
  return whole.promise;
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => void clearUp().finally(() => Deno.exit(1)));
}
try {
  const result = await bench(stack);
  report(result);
  const folder = fileURLToPath(new URL("../../bench", import.meta.url));
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/last.json`, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await clearUp();
}
Deno.exit(0);
