/** Measures how long the first app of each engine takes after a start. */
import { createCompiler } from "../../../server/compiler/host/sandbox.ts";
import type { VendorStore } from "../../../server/compiler/host/vendor.ts";
import { memoryStore } from "../../once/compiler/scratch.ts";
import { print } from "../../stage/print.ts";
import { freshSample, SAMPLE_ENGINES, type SampleEngine } from "./samples.ts";

type Times = Partial<Record<SampleEngine, number>>;

/** Milliseconds. */
export interface Starts {
  /** Duration of `warm` where the store has the runtimes. */
  warm: number;
  /** First app of each engine after that. */
  first: Times;
  /** Second app of each engine. */
  second: Times;
  /** First app of each engine on a new store, without `warm`: a worker has to start. */
  first_ever: Times;
}

export async function measureStarts(environment: Readonly<Record<string, string>>, store: VendorStore) {
  print("compile: starts");
  const open = async (vendor_store: VendorStore) => {
    const compiler = createCompiler({ vendor_store, environment, workers: 2 });
    const began = performance.now();
    await compiler.warm();
    return { compiler, warm: performance.now() - began };
  };
  const { compiler, warm } = await open(store);
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
    const fresh = createCompiler({ vendor_store: memoryStore(), environment });
    await first(starts.first_ever, engine, fresh);
    await fresh.close();
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
    row("first app of a fresh server, no worker started", times.first_ever),
  ];
}
