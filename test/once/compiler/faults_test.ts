/** The pool survives workers that die, stop or send invalid answers. Workers end when the server is killed. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CompileFailure, CompilerBusy } from "../../../server/compiler/compiler.ts";
import { findProgram } from "../../stage/programs.ts";
import { until } from "../../stage/until.ts";
import { esbuildOf, groupOf, isGone, signal, untilBusy } from "./groups.ts";
import { HANGS } from "./hostile.ts";
import { fillSharedStore, openCompiler } from "./scratch.ts";

await fillSharedStore();

const failureOf = (building: Promise<unknown>): Promise<unknown> =>
  building.then(() => "it compiles", (error) => error);

const app = (text: string) => `<p>${text}</p>`;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("faults: a worker that is killed from outside is replaced, and its source compiled again", async () => {
  await using compiler = openCompiler();
  await compiler.warm();
  const [first] = compiler.workers();
  assert.deepEqual(groupOf(first).map(({ name }) => name), ["deno", "esbuild"]);
  signal(first, "SIGSTOP");
  const building = compiler.svelte(app("again"));
  await pause(100);
  signal(first, "SIGKILL");
  assert.ok((await building).code.includes("again"));
  assert.equal(compiler.workers().length, 2);
  assert.ok(await isGone(first));
});

Deno.test("faults: a worker that is killed while idle is replaced for the next source", async () => {
  await using compiler = openCompiler();
  await compiler.svelte(app("one"));
  signal(compiler.workers()[0], "SIGKILL");
  assert.ok((await compiler.svelte(app("two"))).code.includes("two"));
});

Deno.test("faults: a worker that stood still before the source came is replaced, and the author not blamed", async () => {
  await using compiler = openCompiler({ time_limit_ms: 2000 });
  await compiler.svelte(app("one"));
  const [first] = compiler.workers();
  signal(first, "SIGSTOP");
  assert.ok((await compiler.svelte(app("two"))).code.includes("two"));
  assert.equal(compiler.workers().length, 2);
  assert.ok(await isGone(first));
});

Deno.test("faults: a worker whose esbuild is killed retires, and its source is compiled again", async () => {
  await using compiler = openCompiler();
  await compiler.svelte(app("one"));
  const [first] = compiler.workers();
  signal(esbuildOf(first)?.pid, "SIGKILL");
  assert.ok((await compiler.svelte(app("two"))).code.includes("two"));
  assert.equal(compiler.workers().length, 2);
  assert.ok(await isGone(first));
});

Deno.test("faults: a source whose workers are killed every time is refused for now, not blamed", async () => {
  await using compiler = openCompiler({ time_limit_ms: 60_000 });
  await compiler.warm();
  const building = failureOf(compiler.svelte(HANGS));
  for (const attempt of [1, 2]) {
    await until(() => compiler.workers().length === attempt, `worker ${attempt} has started`);
    const worker = compiler.workers().at(-1) ?? 0;
    await untilBusy(worker);
    signal(worker, "SIGKILL");
  }
  const failure = await building;
  assert.ok(failure instanceof CompilerBusy, String(failure));
  assert.match(failure.message, /interrupted/);
  assert.ok((await compiler.svelte(app("next"))).code.includes("next"));
});

/**
 * A script in place of Deno. Its first worker prints `first`, and runs `rest` when it gets a line; later workers are real.
 * The file exists only after `install`.
 */
async function otherDeno(first = "", rest = ":") {
  const folder = await Deno.makeTempDir({ prefix: "atrium_lying_" });
  const script = `#!/bin/sh
case "$*" in *worker.ts)
  if [ '${first}' ] && mkdir ${folder}/lied 2>/dev/null; then
    printf '${first}\\n'; read request; ${rest}; sleep 60
  fi;;
esac
exec ${Deno.execPath()} "$@"
`;
  const path = `${folder}/deno`;
  return {
    path,
    install: () => Deno.writeTextFile(path, script, { mode: 0o755 }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const say = (line: string) => `printf '${line}\\n'`;
const TAKEN = say(`"taken"`);
const REFUSAL = `{"id": 1, "retire": false, "mistakes": ["no"]}`;

const LIES: Record<string, string> = {
  "what is not JSON": say("\\0377\\0377{{{"),
  "what is not JSON, in place of an answer": `${TAKEN}; ${say("{{{")}`,
  "an answer before it has taken the source": say(REFUSAL),
  "an answer to nothing": `${TAKEN}; ${say(REFUSAL.replace("1", "999"))}`,
  "an answer without its parts": `${TAKEN}; ${say(`{"id": 1, "retire": false, "build": {"code": 1}}`)}`,
  "nothing more, but its end": "exit 0",
  "its end after it has taken the source": `${TAKEN}; exit 3`,
  "a line without end": `${TAKEN}; head -c 40000000 /dev/zero`,
};

Deno.test("faults: a worker with an invalid answer is replaced", async (test) => {
  for (const [name, rest] of Object.entries(LIES)) {
    await test.step(name, async () => {
      await using deno = await otherDeno(`"ready"`, rest);
      await deno.install();
      await using compiler = openCompiler({ deno: deno.path });
      assert.ok((await compiler.svelte(app("true"))).code.includes("true"));
      assert.ok(compiler.workers().length > 1);
      assert.ok(await isGone(compiler.workers()[0]));
    });
  }

  await test.step("two answers: the second is not taken for the next one's", async () => {
    await using deno = await otherDeno(`"ready"`, `${TAKEN}; ${say(REFUSAL)}; ${TAKEN}; ${say(REFUSAL)}`);
    await deno.install();
    await using compiler = openCompiler({ deno: deno.path });
    const failure = await failureOf(compiler.svelte(app("a lie")));
    assert.ok(failure instanceof CompileFailure);
    assert.ok((await compiler.svelte(app("true"))).code.includes("true"));
    assert.equal(compiler.workers().length, 2);
  });

  await test.step("an answer after its time is ignored", async () => {
    await using deno = await otherDeno(`"ready"`, `${TAKEN}; sleep 2; ${say(REFUSAL)}`);
    await deno.install();
    await using compiler = openCompiler({ deno: deno.path, time_limit_ms: 1000 });
    const failure = await failureOf(compiler.svelte(app("slow")));
    assert.ok(failure instanceof CompileFailure);
    assert.deepEqual(failure.messages, ["compile timed out"]);
    assert.ok(await isGone(compiler.workers()[0]));
    await compiler.warm();
    await pause(1500);
    assert.ok((await compiler.svelte(app("true"))).code.includes("true"));
  });
});

Deno.test("faults: without a working Deno the answer is 503, the reason is logged, and it recovers", async (test) => {
  const isToComeAgain = (failure: unknown) => {
    assert.ok(failure instanceof CompilerBusy, String(failure));
    assert.match(failure.message, /cannot start/);
    assert.ok(failure.retry_after >= 1);
  };

  await test.step("there is none", async () => {
    await using deno = await otherDeno();
    await using compiler = openCompiler({ deno: deno.path });
    isToComeAgain(await failureOf(compiler.svelte(app("x"))));
    const { detail } = compiler.logged.find(({ event }) => event === "compile_worker_failed") ?? {};
    assert.match(String(detail?.fault), /NotFound/);
    await deno.install();
    assert.ok((await compiler.svelte(app("x"))).code.includes("x"));
  });

  await test.step("it ends at once", async () => {
    await using deno = await otherDeno("no", `echo "no memory left" >&2; exit 1`);
    await deno.install();
    await using compiler = openCompiler({ deno: deno.path });
    isToComeAgain(await failureOf(compiler.svelte(app("x"))));
    assert.ok((await compiler.svelte(app("x"))).code.includes("x"));
  });
});

const LOOPING = { "a compiler": "vue", "esbuild": "react" };

async function endsWithItsServer(engine: string) {
  const server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", fileURLToPath(new URL("./hanging_server.ts", import.meta.url)), engine],
    stdout: "piped",
  }).spawn();
  const lines = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const worker = Number((await lines.read()).value);
  assert.equal(groupOf(worker).length, 2);
  server.kill("SIGKILL");
  await server.status;
  // esbuild ends by its limit of processor time, of which a busy machine gives a process of low priority little.
  assert.ok(await isGone(worker, 180_000));
  await lines.cancel();
}

for (const [what, engine] of Object.entries(LOOPING)) {
  Deno.test({
    name: `faults: ${what} in an endless loop ends with its server, even if that is killed`,
    ignore: !findProgram("setpriv"),
    fn: () => endsWithItsServer(engine),
  });
}
