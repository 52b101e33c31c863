/**
 * Requests per second of ours and of bare handlers with the same SQL, in turn, on one throw-away PostgreSQL; the memory
 * of both servers, and how soon they answer.
 */
import { setTimeout as pause } from "node:timers/promises";
import { print } from "../../stage/print.ts";
import { findProgram } from "../../stage/programs.ts";
import { HOW_TO_INSTALL, type Load } from "../measure/load.ts";
import { memoryOf, withPeak } from "../measure/memory.ts";
import { checkSameAnswers } from "./same_answers.ts";
import type { Section } from "../measure/section.ts";
import type { Server } from "../measure/servers.ts";
import { setStage } from "./stage.ts";
import { layOut, median, ratioTable, summarize, type Summary } from "../measure/table.ts";
import { inTurn, type Turns } from "../measure/turns.ts";
import { type Work, worksOf } from "./works.ts";

export interface Options extends Turns {
  /** The beginnings of works' names; none for all. */
  works: readonly string[];
}

/** After a start, until the compile pool and its caches have settled. */
const SETTLE_MS = 3000;

export const ordersOf = ({ ours, others }: Work) => [ours, ...others.map(({ order }) => order)];

/** @param loads those of `ordersOf(work)` */
export function summariesOf({ name: work, others }: Work, [ours = [], ...rest]: readonly Load[][]): Summary[] {
  return [
    summarize({ work, subject: "ours", rounds: ours }),
    ...others.map(({ name, aim }, i) => summarize({ work, subject: name, rounds: rest[i] ?? [] }, ours, aim)),
  ];
}

async function measureWork(work: Work, options: Options): Promise<Summary[]> {
  await checkSameAnswers(work);
  return summariesOf(work, await inTurn(work.name, ordersOf(work), options));
}

async function measureAll(stack: AsyncDisposableStack, options: Options) {
  print("starting PostgreSQL and the servers, five times each");
  const stage = await setStage(stack);
  const { ours, bare, starts } = stage;
  await pause(SETTLE_MS);
  const idle = { ours: memoryOf(ours.pid), bare: memoryOf(bare.pid) };
  const works = worksOf(stage)
    .filter(({ name }) => options.works.length === 0 || options.works.some((word) => name.startsWith(word)));
  if (works.length === 0) throw new Error(`--only=${options.works} names no work`);
  const measured = withPeaks(bare, ours, () => Array.fromAsync(works, (work) => measureWork(work, options)));
  const [[summaries, ours_peak], bare_peak] = await measured.catch(async (error) => {
    await Promise.all([ours.check(), bare.check()]);
    throw error;
  });
  return {
    postgres: stage.postgres_version,
    options,
    works: summaries.flat(),
    memory_mb: { ours: { idle: idle.ours, peak: ours_peak }, bare: { idle: idle.bare, peak: bare_peak } },
    first_answer_ms: { ours: median(starts.ours), bare: median(starts.bare) },
  };
}

const withPeaks = <T>(outer: Server, inner: Server, work: () => Promise<T>) =>
  withPeak(outer.pid, () => withPeak(inner.pid, work));

function reportOf({ works, memory_mb, first_answer_ms, postgres, options }: Awaited<ReturnType<typeof measureAll>>) {
  const row = (name: "ours" | "bare") => {
    const { idle: { server, server_rss, workers, total }, peak } = memory_mb[name];
    const worker = workers.reduce((sum, one) => sum + one, 0);
    return [name, ...[server_rss, server, worker, total, peak, first_answer_ms[name]].map((part) => part.toFixed(0))];
  };
  const { rounds, seconds, connections } = options;
  return [
    ratioTable(works),
    "",
    layOut([["", "idle MB: RSS", "PSS", "workers", "all", "peak MB", "first answer ms"], row("ours"), row("bare")], 1),
    "",
    `PostgreSQL ${postgres}, medians of ${rounds} rounds of ${seconds} s in alternating order, ${connections} connections`,
    "CPU: the server's main thread, per request; memory: PSS, unless it says RSS",
  ].join("\n");
}

export const requests = (options: Options): Section => ({
  name: "requests",
  missing: findProgram("wrk") ? undefined : HOW_TO_INSTALL,
  async measure(stack) {
    const result = await measureAll(stack, options);
    return { result, report: reportOf(result) };
  },
});
