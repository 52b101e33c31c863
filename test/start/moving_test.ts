/** `export` and `import` of the npm package, with 100,000 records, between two servers that are processes of their own. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../server/config.ts";
import { ADMIN_TOKEN } from "../stage/harness.ts";
import { adminPlace, launch, type Process } from "../stage/launch.ts";

const CLI = fileURLToPath(new URL("../../client/package/cli.ts", import.meta.url));

async function run(args: string[], url: string) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-write", CLI, ...args],
    clearEnv: true,
    env: {
      ...childEnvironment(Deno.env.toObject()),
      PATH: Deno.env.get("PATH") ?? "",
      NO_COLOR: "1",
      ATRIUM_TOKEN: ADMIN_TOKEN,
      ATRIUM_URL: url,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const [said = "", complained = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, said, complained };
}

async function ask({ url }: Process, method: string, path: string, body?: BodyInit, type = "application/json") {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": type };
  const answer = await fetch(url + path, { method, headers, body });
  const json = await answer.json();
  assert.ok(answer.ok, `${path}: ${answer.status} ${JSON.stringify(json)}`);
  return { headers: answer.headers, body: json };
}

const RECORDS = 100_000;
/**
 * Of a server's JavaScript: less than it takes with all records as objects, so that holding them ends the process. With
 * 110, garbage collection would take most of the test's time.
 */
const HEAP_MB = 150;
/** Indexed by no text search, so that they are written fast. */
const FIELDS = Array.from({ length: 14 }, (_, n) => `at_${n}`);

/** Fills the database `times`, with a number in each record. */
async function fill(server: Process): Promise<void> {
  const fields = { n: "integer", ...Object.fromEntries(FIELDS.map((name) => [name, "datetime"])) };
  const db = { name: "Times", code: "times", schema: { fields, indexes: { idx_int_1: "n" } } };
  await ask(server, "POST", "/platform/dbs.json", JSON.stringify({ db }));
  const times = JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, "2026-11-24T10:00:00Z"]))).slice(1);
  let n = 0;
  const lines = ReadableStream.from((function* () {
    while (n < RECORDS) {
      let text = "";
      for (const end = n + 1_000; n < end; n++) text += `{"data":{"n":${n},${times}}\n`;
      yield new TextEncoder().encode(text);
    }
  })());
  const { body } = await ask(server, "POST", "/platform/dbs/times/import.ndjson", lines, "application/x-ndjson");
  assert.equal(body.created, RECORDS);
}

Deno.test("moving: 100,000 records with the commands, in memory that does not hold them", async (t) => {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "atrium_moving_" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const start = async () => {
    const place = stack.use(await adminPlace());
    return stack.use(
      await launch({ ...place.environment, ADMIN_TOKEN, DENO_V8_FLAGS: `--max-old-space-size=${HEAP_MB}` }),
    );
  };
  const [old, new_one] = [await start(), await start()];
  await fill(old);
  const file = `${folder}/account.tar`;
  await t.step("export", async () => {
    const { code, said, complained } = await run(["export", file, "--records", "--runs"], old.url);
    assert.deepEqual([code, complained], [0, ""]);
    const size_mb = (await Deno.stat(file)).size / 1024 / 1024;
    assert.match(said, /account\.tar has the account: [\d,]+ bytes\n$/);
    assert.ok(size_mb > 30, `${size_mb}`);
  });

  await t.step("export into a folder that is not there", async () => {
    const { code, complained } = await run(["export", `${folder}/none/account.tar`], old.url);
    assert.equal(code, 1);
    assert.match(complained, /^\S+none\/account\.tar cannot be written: ENOENT[^\n]+\n$/);
  });

  await t.step("a folder in the place of the file", async () => {
    for (const [command, reason] of [["export", "is a folder: name a file"], ["import", "cannot be read: EISDIR"]]) {
      const { code, complained } = await run([command ?? "", folder], old.url);
      assert.equal(code, 1);
      assert.ok(complained.startsWith(`${folder} ${reason}`), complained);
    }
    await assert.rejects(Deno.stat(`${folder}.part`), Deno.errors.NotFound);
  });

  await t.step("an archive that was cut off is refused, and leaves nothing", async () => {
    const cut = `${folder}/cut.tar`;
    await Deno.copyFile(file, cut);
    await Deno.truncate(cut, 4 * 1024 * 1024);
    const { code, complained } = await run(["import", cut], new_one.url);
    assert.equal(code, 1);
    assert.match(complained, /^The archive is cut off at records\/times\/\d+\.ndjson/);
    assert.deepEqual((await ask(new_one, "GET", "/platform/dbs.json")).body, []);
  });

  await t.step("import", async () => {
    const { code, said, complained } = await run(["import", file], new_one.url);
    assert.deepEqual([code, complained], [0, ""]);
    assert.match(said, /^created {2}100000 records$/m);
  });

  await t.step("every record is there, in its index", async () => {
    for (const n of [0, 1_234, RECORDS - 1]) {
      const path = `/platform/dbs/times/records.json?filter[n]=${n}&count=true`;
      const [was, is] = [await ask(old, "GET", path), await ask(new_one, "GET", path)];
      assert.equal(is.body.length, 1);
      assert.deepEqual(is.body, was.body);
    }
    const { headers } = await ask(new_one, "GET", "/platform/dbs/times/records.json?per_page=1&count=true");
    assert.equal(headers.get("x-total-count"), String(RECORDS));
  });

  await t.step("a second import is refused", async () => {
    const { code, complained } = await run(["import", file], new_one.url);
    assert.deepEqual([
      code,
      /^An archive is imported into an empty account, and this one has databases/.test(complained),
    ], [
      1,
      true,
    ]);
  });
});
