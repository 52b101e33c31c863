import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { CompileFailure, CompilerBusy } from "../../server/compiler/compiler.ts";
import { memoryStore, openCompiler } from "./scratch.ts";

/** 330 bytes for which Svelte tries every combination of two to the power of 26 classes. */
const HANGS = `<p class="${"{a?'b':'c'}".repeat(26)}"></p><style>.b { color: red }</style>`;

const failureOf = (building: Promise<unknown>): Promise<unknown> =>
  building.then(() => "it compiles", (error) => error);

const app = (text: string) => `<p>${text}</p>`;

const signal = (pid: number | undefined, name: Deno.Signal) => {
  assert.ok(pid);
  Deno.kill(pid, name);
};

/** Living processes of a worker's group, itself included. Linux only, as `/proc` is. */
function groupOf(pid: number | undefined): number[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    try {
      const [state, , group] = Deno.readTextFileSync(`/proc/${Number(name)}/stat`).split(") ").at(-1)?.split(" ") ?? [];
      return Number(group) === pid && state !== "Z" ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** A killed process needs a moment to go. */
async function isGone(pid: number | undefined): Promise<boolean> {
  for (let tries = 0; tries < 100 && groupOf(pid).length > 0; tries++) {
    // deno-lint-ignore no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return groupOf(pid).length === 0;
}

Deno.test("pool: a source that hangs the compiler is a failure, and the next one compiles", async () => {
  await using compiler = openCompiler({ time_limit_ms: 1000 });
  await compiler.warm();
  const begun = performance.now();
  const failure = await failureOf(compiler.svelte(HANGS));
  assert.ok(failure instanceof CompileFailure);
  assert.deepEqual(failure.messages, ["compile timed out"]);
  assert.ok(performance.now() - begun < 3000);
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

Deno.test("pool: a worker that is killed by somebody else is replaced, and its source compiled again", async () => {
  await using compiler = openCompiler();
  await compiler.warm();
  const [first] = compiler.workers();
  assert.equal(groupOf(first).length, 2, "the worker and esbuild");
  signal(first, "SIGSTOP");
  const building = compiler.svelte(app("again"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  signal(first, "SIGKILL");
  assert.ok((await building).code.includes("again"));
  assert.equal(compiler.workers().length, 2);
  assert.ok(await isGone(first));
});

Deno.test("pool: a worker that is killed while idle is replaced for the next source", async () => {
  await using compiler = openCompiler();
  await compiler.svelte(app("one"));
  signal(compiler.workers()[0], "SIGKILL");
  assert.ok((await compiler.svelte(app("two"))).code.includes("two"));
});

/** A Deno whose first `count` workers say `first`, and `second` when they are asked something. */
async function lyingDeno(first: string, second: string, count: number) {
  const folder = await Deno.makeTempDir({ prefix: "atrium_lying_" });
  const script = `#!/bin/sh
case "$*" in *worker.ts)
  echo x >> ${folder}/starts
  if [ $(wc -l < ${folder}/starts) -le ${count} ]; then
    printf '${first}\\n'; read request; printf '${second}\\n'; sleep 60
  fi;;
esac
exec ${Deno.execPath()} "$@"
`;
  await Deno.writeTextFile(`${folder}/deno`, script, { mode: 0o755 });
  return { path: `${folder}/deno`, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

const GARBAGE = {
  "what is not JSON": "\\0377\\0377{{{",
  "an answer to nothing": `{"id": 999, "retire": false, "mistakes": []}`,
  "an answer without its parts": `{"id": 1, "retire": false, "build": {"code": 1}}`,
};

for (const [name, line] of Object.entries(GARBAGE)) {
  Deno.test(`pool: ${name} on the pipe ends the worker`, async () => {
    const store = memoryStore();
    {
      await using honest = openCompiler({ vendor_store: store });
      await honest.warm();
    }
    await using deno = await lyingDeno(`"ready"`, line, 1);
    await using compiler = openCompiler({ vendor_store: store, deno: deno.path });
    assert.ok((await compiler.svelte(app("true"))).code.includes("true"));
    assert.equal(compiler.workers().length, 2);
  });
}

Deno.test("pool: a worker that cannot start is an error of ours, not the author's", async () => {
  await using deno = await lyingDeno("no", "no", 2);
  await using compiler = openCompiler({ deno: deno.path });
  const failure = await failureOf(compiler.svelte(app("x")));
  assert.ok(failure instanceof Error && !(failure instanceof CompileFailure));
  assert.match(failure.message, /cannot start/);
});

Deno.test("pool: beyond its limit the queue refuses, and says when to come again", async () => {
  await using compiler = openCompiler({ queue_limit: 2 });
  await compiler.warm();
  const [worker] = compiler.workers();
  signal(worker, "SIGSTOP");
  const building = ["a", "b", "c", "d"].map((text) => failureOf(compiler.svelte(app(text))));
  // Nothing else can settle while the worker stands still.
  const busy = await Promise.race(building);
  assert.ok(busy instanceof CompilerBusy);
  assert.ok(Number.isInteger(busy.retry_after) && busy.retry_after >= 1);
  signal(worker, "SIGCONT");
  const others = (await Promise.all(building)).filter((outcome) => outcome !== busy);
  assert.deepEqual(others, ["it compiles", "it compiles", "it compiles"]);
});

Deno.test("pool: an unchanged source is compiled once, for the same engines", async () => {
  await using compiler = openCompiler();
  const [first, same] = await Promise.all([compiler.svelte(app("a")), compiler.svelte(app("a"))]);
  assert.equal(first, same);
  assert.equal(await compiler.svelte(app("a")), first);
  assert.notEqual(await compiler.svelte(app("b")), first);
  assert.notEqual(await compiler.svelte(app("a"), "tailwind"), first);
});

Deno.test("pool: js and html need no worker", async () => {
  await using compiler = openCompiler();
  const source_code = "const a = '<script>';";
  for (const engine of ["js", "html"] as const) {
    // deno-lint-ignore no-await-in-loop -- one after the other, each without a worker
    const { config, ...build } = await compiler.compile({ engine, css_engine: "tailwind", source_code });
    const nothing = { css: "", imports: [], scripts: [], app_build_time: 0, css_build_time: 0 };
    assert.deepEqual(build, { code: source_code, ...nothing });
    assert.equal(config.size.raw, source_code.length);
    assert.ok(config.size.brotli > 0);
    assert.match(config.source_hash, /^[0-9a-f]{64}$/);
  }
  assert.deepEqual(compiler.workers(), []);
});

Deno.test("pool: what is closed takes nothing more, and leaves no process", async () => {
  const compiler = openCompiler();
  await compiler.warm();
  const waiting = failureOf(compiler.svelte(HANGS));
  await compiler.close();
  assert.ok(await waiting instanceof Error);
  assert.ok(await failureOf(compiler.svelte(app("late"))) instanceof Error);
  assert.deepEqual(await Promise.all(compiler.workers().map(isGone)), compiler.workers().map(() => true));
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
    // deno-lint-ignore no-await-in-loop -- two files
    const file = await second.vendor(name);
    assert.ok(file);
    assert.deepEqual(new Uint8Array(brotliDecompressSync(file.brotli)), file.body);
    assert.deepEqual(new Uint8Array(gunzipSync(file.gzip)), file.body);
    assert.match(file.content_type, /^text\/javascript/);
  }
  assert.ok(imports.every((path) => store.files.has(path.slice("/vendor/".length))));
});

Deno.test("vendor: what is no vendor file is not served", async () => {
  const store = memoryStore();
  await using compiler = openCompiler({ vendor_store: store });
  await compiler.svelte(app("a"));
  const manifest = [...store.files.keys()].find((name) => name.endsWith(".json")) ?? "";
  assert.ok(manifest);
  for (const name of ["nothing.js", manifest, "../x.js", ""]) {
    // deno-lint-ignore no-await-in-loop -- four names
    assert.equal(await compiler.vendor(name), undefined, name);
  }
});
