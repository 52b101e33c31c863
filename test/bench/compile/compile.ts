/**
 * Measures compile time through the pool, as the server compiles, against a floor (the bare tools in one process) and
 * Vite, in turn with the same sources. Sources are never repeated, except for the row "unchanged".
 */
import { setTimeout as pause } from "node:timers/promises";
import { childEnvironment } from "../../../server/config.ts";
import type { Compiler } from "../../../server/compiler/compiler.ts";
import { createCompiler } from "../../../server/compiler/host/sandbox.ts";
import { memoryStore } from "../../once/compiler/scratch.ts";
import { print } from "../../stage/print.ts";
import { findProgram } from "../../stage/programs.ts";
import { close, compileBare } from "./compile_floor.ts";
import { measureStarts, startRows, type Starts } from "./compile_starts.ts";
import { freshSample, SAMPLE_ENGINES, type SampleEngine } from "./samples.ts";
import type { Section } from "../measure/section.ts";
import { layOut, median } from "../measure/table.ts";
import { openVite, type Vite } from "./vite.ts";

/** Unmeasured turns per engine, after which V8 has optimized the compilers. */
const WARM_UP = 40;
/** Vite takes part in a few turns of a round: it is slow, and its times vary little. */
const TURNS_A_ROUND = 20;
const VITE_TURNS_A_ROUND = 3;

const OURS = ["a word changed", "a class replaced"] as const;
const OTHERS = ["floor", "vite", "vite, bundled", "unchanged"] as const;
type Subject = (typeof OURS)[number] | (typeof OTHERS)[number];

/** Targets: at most this multiple of the floor; Vite without the runtime takes at least this multiple of ours. */
const AIMS = { floor: 1.5, vite: 3 };

export interface Summary {
  app: SampleEngine;
  subject: Subject;
  median_ms: number;
  min_ms: number;
  /** Only for our compiler: medians of the ratios within a turn. */
  ratios?: { to_floor: number; vite_to_it: number };
}

/** Pause for garbage collection caused by the subject measured before. */
const BREATH_MS = 10;

async function timed(work: () => Promise<unknown>): Promise<number> {
  await pause(BREATH_MS);
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** One time in milliseconds of each subject. */
type Turn = Partial<Record<Subject, number>>;

interface Subjects {
  /** Two compilers, because a worker caches the last stylesheet. */
  words: Compiler;
  classes: Compiler;
  vite: Vite;
}

async function takeTurn(engine: SampleEngine, { words, classes, vite }: Subjects, with_vite: boolean): Promise<Turn> {
  const compile = (compiler: Compiler, source_code: string) =>
    timed(() => compiler.compile({ engine, css_engine: "tailwind", source_code }));
  const source = freshSample(engine);
  const turn: Turn = {
    "a word changed": await compile(words, source),
    "a class replaced": await compile(classes, freshSample(engine, "classes")),
    floor: await timed(() => compileBare(engine, freshSample(engine))),
    unchanged: await compile(words, source),
  };
  if (!with_vite) return turn;
  const build = async (runtime: boolean) => (await vite.build(engine, freshSample(engine), "tailwind", { runtime })).ms;
  return { ...turn, vite: await build(false), "vite, bundled": await build(true) };
}

function summarize(app: SampleEngine, turns: readonly Turn[]): Summary[] {
  const ratio = (one: Subject, other: Subject) =>
    median(turns.flatMap((turn) => turn[one] && turn[other] ? turn[one] / turn[other] : []));
  return [...OURS, ...OTHERS].map((subject) => {
    const times = turns.flatMap((turn) => turn[subject] ?? []);
    const isOurs = OURS.some((one) => one === subject);
    return {
      app,
      subject,
      median_ms: median(times),
      min_ms: Math.min(...times),
      ...isOurs ? { ratios: { to_floor: ratio(subject, "floor"), vite_to_it: ratio("vite", subject) } } : {},
    };
  });
}

async function measure(stack: AsyncDisposableStack, rounds: number) {
  const store = memoryStore();
  const environment = childEnvironment(Deno.env.toObject());
  const open = async () => {
    const compiler = createCompiler({ vendor_store: store, environment, workers: 1 });
    stack.defer(() => compiler.close());
    await compiler.warm();
    return compiler;
  };
  stack.defer(close);
  print("opening Vite, building the runtimes");
  const vite = stack.use(await openVite());
  const subjects = { words: await open(), classes: await open(), vite };
  const turns = new Map<SampleEngine, Turn[]>(SAMPLE_ENGINES.map((engine) => [engine, []]));
  const turnsOfAll = async (turn: number) => {
    for (const engine of SAMPLE_ENGINES) {
      turns.get(engine)?.push(await takeTurn(engine, subjects, turn < VITE_TURNS_A_ROUND));
    }
  };
  for (let turn = 0; turn < WARM_UP; turn++) await turnsOfAll(turn);
  for (const list of turns.values()) list.length = 0;
  for (let round = 0; round < rounds; round++) {
    print(`compile: round ${round + 1} of ${rounds}`);
    for (let turn = 0; turn < TURNS_A_ROUND; turn++) await turnsOfAll(turn);
  }
  await Promise.all([subjects.words.close(), subjects.classes.close()]);
  const builds = SAMPLE_ENGINES.flatMap((engine) => summarize(engine, turns.get(engine) ?? []));
  return { rounds, builds, starts: await measureStarts(environment, store) };
}

function reportOf({ builds, starts }: { builds: Summary[]; starts: Starts }): string {
  const rows = builds.map(({ app, subject, median_ms, min_ms, ratios }, index) => [
    builds[index - 1]?.app === app ? "" : app,
    subject,
    median_ms.toFixed(1),
    min_ms.toFixed(1),
    ratios ? `${ratios.to_floor.toFixed(2)} ${ratios.to_floor <= AIMS.floor ? "met" : "MISSED"}` : "",
    ratios ? `${ratios.vite_to_it.toFixed(1)} ${ratios.vite_to_it >= AIMS.vite ? "met" : "MISSED"}` : "",
  ]);
  const head = ["app", "", "median ms", "min ms", `÷ floor, ≤${AIMS.floor}`, `Vite ÷ it, ≥${AIMS.vite}`];
  return [layOut([head, ...rows], 2), "", layOut(startRows(starts), 1)].join("\n");
}

export const compile = ({ rounds }: { rounds: number }): Section => ({
  name: "compile",
  missing: findProgram("node") && findProgram("npm") ? undefined : "Vite runs on Node.js: apt-get install nodejs npm",
  async measure(stack) {
    const result = await measure(stack, rounds);
    return { result, report: reportOf(result) };
  },
});
