/** A process whose Deno KV store is not the one of its database does not start, and says what to set. */
import assert from "node:assert/strict";
import { emptyPlace, launch, newPlace, run, stop } from "../stage/launch.ts";

Deno.test("kv: another store than the database's is refused, until it is adopted", async () => {
  await using place = await newPlace();
  await using elsewhere = await emptyPlace("postgres://unused");
  const { environment } = place;
  const other = { ...environment, KV_URL: `${elsewhere.folder}/kv.sqlite3` };
  {
    await using process = await launch(environment);
    assert.equal((await stop(process)).code, 0);
  }
  const refused = await run(other);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^The configuration is wrong:\n {2}KV_URL .* is not the one that this database's runs are in\. Set it .*`deno task adopt-kv` .*\n$/,
  );

  const adopted = await run(other, "adopt-kv");
  assert.deepEqual([adopted.code, adopted.stderr], [0, ""]);
  {
    await using process = await launch(other);
    assert.equal((await stop(process)).code, 0);
  }
  const former = await run(environment);
  assert.equal(former.code, 1);
  assert.match(former.stderr, /KV_URL .* belongs to another database\. Set it/);
});

Deno.test("kv: of two processes that start together with different stores on a new database, one is refused", {
  ignore: Deno.env.get("TEST_DATABASE") !== "postgres",
}, async () => {
  await using place = await emptyPlace();
  await using elsewhere = await emptyPlace("postgres://unused");
  const other = { ...place.environment, KV_URL: `${elsewhere.folder}/kv.sqlite3` };
  await using stack = new AsyncDisposableStack();
  const started = await Promise.allSettled(
    [place.environment, other].map(async (environment) => stack.use(await launch(environment))),
  );
  assert.deepEqual(started.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const [failed] = started.filter((one) => one.status === "rejected");
  assert.match(String(failed?.reason), /KV_URL .* adopt-kv/);
});
