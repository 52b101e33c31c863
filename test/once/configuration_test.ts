/** Why a process cannot start, as far as it depends on no database: wrong variables, and databases that do not answer. */
import assert from "node:assert/strict";
import { emptyPlace } from "../stage/launch.ts";
import { freePort } from "../stage/network/ports.ts";
import { refuses } from "../stage/places/refusing.ts";

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
  const { stderr } = await refuses(environment, [
    /configuration/,
    /^ +PORT must be a whole number from 1 to 65535$/,
    /^ +BASE_URL .*http/,
    /^ +DATABASE_URL .*postgres:\/\//,
    /^ +ADMIN_PASSWORD .*8 characters/,
    /^ +TRUSTED_PROXIES must be a whole number from 0 to 10$/,
    /^ +SECRET_KEYS is required with DATABASE_URL/,
  ]);
  assert.doesNotMatch(stderr, /hunter2/);
  const url = `postgres://nobody@127.0.0.1:${freePort()}/none`;
  const without = { DATA_DIR: `${folder}/data`, DATABASE_URL: url };
  await refuses(without, [/configuration/, /^ +SECRET_KEYS is required/]);
  await refuses(without, [/configuration/, /^ +SECRET_KEYS/], "token");
  assert.deepEqual([...Deno.readDirSync(folder)], [], "nothing was made");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("faults: a database that cannot be reached, that does not answer", async () => {
  await using place = await emptyPlace(`postgres://nobody:hunter2@127.0.0.1:${freePort()}/none`);
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) accepted.push(connection);
  })();
  const url = `postgres://nobody@127.0.0.1:${silent.addr.port}/none`;
  await Promise.all([
    refuses(place.environment, [/^The database cannot be reached: (?!.*hunter2)/]),
    refuses(place.environment, [/^The database cannot be reached: (?!.*hunter2)/], "migrate"),
    // Waits until the attempt to connect gives up.
    refuses({ ...place.environment, DATABASE_URL: url }, [/^The database cannot be reached: /]),
  ]);
  silent.close();
  await accepting;
  for (const connection of accepted) connection.close();
});
