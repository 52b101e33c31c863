/** Why a process cannot start: one clear line on standard error, code 1, and nothing half started. */
import assert from "node:assert/strict";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { on_postgres } from "../stage/harness.ts";
import { freePort } from "../stage/network/ports.ts";
import { ask, emptyPlace, type Environment, launch, newPlace, run, SECRET_KEYS, stop } from "../stage/launch.ts";

/** Proves that it ends with code 1, these lines and nothing else. */
async function refuses(environment: Environment, lines: RegExp[], ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await run(environment, ...args);
  assert.equal(code, 1, stderr);
  assert.doesNotMatch(stdout, /^(?!\{)./m, "nothing but its log");
  assert.equal(stderr.trimEnd().split("\n").length, lines.length, stderr);
  stderr.trimEnd().split("\n").forEach((line, index) => assert.match(line, lines[index] ?? /^$/));
  assert.doesNotMatch(stderr, /^\s+at |\.ts:\d+/m, "no stack");
}

Deno.test("faults: every wrong or missing variable is named in one message, and no value of a secret", async () => {
  const folder = await Deno.makeTempDir({ prefix: "atrium_faults_" });
  const environment = {
    DATA_DIR: `${folder}/data`,
    PORT: "70000",
    BASE_URL: "atrium.example.com",
    DATABASE_URL: "mysql://root:hunter2@localhost/atrium",
    ADMIN_PASSWORD: "hunter2",
    TRUSTED_PROXIES: "many",
  };
  await refuses(environment, [
    /configuration/,
    /^ +PORT must be a whole number from 1 to 65535$/,
    /^ +BASE_URL .*http/,
    /^ +DATABASE_URL .*postgres:\/\//,
    /^ +ADMIN_PASSWORD .*8 characters/,
    /^ +TRUSTED_PROXIES must be a whole number from 0 to 10$/,
    /^ +SECRET_KEYS is required with DATABASE_URL/,
  ]);
  const { stderr } = await run(environment);
  assert.doesNotMatch(stderr, /hunter2/);
  const url = `postgres://nobody@127.0.0.1:${freePort()}/none`;
  await refuses({ DATA_DIR: `${folder}/data`, DATABASE_URL: url }, [/configuration/, /^ +SECRET_KEYS is required/]);
  await refuses({ DATA_DIR: `${folder}/data`, DATABASE_URL: url }, [/configuration/, /^ +SECRET_KEYS/], "token");
  assert.deepEqual([...Deno.readDirSync(folder)], [], "nothing was made");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("faults: a port in use; the first admin is still shown by the start that succeeds", async () => {
  await using place = await newPlace();
  {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const PORT = String(listener.addr.port);
    await refuses({ ...place.environment, PORT }, [/^The port is in use/]);
  }
  await using process = await launch(place.environment);
  const [, token = ""] = /^ +token +(\S+)$/m.exec(process.output()) ?? [];
  assert.equal((await ask(`${process.url}/account.json`, token)).status, 200);
});

Deno.test("faults: a KV store that cannot be opened; the first admin is still shown by the start that succeeds", async () => {
  await using place = await newPlace();
  await refuses({ ...place.environment, KV_URL: `${place.folder}/none/kv.sqlite3` }, [
    /^Atrium cannot start: .*database file/,
  ]);
  await using process = await launch(place.environment);
  assert.match(process.output(), /^ +token +atr_\w{43}$/m);
});

Deno.test("faults: a database that cannot be reached, that does not answer", async () => {
  await using place = await emptyPlace(`postgres://nobody:hunter2@127.0.0.1:${freePort()}/none`);
  await refuses(place.environment, [/^The database cannot be reached: (?!.*hunter2)/]);
  await refuses(place.environment, [/^The database cannot be reached: (?!.*hunter2)/], "migrate");
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) accepted.push(connection);
  })();
  const url = `postgres://nobody@127.0.0.1:${silent.addr.port}/none`;
  await refuses({ ...place.environment, DATABASE_URL: url }, [/^The database cannot be reached: /]);
  silent.close();
  await accepting;
  for (const connection of accepted) connection.close();
});

Deno.test({
  name: "faults: a database that does not exist",
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    const url = new URL(place.environment.DATABASE_URL ?? "");
    url.pathname = "/there_is_none";
    await refuses({ ...place.environment, DATABASE_URL: url.href, SECRET_KEYS }, [
      /database "there_is_none" does not exist/,
    ]);
  },
});

Deno.test("faults: a database newer than the program is left as it is", async () => {
  await using place = await newPlace();
  assert.equal((await run(place.environment, "migrate")).code, 0);
  const { DATA_DIR = "", DATABASE_URL } = place.environment;
  const open = () => openDatabase({ data_dir: DATA_DIR, database_url: DATABASE_URL }, createLog(() => {}));
  const newer = await open();
  await newer.sql`insert into migrations (version, name) values (9999, '9999_from_the_future.sql')`;
  await newer.close();
  const line = /^The database is at version 9999, newer than this program, which knows \d+: start a newer release$/;
  await refuses(place.environment, [line]);
  await refuses(place.environment, [line], "token");
  const after = await open();
  assert.deepEqual((await after.sql`select count(*) from accounts`).map(({ count }) => count), [0]);
  await after.close();
});

Deno.test({
  name: "faults: a locked data folder, and who holds it works on",
  ignore: on_postgres,
  async fn() {
    await using place = await newPlace();
    await using first = await launch({ ...place.environment, ADMIN_TOKEN: "holder" });
    await refuses(place.environment, [/^The folder \S+ is in use by another Atrium process/]);
    await refuses(place.environment, [/^The folder \S+ is in use by another Atrium process/], "token");
    assert.equal((await ask(`${first.url}/account.json`, "holder")).status, 200);
    assert.equal((await stop(first)).code, 0);
  },
});
