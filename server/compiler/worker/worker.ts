/**
 * A compile worker: a process that reads requests on standard input and answers on standard output. It ends when its
 * input does, so it never outlives the server.
 */
import { cpuUsage } from "node:process";
import * as esbuild from "esbuild";
import { CompileFailure, type Engine } from "../compiler.ts";
import { ENGINE_LOADERS, RUNTIME_LOADERS } from "../engines/loaders.ts";
import { readLines } from "../../input/lines.ts";
import { type Answer, CPU_S, READY, type Request, TAKEN, type WarmUp } from "../protocol.ts";
import { prepareNextBuild } from "../tailwind/tailwind.ts";
import { build } from "./build.ts";
import { compileCode } from "./code.ts";
import { inPlainWords, LIMIT_MESSAGES } from "./limit_messages.ts";

/** Resident memory. The heap may take 256 MB; a worker that has grown beyond this is replaced. */
const RETIRE_BYTES = 220 * 1024 * 1024;

/**
 * After so long a build esbuild may hold hundreds of megabytes that it no longer needs, which cannot be measured here. So
 * its process is replaced, which takes a tenth of this time. Honest builds take a hundredth.
 */
const LONG_MS = 1000;

/** Half of the kernel's limit. The other half is for one more request, however long. */
const RETIRE_CPU_S = CPU_S / 2;

/** Lets the server read the answer first. */
const PREPARE_AFTER_MS = 2;

type Outcome =
  & (
    | Pick<Extract<Answer, { build: unknown }>, "build">
    | Pick<Extract<Answer, { built: unknown }>, "built">
    | Pick<Extract<Answer, { code: unknown }>, "code">
    | Pick<Extract<Answer, { mistakes: unknown }>, "mistakes">
    | Pick<Extract<Answer, { crash: unknown }>, "crash">
  )
  & { retire?: true };

async function perform(request: Request): Promise<Outcome> {
  try {
    if (request.job === "compile") {
      return { build: await build(request.source, request) };
    }
    if (request.job === "code") return { code: await compileCode(request.source) };
    const load = RUNTIME_LOADERS[request.name];
    if (!load) throw new Error(`${request.name} has no runtime`);
    return { built: await (await load()).buildRuntime() };
  } catch (error) {
    // Without esbuild's process this worker is useless. The server reads the cause from standard error.
    if (!await isEsbuildAlive()) Deno.exit(1);
    if (error instanceof CompileFailure) return { mistakes: error.messages.map(inPlainWords) };
    const crash = String(error);
    const message = LIMIT_MESSAGES.find(([pattern]) => pattern.test(crash))?.[1];
    // The exception may have left the compiler's caches in an inconsistent state, so the worker is replaced.
    return { retire: true, ...message ? { mistakes: [message] } : { crash } };
  }
}

const isEsbuildAlive = () => esbuild.transform("").then(() => true, () => false);

const NO_RUNTIME = { modules: {}, imports: {}, scripts: [] };

/** Loads an engine and lets V8 compile its code. The imports of the sample fail, which does not matter. */
async function warmUp(engine: Engine) {
  const { sample } = await ENGINE_LOADERS[engine]?.() ?? {};
  if (!sample) return;
  const source = { engine, css_engine: "tailwind", source_code: sample } as const;
  await build(source, { runtime: NO_RUNTIME, remote_imports: false, positions: false }).catch(() => {});
}

/** Whether the next request should go to a new worker. */
function isSpent(): boolean {
  const { user, system } = cpuUsage();
  return Deno.memoryUsage().rss > RETIRE_BYTES || (user + system) / 1e6 > RETIRE_CPU_S;
}

const encoder = new TextEncoder();

/** Writes one line. */
async function say(line: unknown) {
  let rest = encoder.encode(JSON.stringify(line) + "\n");
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}

// Standard output carries the answers, so whatever libraries print goes to standard error.
// deno-lint-ignore no-console
console.log = console.info = console.debug = console.error;

let waiting: ReturnType<typeof setTimeout> | undefined;
for await (const line of readLines(Deno.stdin.readable)) {
  clearTimeout(waiting);
  const request: WarmUp | Request = JSON.parse(line);
  if ("warm_up" in request) {
    await Promise.all([esbuild.initialize({}), warmUp(request.warm_up)]);
    await say(READY);
    continue;
  }
  await say(TAKEN);
  const begun = performance.now();
  const outcome = await perform(request);
  await say({ id: request.id, retire: isSpent(), ...outcome });
  if (performance.now() - begun > LONG_MS) {
    await esbuild.stop();
    await esbuild.initialize({});
  }
  // A failure would occur in the next build, too, and is reported there.
  waiting = setTimeout(() => void prepareNextBuild().catch(() => {}), PREPARE_AFTER_MS);
}
Deno.exit(0);
