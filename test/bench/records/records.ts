/**
 * Records on PostgreSQL: create, read, update, list and search in databases of several sizes among a hundred. Ours takes
 * turns with a bare handler that sends the same statements; a create also with one on a table of its own. All sizes take
 * turns in the same rounds, so that their ratio (growth) is that of neighbours.
 */
import { print } from "../../stage/print.ts";
import { findProgram } from "../../stage/programs.ts";
import { HOW_TO_INSTALL, load } from "../measure/load.ts";
import { setRecordsStage } from "./records_stage.ts";
import { type RecordsWork, recordsWorks } from "./records_works.ts";
import { type Options, ordersOf, summariesOf } from "../requests/requests.ts";
import { checkSameAnswers } from "../requests/same_answers.ts";
import type { Section } from "../measure/section.ts";
import { layOut, median, ratioTable, type Summary } from "../measure/table.ts";
import { inTurn } from "../measure/turns.ts";

/** Milliseconds that a search may take one caller, in the largest database. */
const SEARCH_AIM_MS = 50;
const GROWTH_AIM = 1.3;

/** Time per request in the largest database, as a multiple of that in the smallest: median, minimum, maximum. */
interface Growth {
  kind: string;
  ours: [number, number, number];
  bare: [number, number, number];
  indexed: boolean;
}

export interface Sizes {
  /** How many records the measured databases have, the smallest first. */
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
  summaries: Summary[];
  growth: Growth | undefined;
  /** p50 of ours with one caller, by size. */
  alone: { kind: string; records: number; p50_ms: number }[];
}

async function measureKind({ kind, indexed, sizes }: RecordsWork, options: Options): Promise<Done> {
  for (const work of sizes) await checkSameAnswers(work);
  const loads = await inTurn(kind, sizes.flatMap(ordersOf), options);
  const bySize = sizes.map((work) => loads.splice(0, ordersOf(work).length));
  const alone: Done["alone"] = [];
  for (const { ours, records } of sizes) {
    const { p50_ms } = await load(ours, { seconds: 1, connections: 1 });
    alone.push({ kind, records, p50_ms });
  }
  const [first, last] = [bySize.at(0), bySize.at(-1)];
  const growth = (subject: number): [number, number, number] => {
    const ratios =
      first?.[subject]?.map(({ per_second }, round) => per_second / (last?.[subject]?.[round]?.per_second ?? NaN)) ??
        [];
    return [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  };
  return {
    summaries: sizes.flatMap((work, i) => summariesOf(work, bySize[i] ?? [])),
    growth: sizes.length > 1 ? { kind, ours: growth(0), bare: growth(1), indexed } : undefined,
    alone,
  };
}

async function measureAll(stack: AsyncDisposableStack, options: Options & Sizes) {
  print("starting PostgreSQL and the servers");
  const stage = await setRecordsStage(stack, options.sizes);
  const { ours, bare, dbs, postgres_version: postgres, load_seconds } = stage;
  const works = recordsWorks(stage, dbs)
    .filter(({ kind }) => options.works.length === 0 || options.works.some((word) => kind.startsWith(word)));
  const done = await Array.fromAsync(works, (work) => measureKind(work, options)).catch(async (error) => {
    await Promise.all([ours.check(), bare.check()]);
    throw error;
  });
  return {
    postgres,
    options,
    load_seconds,
    works: done.flatMap(({ summaries }) => summaries),
    alone: done.flatMap(({ alone }) => alone),
    growth: done.flatMap(({ growth }) => growth ?? []),
  };
}

function reportOf({ works, growth, alone, postgres, options }: Awaited<ReturnType<typeof measureAll>>): string {
  const { rounds, seconds, connections, sizes } = options;
  const met = (isMet: boolean, aim: string) => `${aim} ${isMet ? "met" : "MISSED"}`;
  const largest = Math.max(...sizes);
  const grown = growth.map(({ kind, ours, bare, indexed }) => [
    kind,
    ...[...ours, ...bare].map((factor) => factor.toFixed(2)),
    indexed ? met(ours[0] <= GROWTH_AIM, `≤${GROWTH_AIM}`) : "",
  ]);
  const waits = alone.map(({ kind, records, p50_ms }) => [
    `${kind}, ${records}`,
    p50_ms.toFixed(1),
    kind.startsWith("q") && records === largest ? met(p50_ms < SEARCH_AIM_MS, `<${SEARCH_AIM_MS}`) : "",
  ]);
  const head = [`time, ${sizes[0]} → ${largest} records`, "ours ×", "min", "max", "bare ×", "min", "max", "aim"];
  return [
    ratioTable(works),
    ...grown.length > 0 ? ["", layOut([head, ...grown], 1)] : [],
    "",
    layOut([["one caller alone", "p50 ms", "aim"], ...waits], 1),
    "",
    `PostgreSQL ${postgres}, medians of ${rounds} rounds of ${seconds} s in alternating order, ${connections} connections`,
    "CPU: the server's main thread, per request",
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
