/**
 * `deno task bench [--only=records,create] [--seconds=3] [--rounds=5] [--connections=32] [--records=10k,100k]`
 *
 * | section | what it measures | beside |
 * |---|---|---|
 * | requests | requests on departments, and an app's page; memory; time to the first answer | a bare handler, same SQL |
 * | records | requests on records in databases of several sizes (`--records`); growth | the same; a plain table |
 * | compile | building an app after a change, and after a start | esbuild and its plugins alone; Vite |
 * | weight | the bytes that a page with an app loads | Vite's production build |
 * | containment | the latency of other requests while hostile sources are compiled | a quiet server |
 * | flows | runs per second of a flow that an action starts | two commits and the flow's HTTP call |
 * | events | what waiting runs cost; how long changes of records take until their flow begins (`--events=30` s) | |
 * | console | bytes, first paint, key to paint, previews and memory of the console in Chromium | the design's budgets |
 * | grid | how long rows of the console's grid are blank, of a million records (`--rows`), on both databases | 100 ms |
 * | package | the bytes of the npm package in a bundle; the time in which `tsc` checks its types | 2 KB; an empty program |
 * | cold | a hosted instance that a request starts: first answer, memory, first compile | an empty `Deno.serve` |
 * | crons | triggers that are due in the same minute (`--triggers`), with one and three processes | |
 *
 * Only ratios count: one machine has other figures every hour. So subjects take turns, and every other round reverses
 * their order. Tables show medians with the minimum and maximum of the rounds. `--only` names sections, or the beginnings
 * of the names of works in the sections `requests` and `records` (`--only=list,read` means those of `requests`).
 * `--records=10k,1m` shows growth best, and loads for minutes. `--uses=20` is how often the console is used from end to
 * end before its memory is read; an hour of a person who acts every five seconds. `--at=postgres://…,/folder` names the
 * databases of the section `grid`, PostgreSQL's and embedded ones, which are filled once and kept. Results also go to bench/last.json, section by section.
 */
import { fileURLToPath } from "node:url";
import { print } from "../stage/print.ts";
import { compile } from "./compile/compile.ts";
import { cold } from "./cold.ts";
import { consoleSection } from "./console/console.ts";
import { containment } from "./compile/containment.ts";
import { crons } from "./crons.ts";
import { describeMachine, watchForeignLoad } from "./measure/machine.ts";
import { events } from "./flows/events.ts";
import { flows } from "./flows/flows.ts";
import { grid } from "./console/grid.ts";
import { packageSection } from "./package/package.ts";
import { readOptions, usageOf } from "./options.ts";
import { readSizes, records } from "./records/records.ts";
import { requests } from "./requests/requests.ts";
import type { Section } from "./measure/section.ts";
import { weight } from "./compile/weight.ts";

const NAMES = [
  "requests",
  "records",
  "compile",
  "weight",
  "containment",
  "flows",
  "events",
  "crons",
  "cold",
  "console",
  "grid",
  "package",
];
function readArguments() {
  try {
    const options = readOptions(Deno.args);
    if (!options.help) return options;
    print(usageOf(NAMES));
    Deno.exit(0);
  } catch (error) {
    print(`${error instanceof Error ? error.message : error}\n\n${usageOf(NAMES)}`);
    Deno.exit(2);
  }
}
const options = readArguments();
const { only, seconds, rounds, connections } = options;
const works = only.filter((word) => !NAMES.includes(word));
const named = only.length === 0 ? NAMES : only.length === works.length ? ["requests"] : only;
const all: Section[] = [
  requests({ seconds, rounds, connections, works }),
  records({ seconds, rounds, connections, works, sizes: readSizes(options.records) }),
  compile({ rounds }),
  weight(),
  containment({ seconds, rounds, connections }),
  crons({ rounds, triggers: options.triggers }),
  cold({ rounds }),
  flows({ seconds, rounds, connections }),
  events({ seconds: options.events }),
  consoleSection({ rounds, uses: options.uses }),
  grid({
    rows: readSizes(options.rows)[0] ?? 1_000_000,
    seconds: 60,
    jumps: 20,
    places: options.at.split(",").filter(Boolean),
  }),
  packageSection({ rounds }),
];
const sections = all.filter(({ name }) => named.includes(name));

const folder = fileURLToPath(new URL("../../bench", import.meta.url));

async function lastResults(): Promise<Record<string, unknown>> {
  const last = await Deno.readTextFile(`${folder}/last.json`).catch(() => "{}");
  const { sections }: { sections?: Record<string, unknown> } = JSON.parse(last);
  return sections ?? {};
}

async function run({ name, measure }: Section, stack: AsyncDisposableStack) {
  const foreignLoad = watchForeignLoad();
  // Each section ends what it starts, so that it does not disturb the next one.
  await using own = stack.use(new AsyncDisposableStack());
  const { result, report } = await measure(own);
  const foreign_load = foreignLoad();
  const percent = (foreign_load * 100).toFixed(0);
  print(`\n${name}\n\n${report}`);
  print(`others used ${percent} % of the machine${foreign_load > 0.1 ? ": too much, measure again" : ""}\n`);
  return [name, { at: new Date().toISOString(), foreign_load, ...Object(result) }] as const;
}

const missing = sections.flatMap(({ missing }) => missing ?? []);
if (missing.length > 0) {
  print(missing.join("\n"));
  Deno.exit(2);
}
const stack = new AsyncDisposableStack();
const whole = Promise.withResolvers<void>();
/** Runs once: a second caller (a signal, or the end of the bench) waits for the first. */
const clearUp = () => {
  if (!stack.disposed) whole.resolve(stack.disposeAsync());
  return whole.promise;
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => void clearUp().finally(() => Deno.exit(1)));
}
try {
  const machine = describeMachine();
  const results = await Array.fromAsync(sections, (section) => run(section, stack));
  print(`${machine.cpu}, ${machine.cores} cores, Deno ${machine.deno}`);
  const kept = { ...await lastResults(), ...Object.fromEntries(results) };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/last.json`, `${JSON.stringify({ machine, sections: kept }, null, 2)}\n`);
} finally {
  await clearUp();
}
Deno.exit(0);
