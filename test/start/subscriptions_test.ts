/** Subscriptions of the client package outlive the server's process: a stop, a new start and a kill. */
import assert from "node:assert/strict";
import { clientOf } from "../../client/package/client.ts";
import type { Change, ConnectionState } from "../../client/package/types/index.d.ts";
import { launch, newPlace, stop } from "../stage/launch.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-subscription-tests";

Deno.test("subscriptions: after a restart of the server they resume where they ended, and runs say reset", async () => {
  await using place = await newPlace();
  const environment = { ...place.environment, ADMIN_TOKEN: TOKEN };
  await using first = await launch(environment);
  let url = first.url;
  // Another start has another port: a proxy before both, as it were.
  const client = (token?: string) =>
    clientOf("", {
      url: "http://atrium.example.com",
      token,
      fetch: (address, init) => fetch(address.replace("http://atrium.example.com", url), init),
    });
  const atrium = client(TOKEN);
  const db = { name: "Notes", schema: { fields: { text: "string" } }, public_methods: { list: {} } };
  const created = await fetch(`${url}/platform/dbs.json`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ db }),
  });
  assert.equal(created.status, 201, await created.text());
  const follow = (one: ReturnType<typeof client>) => {
    const changes: Change<Record<string, unknown>>[] = [];
    const states: ConnectionState[] = [];
    const stop = one.db("notes").subscribe((change) => changes.push(change), {
      onState: (state) => states.push(state),
    });
    const texts = () => changes.flatMap(({ kind, record }) => kind === "create" ? [Object(record).text] : []);
    return { changes, states, stop, texts };
  };
  const followers = [follow(atrium), follow(client())];
  const told: string[] = [];
  const stopRuns = atrium.runs.subscribe(({ kind }) => told.push(kind));
  await until(() => told.length === 1 && followers.every(({ changes }) => changes.length === 1), "all are ready");
  await atrium.db("notes").create({ text: "before" });
  await until(() => followers.every(({ texts }) => texts().length === 1), "the first record is told");

  assert.equal((await stop(first)).code, 0);
  await until(() => followers.every(({ states }) => states.at(-1) === "waiting"), "they have noticed the stop");
  await using second = await launch(environment);
  url = second.url;
  await atrium.db("notes").create({ text: "after the stop" });
  await until(() => followers.every(({ texts }) => texts().length === 2), "the second record is told");
  await until(() => told.length >= 2, "the stream of runs has been reset");
  const before_kill = told.length;

  second.kill("SIGKILL");
  await second.ended;
  await using third = await launch(environment);
  url = third.url;
  await atrium.db("notes").create({ text: "after the kill" });
  await until(() => followers.every(({ texts }) => texts().length === 3), "the third record is told");
  for (const { changes, states, texts, stop } of followers) {
    assert.deepEqual(texts(), ["before", "after the stop", "after the kill"]);
    assert.ok(changes.every(({ kind }) => kind === "create" || kind === "ready"), "nothing was missing");
    stop();
    await until(() => states.at(-1) === "closed", "it is closed");
  }
  await until(() => told.length > before_kill, "the stream of runs is there again");
  assert.deepEqual([...new Set(told)], ["ready", "reset"]);
  stopRuns();
});
