/**
 * A compile worker: a process of its own that reads requests on standard input and answers on standard output. It
 * ends when its input does, so it never outlives the server.
 */
import { cpuUsage } from "node:process";
import * as esbuild from "esbuild";
import { build } from "./build.ts";
import { CompileFailure, type Engine } from "../compiler.ts";
import { ENGINE_LOADERS, RUNTIME_LOADERS } from "../engines/loaders.ts";
import { readLines } from "../lines.ts";
import { createPauses, once } from "./idle.ts";
import { type Answer, CPU_S, READY, type Request, TAKEN } from "../protocol.ts";

/** Of the 256 MB that the heap may take: beyond it an idle worker would hold more than it is worth. */
const RETIRE_BYTES = 220 * 1024 * 1024;

/**
 * A build of so long may leave esbuild with hundreds of megabytes that it no longer needs, and nobody here can see how
 * much. Honest builds take a hundredth; a new process of it, a tenth.
 */
const LONG_MS = 1000;

/** Half of what the kernel lets it take: the other half is for one more request, however long. */
const RETIRE_CPU_S = CPU_S / 2;

/** How engines say that a source is beyond what they can hold: in errors of their own, or inside an author's mistake. */
const BEYOND: readonly [RegExp, string][] = [
  [
    /(?:Error parsing JavaScript expression: )?Maximum call stack size exceeded|Not enough stack space to parse input|nesting depth exceeds .*/,
    "is nested too deeply to compile",
  ],
  [
    /Invalid (?:string|array) length|(?:Map|Set) maximum size exceeded|allocation failed/,
    "compile needs too much memory",
  ],
];

type Outcome =
  & (
    | Pick<Extract<Answer, { build: unknown }>, "build">
    | Pick<Extract<Answer, { built: unknown }>, "built">
    | Pick<Extract<Answer, { mistakes: unknown }>, "mistakes">
    | Pick<Extract<Answer, { crash: unknown }>, "crash">
  )
  & { retire?: true };

async function perform(request: Request): Promise<Outcome> {
  try {
    if (request.job === "compile") {
      const { source, runtime, remote_imports } = request;
      return { build: await build(source, runtime, remote_imports) };
    }
    const load = RUNTIME_LOADERS[request.name];
    if (!load) throw new Error(`${request.name} has no runtime`);
    return { built: await (await load()).buildRuntime() };
  } catch (error) {
    // For ever: it does not start another. Who asked for this finds its last words on standard error.
    if (!await esbuildLives()) Deno.exit(1);
    if (error instanceof CompileFailure) return { mistakes: error.messages.map(inPlainWords) };
    const crash = String(error);
    const words = BEYOND.find(([pattern]) => pattern.test(crash))?.[1];
    // An exception in the middle of a compiler may leave what it keeps between sources half changed.
    return { retire: true, ...words ? { mistakes: [words] } : { crash } };
  }
}

const esbuildLives = () => esbuild.transform("").then(() => true, () => false);

const inPlainWords = (mistake: string) =>
  BEYOND.reduce((text, [pattern, words]) => text.replace(pattern, words), mistake);

const NO_RUNTIME = { modules: {}, imports: {}, scripts: [] };

/**
 * The compiler's code paths are compiled themselves when they first run: better now than in somebody's first app. That
 * what the sample imports is not there is all that comes of it.
 */
async function warmUp(engine: Engine) {
  const file = await ENGINE_LOADERS[engine]?.();
  if (!file) return;
  await build({ engine, css_engine: "tailwind", source_code: file.sample }, NO_RUNTIME, false).catch(() => {});
}

/** Garbage, and code that V8 can make again; the next compile takes twice its time for it. */
function shrink() {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc === "function") gc({ type: "major", execution: "sync", flavor: "last-resort" });
}

const pauses = createPauses([
  // Half a second is what the first app of an engine would take longer.
  { after_ms: 500, work: once(() => warmUp("vue")) },
  { after_ms: 600, work: once(() => warmUp("react")) },
  { after_ms: 30_000, work: shrink },
]);

function isSpent(): boolean {
  const { user, system } = cpuUsage();
  return Deno.memoryUsage().rss > RETIRE_BYTES || (user + system) / 1e6 > RETIRE_CPU_S;
}

const encoder = new TextEncoder();

async function say(line: unknown) {
  let rest = encoder.encode(JSON.stringify(line) + "\n");
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}

// Standard output is the wire: what a library prints goes elsewhere.
// deno-lint-ignore no-console
console.log = console.info = console.debug = console.error;

await warmUp("svelte");
await say(READY);
pauses.begin();
for await (const line of readLines(Deno.stdin.readable)) {
  pauses.end();
  const request: Request = JSON.parse(line);
  await say(TAKEN);
  const begun = performance.now();
  const outcome = await perform(request);
  await say({ id: request.id, retire: isSpent(), ...outcome });
  if (performance.now() - begun > LONG_MS) {
    await esbuild.stop();
    await esbuild.initialize({});
  }
  pauses.begin();
}
Deno.exit(0);
