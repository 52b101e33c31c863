/**
 * Records on PostgreSQL: create, read, update, list and search in databases of several sizes among a hundred, ours and
 * the same statements from a bare handler in turn.
 */
import { print } from "../stage/print.ts";
import { findProgram } from "../stage/programs.ts";
import { HOW_TO_INSTALL, load } from "./load.ts";
import { setRecordsStage } from "./records_stage.ts";
import { type RecordsWork, recordsWorks } from "./records_works.ts";
import { type Options, takeTurns } from "./requests.ts";
import type { Section } from "./section.ts";
import { layOut, ratioTable, type Summary } from "./table.ts";

/** Milliseconds that a search may take one caller, in the largest database. */
const SEARCH_AIM_MS = 50;
const GROWTH_AIM = 1.3;

/** From the smallest database to the largest. */
interface Growth {
  kind: string;
  /** How many times as long a request takes there. */
  ours: number;
  bare: number;
  indexed: boolean;
}

export interface Sizes {
  /** How many records the measured databases have. */
  sizes: readonly number[];
}

/** `10k,100k,1m`. @throws {Error} where a word is no size */
export function readSizes(text: string): number[] {
  return text.split(",").map((word) => {
    const [, digits, unit = ""] = /^(\d+)([km]?)$/.exec(word) ?? [];
    if (digits === undefined) throw new Error(`--records=${text}: sizes are like 10k or 1m`);
    return Number(digits) * ({ k: 1_000, m: 1_000_000 }[unit] ?? 1);
  }).toSorted((a, b) => a - b);
}

interface Done {
  work: RecordsWork;
  summaries: Summary[];
  /** Of ours, one caller alone. */
  alone_ms: number;
}

async function measure(work: RecordsWork, options: Options): Promise<Done> {
  const summaries = await takeTurns(work, options);
  const { p50_ms } = await load(work.ours, { seconds: 1, connections: 1 });
  return { work, summaries, alone_ms: p50_ms };
}

function growthOf(done: readonly Done[]): Growth[] {
  return [...Map.groupBy(done, ({ work }) => work.kind)].flatMap(([kind, ofKind]) => {
    const [first, last] = [ofKind.at(0), ofKind.at(-1)];
    if (!first || !last || first === last) return [];
    const growth = (subject: number) =>
      (first.summaries[subject]?.per_second ?? NaN) / (last.summaries[subject]?.per_second ?? NaN);
    return [{ kind, ours: growth(0), bare: growth(1), indexed: first.work.indexed }];
  });
}

async function measureAll(stack: AsyncDisposableStack, options: Options & Sizes) {
  print("starting PostgreSQL and the servers");
  const stage = await setRecordsStage(stack, options.sizes);
  const { ours, bare, token, dbs, postgres_version: postgres, load_seconds } = stage;
  const works = recordsWorks({ ours: ours.origin, bare: bare.origin, token }, dbs);
  const measured = Array.fromAsync(works, (work) => measure(work, options));
  const done = await measured.catch(async (error) => {
    await Promise.all([ours.check(), bare.check()]);
    throw error;
  });
  return {
    postgres,
    options,
    load_seconds,
    works: done.flatMap(({ summaries }) => summaries),
    alone: done.map(({ work: { kind, size }, alone_ms }) => ({ kind, size, p50_ms: alone_ms })),
    growth: growthOf(done),
  };
}

function reportOf({ works, growth, alone, postgres, options }: Awaited<ReturnType<typeof measureAll>>): string {
  const { rounds, seconds, connections, sizes } = options;
  const met = (isMet: boolean, aim: string) => `${aim} ${isMet ? "met" : "MISSED"}`;
  const grown = growth.map(({ kind, ours, bare, indexed }) => [
    kind,
    ours.toFixed(2),
    bare.toFixed(2),
    indexed ? met(ours <= GROWTH_AIM, `≤${GROWTH_AIM}`) : "",
  ]);
  const largest = Math.max(...sizes);
  const waits = alone.map(({ kind, size, p50_ms }) => [
    `${kind}, ${size}`,
    p50_ms.toFixed(1),
    kind.startsWith("q") && size === largest ? met(p50_ms < SEARCH_AIM_MS, `<${SEARCH_AIM_MS}`) : "",
  ]);
  return [
    ratioTable(works),
    "",
    layOut([[`time, ${sizes[0]} → ${largest} records`, "ours ×", "bare ×", "aim"], ...grown], 1),
    "",
    layOut([["one caller alone", "p50 ms", "aim"], ...waits], 1),
    "",
    `PostgreSQL ${postgres}, medians of ${rounds} rounds of ${seconds} s in turn, ${connections} connections`,
  ].join("\n");
}

export const records = (options: Options & Sizes): Section => ({
  name: "records",
  missing: findProgram("wrk") ? undefined : HOW_TO_INSTALL,
  async measure(stack) {
    const result = await measureAll(stack, options);
    return { result, report: reportOf(result) };
  },
});
