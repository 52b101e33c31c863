/** How long the first app of each engine waits after a start. */
import { setTimeout as pause } from "node:timers/promises";
import { createCompiler } from "../../server/compiler/host/sandbox.ts";
import type { VendorStore } from "../../server/compiler/host/vendor.ts";
import { memoryStore } from "../once/compiler/scratch.ts";
import { print } from "../stage/print.ts";
import { freshSample, SAMPLE_ENGINES, type SampleEngine } from "./samples.ts";

type Times = Partial<Record<SampleEngine, number>>;

/** Milliseconds. */
export interface Starts {
  /** Until `warm` has done what it waits for, with the runtimes there. */
  warm: number;
  /** Then the first app of each. */
  first: Times;
  /** Of the second app of each. */
  second: Times;
  /** Where a data folder is new, right behind `warm`: each engine on a folder of its own. */
  first_ever: Times;
}

/** Where a worker that has nothing to do has tried everything. */
const SETTLE_MS = 3000;

export async function measureStarts(environment: Readonly<Record<string, string>>, store: VendorStore) {
  print("compile: starts");
  const open = async (vendor_store: VendorStore) => {
    const compiler = createCompiler({ vendor_store, environment, workers: 2 });
    const began = performance.now();
    await compiler.warm();
    return { compiler, warm: performance.now() - began };
  };
  const { compiler, warm } = await open(store);
  await pause(SETTLE_MS);
  const starts: Starts = { warm, first: {}, second: {}, first_ever: {} };
  const first = async (into: Times, engine: SampleEngine, { compile }: typeof compiler) => {
    const began = performance.now();
    await compile({ engine, css_engine: "tailwind", source_code: freshSample(engine) });
    into[engine] = performance.now() - began;
  };
  for (const engine of SAMPLE_ENGINES) {
    await first(starts.first, engine, compiler);
    await first(starts.second, engine, compiler);
  }
  await compiler.close();
  for (const engine of SAMPLE_ENGINES) {
    const fresh = await open(memoryStore());
    await first(starts.first_ever, engine, fresh.compiler);
    await fresh.compiler.close();
  }
  return starts;
}

export function startRows({ warm, ...times }: Starts): string[][] {
  const row = (
    name: string,
    times: Times,
  ) => [name, ...SAMPLE_ENGINES.map((engine) => times[engine]?.toFixed(0) ?? "")];
  return [
    ["ms", ...SAMPLE_ENGINES],
    row(`first app after a start (warm after ${warm.toFixed(0)} ms)`, times.first),
    row("second app", times.second),
    row("first app ever, its runtime not built yet", times.first_ever),
  ];
}
