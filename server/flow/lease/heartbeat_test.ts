/** Two processes that observe each other, with leases in memory. */
import assert from "node:assert/strict";
import { createHeartbeat } from "./heartbeat.ts";
import { createPeers } from "./peers.ts";
import { until } from "../../../test/stage/until.ts";

/** A lease store in memory; `away` makes its writes fail. */
function leases() {
  const standing = new Map<string, string>();
  let count = 0;
  const store = {
    standing,
    away: false,
    renew(name: string, versionstamp: string | null) {
      if (store.away) return Promise.reject(new Error("away"));
      if ((standing.get(name) ?? null) !== versionstamp) return Promise.resolve(undefined);
      standing.set(name, `${++count}`);
      return Promise.resolve(`${count}`);
    },
    remove({ name, versionstamp }: { name: string; versionstamp: string }) {
      return Promise.resolve(standing.get(name) === versionstamp && standing.delete(name));
    },
    list: () => Promise.resolve([...standing].map(([name, versionstamp]) => ({ name, versionstamp }))),
    exists: (name: string) => Promise.resolve(standing.has(name)),
  };
  return store;
}

const ignored = () => {};

/** Longer than the pauses of a busy machine. */
const LEASE_MS = 600;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("owner: a process that was declared dead takes another lease, and reports it once", async () => {
  const store = leases();
  let lost = 0;
  const heartbeat = createHeartbeat(store, LEASE_MS, { lost: () => lost++, failed: ignored });
  const name = await heartbeat.prove();
  store.standing.delete(name);
  await until(() => lost > 0, "it notices");
  const second = await heartbeat.prove();
  assert.notEqual(second, name);
  assert.equal(lost, 1);
  assert.deepEqual([...store.standing.keys()], [second]);
  await heartbeat.end();
  assert.equal(store.standing.size, 0);
});

Deno.test("owner: it is believed as long as its word, and no longer, while the store is away", async () => {
  const store = leases();
  const heartbeat = createHeartbeat(store, LEASE_MS, {
    lost: () => assert.fail("nobody declared it dead"),
    failed: ignored,
  });
  const name = await heartbeat.prove();
  store.away = true;
  assert.equal(await heartbeat.prove(), name);
  // Its lease lapses.
  await pause(LEASE_MS);
  await assert.rejects(heartbeat.prove(), /away/);
  store.away = false;
  assert.equal(await heartbeat.prove(), name);
  await heartbeat.end();
});

Deno.test("peers: a peer is dead after a lease without a heartbeat by the watcher's clock, not earlier", async () => {
  const store = leases();
  store.standing.set("silent", "from long ago");
  const speaker = createHeartbeat(store, LEASE_MS, { lost: () => assert.fail("it speaks"), failed: ignored });
  const name = await speaker.prove();
  const itSpeaks = async () => {
    const last = store.standing.get(name);
    while (store.standing.get(name) === last) await pause(10);
  };
  let now = 0;
  const peers = createPeers(store, LEASE_MS, () => now);
  assert.equal(await peers.declareDead("own"), LEASE_MS);
  await itSpeaks();
  now = LEASE_MS / 2;
  assert.equal(await peers.declareDead("own"), LEASE_MS / 2);
  assert.deepEqual([...store.standing.keys()], ["silent", name]);
  await itSpeaks();
  now = LEASE_MS;
  await peers.declareDead("own");
  assert.equal(await peers.isAlive("silent"), false);
  assert.equal(await peers.isAlive(name), true);
  await speaker.end();
  assert.equal(await peers.declareDead("own"), undefined);
});

Deno.test("peers: a process that is alone declares every other lease dead at once, and keeps its own", async () => {
  const store = leases();
  await store.renew("own", null);
  await store.renew("crashed", null);
  const others = createPeers(store, LEASE_MS);
  await others.declareDead("own");
  assert.deepEqual([...store.standing.keys()], ["own", "crashed"], "a peer may be alive");
  const alone = createPeers(store, LEASE_MS, undefined, true);
  await alone.declareDead("own");
  assert.deepEqual([...store.standing.keys()], ["own"]);
});
