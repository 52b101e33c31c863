/** SIGTERM and SIGINT: what is in flight is finished within a limit, nothing holds the process longer. */
import assert from "node:assert/strict";
import { startServer } from "../stage/harness.ts";
import { ask, launch, newPlace, type Process, spawn, stop, untilReady } from "../stage/launch.ts";
import { beginRequest } from "../stage/network/slow_request.ts";
import { on_postgres } from "../stage/places/places.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-stop-tests";

/** Whether a new request is refused, by an answer or by the connection. */
async function isClosed({ url }: Process): Promise<boolean> {
  try {
    return (await ask(`${url}/healthz`)).status === 503;
  } catch (error) {
    if (error instanceof TypeError) return true;
    throw error;
  }
}

/** Whether the stop took longer than the time for a graceful one. */
const isCutOff = (process: Process) => process.logged().some(({ event }) => event === "stopping cut off");

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`stop: on ${signal} a request in flight is finished, new ones are refused, and it ends with 0`, async () => {
    await using place = await newPlace();
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
    // An open app makes the process listen for changes; an idle connection stays open beside it.
    assert.equal((await ask(`${process.url}/a/nothing`)).status, 401);
    const request = await beginRequest(process.port, TOKEN, "Slowly sent");
    const answer = request.answer();
    assert.equal((await ask(`${process.url}/healthz`)).status, 200, "it serves meanwhile");
    const ending = stop(process, signal);
    await until(() => isClosed(process), "it takes nothing new");
    await request.finish();
    const text = await answer;
    assert.match(text, /^HTTP\/1\.1 201 /);
    assert.match(text, /"name":"Slowly sent"/);
    const { code, stderr } = await ending;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(!isCutOff(process));
    assert.ok(process.logged().some(({ event, status }) => event === "request" && status === 201), "it was logged");
  });
}

Deno.test("stop: without requests in flight it ends at once, despite idle connections", async () => {
  await using place = await newPlace();
  await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
  using _idle = await Deno.connect({ hostname: "127.0.0.1", port: process.port });
  await untilReady(process);
  assert.equal((await stop(process)).code, 0);
  assert.ok(!isCutOff(process));
});

Deno.test("stop: a request that never ends is cut off; a second signal changes nothing", async () => {
  await using place = await newPlace();
  await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN });
  const request = await beginRequest(process.port, TOKEN, "Slowly sent");
  const answer = request.answer();
  assert.equal((await ask(`${process.url}/healthz`)).status, 200, "it serves meanwhile");
  const ending = stop(process);
  await until(() => isClosed(process), "it takes nothing new");
  process.kill("SIGTERM");
  process.kill("SIGINT");
  assert.equal((await ending).code, 0);
  assert.ok(isCutOff(process));
  assert.doesNotMatch(await answer, /^HTTP\/1\.1 2/);
});

const KEYS = "k1:0123456789abcdef0123456789abcdef\n";

/**
 * A first start that waits for its secret keys, because their file is a pipe. Its port was free, its database is there,
 * and its account is not. `goOn` lets it read them; both `goOn` and `giveUp` leave a file for the next start.
 */
async function firstStart() {
  const folder = await Deno.makeTempDir({ prefix: "atrium_start_" });
  const file = `${folder}/secret_keys`;
  const { success } = await new Deno.Command("mkfifo", { args: ["-m", "600", file] }).output();
  assert.ok(success, "mkfifo");
  const environment = { DATA_DIR: folder };
  const process = spawn(environment, []);
  const failed = process.ended.then(({ stderr }) => assert.fail(`it ended before it read its keys: ${stderr}`));
  // Opens when the process reads it.
  const pipe = await Promise.race([Deno.open(file, { write: true }), failed]);
  const giveUp = async () => {
    pipe.close();
    await Deno.remove(file);
    await Deno.writeTextFile(file, KEYS, { mode: 0o600 });
  };
  const goOn = async () => {
    await pipe.write(new TextEncoder().encode(KEYS));
    await giveUp();
  };
  const end = async () => {
    await process[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  };
  return { environment, process, goOn, giveUp, [Symbol.asyncDispose]: end };
}

Deno.test({
  name: "stop: a first start that is stopped ends with 0, and the next one does it all",
  ignore: on_postgres,
}, async () => {
  await using first = await firstStart();
  const { code, stdout, stderr } = await stop(first.process);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.doesNotMatch(stdout, /^listening on /m);
  await first.giveUp();
  await using next = await launch(first.environment);
  assert.match(next.output(), /^ +password +\S+$/m);
  assert.equal((await ask(`${next.url}/healthz`)).status, 200);
});

Deno.test({
  name: "start: a port that is taken during a first start ends it, but not without the credentials that it made",
  ignore: on_postgres,
}, async () => {
  await using first = await firstStart();
  using _taken = Deno.listen({ hostname: "127.0.0.1", port: first.process.port });
  await first.goOn();
  const { code, stdout, stderr } = await first.process.ended;
  assert.deepEqual([code, stderr], [1, "The port is in use: choose another with PORT=…\n"]);
  assert.match(stdout, /^ +password +\S+$/m);
  const [, token = ""] = /^ +token +(\S+)$/m.exec(stdout) ?? [];
  await using next = await launch(first.environment);
  assert.equal((await ask(`${next.url}/account/me.json`, token)).status, 200);
});

Deno.test("stop: a sweep that the end of the server breaks off is no failure", async () => {
  const server = await startServer();
  const sweep = server.sweep();
  await server.close();
  await sweep;
});
