/** Why a process cannot start: one clear line on standard error, code 1, and nothing half started. */
import assert from "node:assert/strict";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { on_postgres } from "../stage/harness.ts";
import { ask, launch, newPlace, run, SECRET_KEYS, stop } from "../stage/launch.ts";
import { refuses } from "../stage/places/refusing.ts";

Deno.test("faults: a KV store that cannot be opened, a port in use; the start that succeeds still shows the first admin", async () => {
  await using place = await newPlace();
  await refuses({ ...place.environment, KV_URL: `${place.folder}/none/kv.sqlite3` }, [
    /^Atrium cannot start: .*database file/,
  ]);
  {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const PORT = String(listener.addr.port);
    await refuses({ ...place.environment, PORT }, [/^The port is in use/]);
  }
  // An address of documentation, which no machine has.
  await refuses({ ...place.environment, HOST: "192.0.2.1" }, [
    /^The server cannot listen on HOST=192\.0\.2\.1, PORT=\d+: /,
  ]);
  await using process = await launch(place.environment);
  const [, token = ""] = /^ +token +(atr_\w{43})$/m.exec(process.output()) ?? [];
  assert.equal((await ask(`${process.url}/account.json`, token)).status, 200);
});

Deno.test({
  name: "faults: a data folder that cannot be one",
  ignore: on_postgres,
  async fn() {
    await using place = await newPlace();
    const file = `${place.folder}/file`;
    await Deno.writeTextFile(file, "");
    await refuses({ ...place.environment, DATA_DIR: `${file}/data` }, [/^A file or folder cannot be used \(DATA_DIR/]);
    await refuses({ ...place.environment, DATA_DIR: "/proc/atrium" }, [
      /^DATA_DIR is in a folder of the operating system/,
    ]);
  },
});

Deno.test({
  name: "faults: a database that does not exist",
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    const url = new URL(place.environment.DATABASE_URL ?? "");
    url.pathname = "/there_is_none";
    await refuses({ ...place.environment, DATABASE_URL: url.href, SECRET_KEYS }, [
      /^PostgreSQL refuses DATABASE_URL: database "there_is_none" does not exist/,
    ]);
  },
});

Deno.test({
  name: "faults: a database that cannot store every text is refused before anything is written",
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    const { DATA_DIR = "", DATABASE_URL = "" } = place.environment;
    const open = (database_url: string) => openDatabase({ data_dir: DATA_DIR, database_url }, createLog(() => {}));
    const url = new URL(DATABASE_URL);
    url.pathname += "_latin";
    const name = url.pathname.slice(1);
    const admin = await open(DATABASE_URL);
    await admin.sql`
      create database ${admin.sql(name)} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0
    `;
    await refuses({ ...place.environment, DATABASE_URL: url.href }, [
      /^The database has the encoding LATIN1: create one with the encoding UTF8$/,
    ]);
    const latin = await open(url.href);
    const tables = await latin.sql`select from pg_class where relnamespace = 'public'::regnamespace`;
    assert.equal(tables.length, 0);
    await latin.close();
    await admin.sql`drop database ${admin.sql(name)}`;
    await admin.close();
  },
});

Deno.test("faults: a database newer than the program is left as it is", async () => {
  await using place = await newPlace();
  // A new place has every migration already where the database is embedded.
  if (on_postgres) assert.equal((await run(place.environment, "migrate")).code, 0);
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

Deno.test({
  name: "faults: a lost key file, where the database has secrets",
  ignore: on_postgres,
  async fn() {
    await using place = await newPlace();
    const environment: Record<string, string> = { ...place.environment, ADMIN_TOKEN: "admin" };
    const file = `${environment.DATA_DIR}/secret_keys`;
    {
      await using process = await launch(environment);
      await Deno.remove(file);
      await stop(process);
    }
    {
      await using process = await launch(environment);
      const connector = {
        kind: "platform/custom_connector",
        code: "rates",
        name: "Rates",
        url: "https://rates.example.com",
        secret_token: "very-secret-token",
        fields: { auth: { type: "bearer" }, methods: { read: { method: "GET", path: "/" } } },
      };
      const { status, text } = await ask(`${process.url}/connect/connectors.json`, "admin", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ connector }),
      });
      assert.equal(status, 201, text);
      await stop(process);
    }
    const key = await Deno.readTextFile(file);
    await Deno.remove(file);
    for (const args of [[], [], ["rotate-secrets"]]) {
      await refuses(
        environment,
        [/^The configuration is wrong:$/, /secret_keys is missing, .* restore the file/],
        ...args,
      );
    }
    await Deno.writeTextFile(file, key, { mode: 0o600 });
    await using process = await launch(environment);
    assert.equal((await ask(`${process.url}/account.json`, "admin")).status, 200);
  },
});
