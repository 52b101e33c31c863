/** WORKERS=n: several server processes on one port, one of which may die. */
import assert from "node:assert/strict";
import { z } from "zod";
import { V8_FLAGS } from "../../server/process/v8_flags.ts";
import { on_postgres } from "../stage/harness.ts";
import { ask, emptyPlace, launch, newPlace, type Process, run, stop } from "../stage/launch.ts";
import { beginRequest } from "../stage/network/slow_request.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-workers-tests";

const started = (process: Process) =>
  process.logged().filter(({ event }) => event === "server process started").map((line) => ({
    number: Number(line.process),
    pid: Number(line.pid),
  }));

const isAlive = async (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(await Deno.readTextFile(`/proc/${pid}/status`));
  } catch {
    return false;
  }
};

/** Departments are created one after the other until `done`. @returns their names, of those that were answered with 201 */
async function keepCreating(url: string, done: () => boolean): Promise<string[]> {
  const names: string[] = [];
  for (let n = 0; !done(); n++) {
    const name = `Department ${n}`;
    const body = JSON.stringify({ department: { name } });
    const headers = { "content-type": "application/json", connection: "close" };
    const answer = await ask(`${url}/account/departments.json`, TOKEN, { method: "POST", headers, body }).catch(
      (error) => {
        if (!(error instanceof TypeError)) throw error;
      },
    );
    if (answer) assert.equal(answer.status, 201, answer.text);
    if (answer) names.push(name);
  }
  return names;
}

async function namesOf(url: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1;; page++) {
    const { text } = await ask(`${url}/account/departments.json?per_page=100&page=${page}`, TOKEN);
    const departments = z.array(z.object({ name: z.string() })).parse(JSON.parse(text));
    if (departments.length === 0) return names;
    for (const { name } of departments) names.add(name);
  }
}

Deno.test({
  name: "workers: one that is killed is started again, and requests go on meanwhile",
  ignore: !on_postgres,
  async fn() {
    await using place = await emptyPlace();
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN, WORKERS: "2" });
    assert.equal(process.output().match(/^listening on /mg)?.length, 1);
    assert.deepEqual(started(process).map(({ number }) => number), [1, 2]);
    for (const { pid } of started(process)) {
      const command = await Deno.readTextFile(`/proc/${pid}/cmdline`);
      assert.ok(command.split("\0").includes(V8_FLAGS), command);
    }
    assert.equal(process.logged().filter(({ event }) => event === "migrated").length, 1);

    let is_over = false;
    const creating = keepCreating(process.url, () => is_over);
    const served = () =>
      new Set(process.logged().filter(({ event }) => event === "request").map((line) => line.process));
    await until(() => served().size === 2, "both serve");
    const [first] = started(process);
    assert.ok(first);
    Deno.kill(first.pid, "SIGKILL");
    await until(() => started(process).length === 3, "it is started again");
    const third = started(process)[2];
    assert.equal(third?.number, 1);
    const lines = process.logged().length;
    const again = () => process.logged().slice(lines).some((line) => line.event === "request" && line.process === 1);
    await until(() => again(), "it serves again");
    is_over = true;
    const names = await creating;
    assert.ok(names.length > 10);
    const stored = await namesOf(process.url);
    assert.deepEqual(names.filter((name) => !stored.has(name)), []);

    const pids = started(process).map(({ pid }) => pid);
    const { code, ms, stderr } = await stop(process);
    assert.deepEqual([code, stderr], [0, ""]);
    // Below what a statement that hangs would take, and more than a busy machine needs.
    assert.ok(ms < 15_000, `${ms} ms`);
    assert.deepEqual(await Promise.all(pids.map(isAlive)), [false, false, false]);
  },
});

Deno.test({
  name: "workers: on SIGTERM a request in flight is finished, and all processes end",
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    await using process = await launch({ ...place.environment, ADMIN_TOKEN: TOKEN, WORKERS: "3" });
    const request = await beginRequest(process.port, TOKEN, "Slowly sent");
    const answer = request.answer();
    const ending = stop(process);
    const count = () => process.logged().filter(({ event }) => event === "stopping").length;
    await until(() => count() === 4, "all of them stop");
    await request.finish();
    assert.match(await answer, /^HTTP\/1\.1 201 /);
    const { code, stderr } = await ending;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(await Promise.all(started(process).map(({ pid }) => isAlive(pid))), [false, false, false]);
  },
});

Deno.test({
  name: "workers: they end with a supervisor that was killed; credentials are generated and shown once",
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    const process = await launch({ ...place.environment, WORKERS: "2" });
    assert.equal(process.output().match(/^ +token +atr_\w{43}$/mg)?.length, 1);
    const pids = started(process).map(({ pid }) => pid);
    process.kill("SIGKILL");
    const gone = async () => !(await Promise.all(pids.map(isAlive))).some(Boolean);
    await until(gone, "all have ended");
    await process.ended;
  },
});

Deno.test("workers: with the embedded database, or a process that cannot start, the start is refused", async () => {
  await using place = await emptyPlace();
  const { DATABASE_URL: _url, ...embedded } = place.environment;
  const refused = await run({ ...embedded, WORKERS: "2" });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^ +WORKERS needs DATABASE_URL: the embedded database belongs to one process$/m);
  if (!on_postgres) return;
  const failed = await run({ ...place.environment, WORKERS: "2", KV_URL: `${place.folder}/none/kv.sqlite3` });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^Atrium cannot start: .*database file.*\nA server process ended before it listened/m);
});
