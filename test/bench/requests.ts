/**
 * Requests a second, ours and bare handlers with the same SQL in turn, on one throw-away PostgreSQL; then the memory of
 * both, and how soon they answer.
 */
import { setTimeout as pause } from "node:timers/promises";
import { print } from "../stage/print.ts";
import { findProgram } from "../stage/programs.ts";
import { HOW_TO_INSTALL, type Load, load } from "./load.ts";
import { memoryOf, withPeak } from "./memory.ts";
import { checkSameAnswers } from "./same_answers.ts";
import type { Section } from "./section.ts";
import type { Server } from "./servers.ts";
import { setStage } from "./stage.ts";
import { layOut, median, ratioTable, summarize, type Summary } from "./table.ts";
import { type Work, worksOf } from "./works.ts";

export interface Options {
  seconds: number;
  rounds: number;
  connections: number;
  /** The beginnings of works' names; none for all. */
  works: readonly string[];
}

/** Where a compile pool and its caches have settled after the start. */
const SETTLE_MS = 3000;

/** Ours first, then the others in the order of the work. */
export async function takeTurns(work: Work, { rounds, seconds, connections }: Options): Promise<Summary[]> {
  await checkSameAnswers(work);
  const subjects = [{ name: "ours", order: work.ours, aim: undefined }, ...work.others];
  const how = { seconds, connections };
  await Array.fromAsync(subjects, ({ order }) => load(order, { ...how, seconds: 1 }));
  const turns = await Array.fromAsync(Array.from({ length: rounds }), async (_, turn) => {
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

async function measureAll(stack: AsyncDisposableStack, options: Options) {
  print("starting PostgreSQL and the servers, five times each");
  const stage = await setStage(stack);
  const { ours, bare, starts } = stage;
  await pause(SETTLE_MS);
  const idle = { ours: memoryOf(ours.pid), bare: memoryOf(bare.pid) };
  const works = worksOf({ ...stage, ours: ours.origin, bare: bare.origin })
    .filter(({ name }) => options.works.length === 0 || options.works.some((word) => name.startsWith(word)));
  if (works.length === 0) throw new Error(`--only=${options.works} names no work`);
  const measured = withPeaks(bare, ours, () => Array.fromAsync(works, (work) => takeTurns(work, options)));
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
    `PostgreSQL ${postgres}, medians of ${rounds} rounds of ${seconds} s in turn, ${connections} connections`,
    "memory is PSS but for RSS",
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
