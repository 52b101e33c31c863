import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CompileFailure, CompilerBusy, type Source } from "../../../server/compiler/compiler.ts";
import { isGone, signal } from "./groups.ts";
import { HANGS } from "./hostile.ts";
import { apartStore, fillSharedStore, type Logged, memoryStore, openCompiler, sharedStore } from "./scratch.ts";
import { until } from "../../stage/until.ts";

await fillSharedStore();

const failureOf = (building: Promise<unknown>): Promise<unknown> =>
  building.then(() => "it compiles", (error) => error);

const app = (text: string) => `<p>${text}</p>`;
const svelte = (source_code: string): Source => ({ engine: "svelte", css_engine: "none", source_code });
const lost = ({ logged }: { logged: Logged[] }) => logged.filter(({ event }) => event === "compile_worker_lost").length;

Deno.test("pool: a source that hangs the compiler is a failure, and the next one compiles", async () => {
  await using compiler = openCompiler({ time_limit_ms: 1000 });
  await compiler.warm();
  const failure = await failureOf(compiler.svelte(HANGS));
  assert.ok(failure instanceof CompileFailure);
  assert.deepEqual(failure.messages, ["compile timed out"]);
  assert.ok((await compiler.svelte(app("next"))).code.includes("next"));
  assert.equal(compiler.workers().length, 2);
  assert.ok(await isGone(compiler.workers()[0]));
});

Deno.test("pool: a source that needs too much memory is a failure, and the next one compiles", async () => {
  await using compiler = openCompiler({ time_limit_ms: 60_000, heap_mb: 90 });
  const failure = await failureOf(compiler.svelte(HANGS));
  assert.ok(failure instanceof CompileFailure, String(failure));
  assert.deepEqual(failure.messages, ["compile needs too much memory"]);
  assert.ok((await compiler.svelte(app("next"))).code.includes("next"));
});

Deno.test("pool: a full queue refuses with Retry-After", async () => {
  await using compiler = openCompiler({ queue_limit: 4 });
  await compiler.warm();
  const [worker] = compiler.workers();
  signal(worker, "SIGSTOP");
  const building = ["a", "b", "c", "d"].map((text) => failureOf(compiler.svelte(app(text))));
  // While the worker is stopped only a refusal can settle.
  const busy = await Promise.race(building);
  assert.ok(busy instanceof CompilerBusy);
  assert.ok(Number.isInteger(busy.retry_after) && busy.retry_after >= 1);
  signal(worker, "SIGCONT");
  const others = (await Promise.all(building)).filter((outcome) => outcome !== busy);
  assert.deepEqual(others, ["it compiles", "it compiles", "it compiles"]);
});

Deno.test("pool: a source that no worker takes in time is refused with Retry-After, and leaves the queue", async () => {
  await using compiler = openCompiler({ wait_ms: 50, time_limit_ms: 60_000, further_worker_after_ms: 3_600_000 });
  await compiler.warm();
  // Reads the runtime, which may take longer on a busy machine. Once it is there, a source reaches the worker at once.
  await until(async () => await failureOf(compiler.svelte(app("z"))) === "it compiles", "it compiles");
  const worker = compiler.workers().at(-1);
  signal(worker, "SIGSTOP");
  const building = ["a", "b", "c"].map((text) => failureOf(compiler.svelte(app(text))));
  // Whichever of them is hashed first is sent to the worker, which cannot answer; the other two wait.
  const refused: unknown[] = [];
  for (const outcome of building) void outcome.then((busy) => refused.push(busy));
  await until(() => refused.length >= 2, "two are refused");
  for (const busy of refused) {
    assert.ok(busy instanceof CompilerBusy, String(busy));
    assert.ok(Number.isInteger(busy.retry_after) && busy.retry_after >= 1);
  }
  signal(worker, "SIGCONT");
  const compiled = (await Promise.all(building)).filter((outcome) => outcome === "it compiles");
  assert.equal(compiled.length, 1, "a worker has one");
});

Deno.test("pool: a source whose runtime is still being built is refused in time, and compiles later", async () => {
  const store = sharedStore();
  const { get } = store;
  const building = Promise.withResolvers<void>();
  store.get = async (file) => {
    await building.promise;
    return await get(file);
  };
  await using compiler = openCompiler({ wait_ms: 50, vendor_store: store });
  assert.ok(await failureOf(compiler.svelte(app("a"))) instanceof CompilerBusy);
  building.resolve();
  await until(async () => await failureOf(compiler.svelte(app("a"))) === "it compiles", "it compiles");
});

Deno.test("pool: one account never holds all workers", async () => {
  await using compiler = openCompiler({ workers: 2, further_worker_after_ms: 0, time_limit_ms: 600_000 });
  await compiler.warm();
  signal(compiler.workers()[0], "SIGSTOP");
  const held = ["a", "b", "c"].map((text) => compiler.compile(svelte(app(text)), 1));
  const reachPool = () => compiler.load().busy === 1 && compiler.load().waiting === 2;
  await until(reachPool, "the stopped worker has one source, and two wait");
  // The second worker is for other accounts.
  assert.match((await compiler.compile(svelte(app("other")), 2)).code, /other/);
  const second = await Promise.race([...held, compiler.compile(svelte(app("another")), 3)]);
  assert.match(second.code, /another/);
  signal(compiler.workers()[0], "SIGCONT");
  assert.equal((await Promise.all(held)).length, 3);
});

Deno.test("pool: a source that timed out is refused for a while without another attempt", async () => {
  await using compiler = openCompiler({ time_limit_ms: 1000, refused_ms: 3_600_000 });
  await compiler.warm();
  for (const message of [/^compile timed out$/, /^compile timed out; try again in 3\d\d\d s$/]) {
    const failure = await failureOf(compiler.svelte(HANGS));
    assert.ok(failure instanceof CompileFailure);
    assert.match(failure.messages.join(), message);
    assert.equal(lost(compiler), 1);
  }
});

Deno.test("pool: an unchanged source is compiled once, for the same engines", async () => {
  await using compiler = openCompiler();
  const [first, same] = await Promise.all([compiler.svelte(app("a")), compiler.svelte(app("a"))]);
  assert.equal(first, same);
  assert.equal(await compiler.svelte(app("a")), first);
  assert.notEqual(await compiler.svelte(app("b")), first);
  assert.notEqual(await compiler.svelte(app("a"), "tailwind"), first);
});

Deno.test("pool: js and html are served unchanged, and html needs no worker", async () => {
  await using compiler = openCompiler();
  const source_code = "const a = '<script>';";
  for (const engine of ["html", "js"] as const) {
    const { config, ...build } = await compiler.compile({ engine, css_engine: "tailwind", source_code });
    const nothing = { css: "", imports: [], scripts: [], app_build_time: 0, css_build_time: 0, asks: false };
    assert.deepEqual(build, { code: source_code, ...nothing });
    assert.equal(config.size.raw, source_code.length);
    assert.ok(config.size.brotli > 0);
    assert.match(config.source_hash, /^[0-9a-f]{64}$/);
    assert.equal(compiler.workers().length, engine === "js" ? 1 : 0);
  }
});

Deno.test("pool: a closed compiler refuses sources, and leaves no process", async () => {
  const compiler = openCompiler();
  await compiler.warm();
  const waiting = failureOf(compiler.svelte(HANGS));
  await compiler.close();
  assert.ok(await waiting instanceof Error);
  assert.ok(await failureOf(compiler.svelte(app("late"))) instanceof Error);
  assert.ok((await Promise.all(compiler.workers().map((pid) => isGone(pid)))).every(Boolean));
});

Deno.test("vendor: a runtime is built once for all processes, and its files are compressed", async () => {
  const store = memoryStore();
  {
    await using first = openCompiler({ vendor_store: store });
    await first.svelte(app("a"));
  }
  const names = [...store.files.keys()];
  const put = store.put;
  store.put = (file, content) => {
    assert.fail(`${file} was built again`);
    return put(file, content);
  };
  await using second = openCompiler({ vendor_store: store });
  const { imports } = await second.svelte(app("b"));
  for (const name of names.filter((name) => name.endsWith(".js"))) {
    const file = await second.vendor(name);
    assert.ok(file);
    assert.deepEqual(new Uint8Array(brotliDecompressSync(file.brotli)), file.body);
    assert.deepEqual(new Uint8Array(gunzipSync(file.gzip)), file.body);
    assert.match(file.content_type, /^text\/javascript/);
  }
  assert.ok(imports.every((path) => store.files.has(path.slice("/vendor/".length))));
});

Deno.test("vendor: other files are not served", async () => {
  const store = apartStore();
  await using compiler = openCompiler({ vendor_store: store });
  await compiler.svelte(app("a"));
  const manifest = [...store.files.keys()].find((name) => name.endsWith(".json")) ?? "";
  assert.ok(manifest);
  for (const name of ["nothing.js", manifest, "../x.js", ""]) {
    assert.equal(await compiler.vendor(name), undefined, name);
  }
});

Deno.test("pool: a worker without work is ended, with its esbuild, and the next source gets another", async () => {
  await using compiler = openCompiler({ idle_ms: 100 });
  await compiler.svelte(app("one"));
  assert.ok(await isGone(compiler.workers()[0]));
  assert.ok((await compiler.svelte(app("two"))).code.includes("two"));
  assert.equal(compiler.workers().length, 2);
  assert.deepEqual(compiler.logged.filter(({ event }) => event === "compile_worker_lost"), []);
});

Deno.test("pool: a second worker starts only for sources that have waited", async () => {
  {
    await using patient = openCompiler({ workers: 2, further_worker_after_ms: 3_600_000 });
    await patient.warm();
    await Promise.all(["a", "b", "c"].map((text) => patient.svelte(app(text))));
    assert.equal(patient.workers().length, 1);
  }
  await using compiler = openCompiler({ workers: 2, further_worker_after_ms: 100 });
  await compiler.warm();
  signal(compiler.workers()[0], "SIGSTOP");
  // Of two accounts: one account does not get both workers.
  const [first, second] = ["d", "e"].map((text, account) => compiler.compile(svelte(app(text)), account));
  // The first waits for the stopped worker; another worker compiles the second.
  assert.ok((await Promise.race([first, second]))?.code.includes("e"));
  assert.equal(compiler.workers().length, 2);
  signal(compiler.workers()[0], "SIGCONT");
  assert.ok((await first)?.code.includes("d"));
});
