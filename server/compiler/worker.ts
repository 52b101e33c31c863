/**
 * A compile worker: a process of its own that reads requests on standard input and answers on standard output. It
 * ends when its input does, so it never outlives the server.
 */
import { build } from "./build.ts";
import { bundleApp, bundleStyles } from "./bundle.ts";
import { CompileFailure } from "./compiler.ts";
import { RUNTIME_FILES } from "./engine.ts";
import { readLines } from "./lines.ts";
import { type Answer, READY, type Request } from "./protocol.ts";
import { buildTailwind } from "./tailwind.ts";

/** Of the 256 MB that the heap may take: beyond it an idle worker would hold more than it is worth. */
const RETIRE_BYTES = 220 * 1024 * 1024;

type Outcome =
  | Pick<Extract<Answer, { build: unknown }>, "build">
  | Pick<Extract<Answer, { built: unknown }>, "built">
  | Pick<Extract<Answer, { mistakes: unknown }>, "mistakes">
  | Pick<Extract<Answer, { crash: unknown }>, "crash">;

async function perform(request: Request): Promise<Outcome> {
  try {
    if (request.job === "compile") {
      const { source, runtime, remote_imports } = request;
      return { build: await build(source, runtime, remote_imports) };
    }
    const load = RUNTIME_FILES[request.name];
    if (!load) throw new Error(`${request.name} has no runtime`);
    return { built: await (await load()).buildRuntime() };
  } catch (error) {
    if (error instanceof CompileFailure) return { mistakes: error.messages };
    return { crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** The compiler's code paths are compiled themselves when they first run: better now than in somebody's first app. */
async function warmUp() {
  const { compile, sample } = await import("./svelte.ts");
  const compiled = compile(sample);
  await bundleStyles(sample, await buildTailwind(sample, compiled.css));
  const runtime = { modules: {}, imports: {}, scripts: [] };
  await bundleApp(sample, { ...compiled, code: "alert(1)" }, { runtime, remote_imports: false });
}

const encoder = new TextEncoder();

async function say(line: unknown) {
  let rest = encoder.encode(JSON.stringify(line) + "\n");
  // deno-lint-ignore no-await-in-loop -- a pipe takes what it can
  while (rest.length > 0) rest = rest.subarray(await Deno.stdout.write(rest));
}

// Standard output is the wire: what a library prints goes elsewhere.
// deno-lint-ignore no-console
console.log = console.info = console.debug = console.error;

await warmUp();
await say(READY);
for await (const line of readLines(Deno.stdin.readable)) {
  const request: Request = JSON.parse(line);
  const outcome = await perform(request);
  await say({ id: request.id, retire: Deno.memoryUsage().rss > RETIRE_BYTES, ...outcome });
}
Deno.exit(0);
