/** What compile workers do, in a process or in a thread: they read requests and answer them, one after the other. */
import { CompileFailure, type Engine } from "../compiler.ts";
import { begin, stop, transform } from "../bundle/esbuild.ts";
import { ENGINE_LOADERS, RUNTIME_LOADERS } from "../engines/loaders.ts";
import { type Answer, READY, type Request, TAKEN, type WarmUp } from "../protocol.ts";
import { prepareNextBuild } from "../tailwind/tailwind.ts";
import { build } from "./build.ts";
import { compileCode } from "./code.ts";
import { inPlainWords, LIMIT_MESSAGES } from "./limit_messages.ts";

/**
 * After so long a build esbuild may hold hundreds of megabytes that it no longer needs, which cannot be measured here. So
 * its process is replaced, which takes a tenth of this time. Honest builds take a hundredth.
 */
const LONG_MS = 1000;

/** Lets the server read the answer first. */
const PREPARE_AFTER_MS = 2;

/** The other side of a compile worker. */
export interface Line {
  /** Lines with a request each. */
  requests: AsyncIterable<string>;
  /** Writes a line. */
  say(line: string): Promise<void>;
  /** Whether the next request should go to a new worker. */
  isSpent(): boolean;
  /** Ends a worker without an answer. */
  end(): void;
}

type Outcome =
  & (
    | Pick<Extract<Answer, { build: unknown }>, "build">
    | Pick<Extract<Answer, { built: unknown }>, "built">
    | Pick<Extract<Answer, { code: unknown }>, "code">
    | Pick<Extract<Answer, { mistakes: unknown }>, "mistakes">
    | Pick<Extract<Answer, { crash: unknown }>, "crash">
  )
  & { retire?: true };

async function perform(request: Request, end: () => void): Promise<Outcome> {
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
    if (!await isEsbuildAlive()) end();
    if (error instanceof CompileFailure) return { mistakes: error.messages.map(inPlainWords) };
    const crash = String(error);
    const message = LIMIT_MESSAGES.find(([pattern]) => pattern.test(crash))?.[1];
    // The exception may have left the compiler's caches in an inconsistent state, so the worker is replaced.
    return { retire: true, ...message ? { mistakes: [message] } : { crash } };
  }
}

const isEsbuildAlive = () => transform("").then(() => true, () => false);

const NO_RUNTIME = { modules: {}, imports: {}, scripts: [] };

/** Loads an engine and lets V8 compile its code. The imports of the sample fail, which does not matter. */
async function warmUp(engine: Engine) {
  const [{ sample } = {}] = await Promise.all([ENGINE_LOADERS[engine]?.(), begin()]);
  if (!sample) return;
  const source = { engine, css_engine: "tailwind", source_code: sample } as const;
  await build(source, { runtime: NO_RUNTIME, remote_imports: false, positions: false }).catch(() => {});
}

/** Resolves when there are no more requests. */
export async function answerRequests({ requests, say, isSpent, end }: Line): Promise<void> {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  for await (const line of requests) {
    clearTimeout(waiting);
    const request: WarmUp | Request = JSON.parse(line);
    if ("warm_up" in request) {
      await warmUp(request.warm_up);
      await say(JSON.stringify(READY));
      continue;
    }
    await say(JSON.stringify(TAKEN));
    const begun = performance.now();
    const outcome = await perform(request, end);
    await say(JSON.stringify({ id: request.id, retire: isSpent(), ...outcome }));
    if (performance.now() - begun > LONG_MS) {
      await stop();
      await begin();
    }
    // A failure would occur in the next build, too, and is reported there.
    waiting = setTimeout(() => void prepareNextBuild().catch(() => {}), PREPARE_AFTER_MS);
  }
}
