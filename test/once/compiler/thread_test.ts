/** A host that starts no subprocesses: apps are compiled in a thread, which may do as little as a compile worker. */
import assert from "node:assert/strict";
import { CompileFailure, CompilerBusy, type Engine, ENGINES } from "../../../server/compiler/compiler.ts";
import { permissionsOfThread } from "../../../server/compiler/worker/thread_start.ts";
import { startThread } from "../../../server/subprocess/thread.ts";
import { fillSharedStore, openCompiler } from "./scratch.ts";

await fillSharedStore();

/**
 * WebAssembly is slow on a busy machine before V8 has optimized it. A thread's memory is measured by that of the whole
 * process, which grows further there, because its collections come later. The last test is about the limit.
 */
const NO_PROCESS = { deno: "/no/such/deno", time_limit_ms: 60_000, wait_ms: 60_000, heap_mb: 1024 };
/** A thread ends some time after it has been told to. */
const THREADS = { sanitizeOps: false, sanitizeResources: false };

const SOURCES: Partial<Record<Engine, string>> = {
  svelte: "<script lang='ts'>enum Of { one } let n = $state(Of.one)</script><p class='p-4'>{n}</p>",
  vue: "<script setup lang='ts'>const n: number = 1</script><template><p class='p-4'>{{ n }}</p></template>",
  react: "const n: number = 1; export default () => <p className='p-4'>{n}</p>",
  kaboom: "import kaboom from 'kaboom'; kaboom(); add([rect(24, 24)]);",
};

Deno.test(
  { name: "threads: where no subprocess starts, apps are compiled as in one, and the log says so", ...THREADS },
  async () => {
    const noted: string[] = [];
    const log = { info: (event: string) => void noted.push(event) };
    await using threads = openCompiler({
      ...NO_PROCESS,
      runaway: () => assert.fail("no thread is stopped at work"),
      log,
    });
    await using processes = openCompiler();
    for (const engine of ENGINES.filter((one) => SOURCES[one])) {
      const source = { engine, css_engine: "tailwind", source_code: SOURCES[engine] ?? "" } as const;
      const [{ code, css, imports }, other] = [await threads.compile(source), await processes.compile(source)];
      assert.deepEqual({ code, css, imports }, { code: other.code, css: other.css, imports: other.imports }, engine);
    }
    assert.deepEqual(noted.filter((event) => event === "compile_workers_are_threads"), ["compile_workers_are_threads"]);
    await assert.rejects(
      threads.compile({ engine: "svelte", css_engine: "none", source_code: "<p>{</p>" }),
      (error) => error instanceof CompileFailure && /^1:5 Unexpected token/.test(error.messages[0] ?? ""),
    );
    assert.match(await threads.code("export default ({ n }: { n: number }) => n"), /atrium_code/);
  },
);

/** A program in place of Deno. @param finds_packages whether it does that, and ends only where it should compile */
async function brokenDeno(folder: string, finds_packages: boolean): Promise<string> {
  const file = `${folder}/deno_${finds_packages}`;
  const found = finds_packages ? `case "$*" in *locate.ts*) exec "${Deno.execPath()}" "$@";; esac` : "";
  await Deno.writeTextFile(file, `#!/bin/sh\n${found}\necho "not this host" >&2\nexit 1\n`, { mode: 0o755 });
  return file;
}

Deno.test(
  { name: "threads: where a subprocess starts and ends at once, the next source is compiled in a thread", ...THREADS },
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "atrium_threads_" });
    try {
      for (const finds_packages of [false, true]) {
        const noted: string[] = [];
        await using compiler = openCompiler({
          ...NO_PROCESS,
          deno: await brokenDeno(folder, finds_packages),
          runaway: () => assert.fail("no thread is stopped at work"),
          log: { info: (event, detail) => void noted.push(`${event} ${JSON.stringify(detail)}`) },
        });
        const compile = () => compiler.svelte("<p>1</p>");
        if (finds_packages) await assert.rejects(compile, CompilerBusy);
        assert.match((await compile()).code, /1/);
        assert.match(noted.find((line) => line.startsWith("compile_workers_are_threads")) ?? "", /not this host/);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("threads: none unless the server can end with a thread that does not", async () => {
  await using compiler = openCompiler(NO_PROCESS);
  await assert.rejects(compiler.svelte("<p>1</p>"), CompilerBusy);
});

Deno.test({ name: "threads: what a thread may not reach, and its limits", ...THREADS }, async () => {
  const attempts: Record<string, string> = {
    env: "Deno.env.get('SECRET_KEYS')",
    read: "await Deno.readTextFile('/etc/passwd')",
    run: "new Deno.Command('true').outputSync()",
    net: "await Deno.connect({ port: 1 })",
    write: "await Deno.writeTextFile('/tmp/atrium_thread', '')",
  };
  const source = `onmessage = ({ ports: [port] }) => port.onmessage = async ({ data }) => {
    if (data === "grow") for (const all = [];;) all.push(new Uint8Array(8e6).fill(1)), await new Promise((r) => setTimeout(r));
    if (data === "end") throw new Error("its end");
    const attempts = {${Object.entries(attempts).map(([name, code]) => `${name}: async () => ${code}`)}};
    port.postMessage(await attempts[data]().then(() => "done", (error) => error.name));
  };`;
  const runaways: string[] = [];
  const start = () =>
    startThread({
      module: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
      permissions: permissionsOfThread(),
      memory_mb: 200,
      runaway: (reason) => void runaways.push(reason),
    });
  const thread = start();
  for (const name of Object.keys(attempts)) {
    thread.send(name);
    assert.equal(await thread.next(60_000), "NotCapable", name);
  }
  thread.send("grow");
  await assert.rejects(thread.next(60_000), { reason: "memory" });
  await thread.ended;
  const other = start();
  other.send("nothing to answer");
  other.send("end");
  await assert.rejects(other.next(60_000), { reason: "ended" });
  const last = start();
  await assert.rejects(last.next(1), { reason: "timeout" });
  assert.deepEqual(runaways, ["a thread was stopped: memory", "a thread was stopped: timeout"]);
});
