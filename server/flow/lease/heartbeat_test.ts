/** Two processes that watch each other, over names kept in memory. */
import assert from "node:assert/strict";
import { createOthers } from "./peers.ts";
import { createOwner } from "./heartbeat.ts";

/** What `flow_owners` does; `away` is a store that cannot be written. */
function names() {
  const standing = new Map<string, string>();
  let count = 0;
  const store = {
    standing,
    away: false,
    sayAlive(name: string, versionstamp: string | null) {
      if (store.away) return Promise.reject(new Error("away"));
      if ((standing.get(name) ?? null) !== versionstamp) return Promise.resolve(undefined);
      standing.set(name, `${++count}`);
      return Promise.resolve(`${count}`);
    },
    bury({ name, versionstamp }: { name: string; versionstamp: string }) {
      return Promise.resolve(standing.get(name) === versionstamp && standing.delete(name));
    },
    listOwners: () => Promise.resolve([...standing].map(([name, versionstamp]) => ({ name, versionstamp }))),
    isStanding: (name: string) => Promise.resolve(standing.has(name)),
  };
  return store;
}

const unheard = () => {};

/** Much more than a busy machine stands still. */
const LEASE_MS = 600;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("owner: one that was declared dead takes another name, and is told once", async () => {
  const store = names();
  let lost = 0;
  const owner = createOwner(store, LEASE_MS, { lost: () => lost++, silent: unheard });
  const name = await owner.prove();
  store.standing.delete(name);
  await pause(LEASE_MS / 2);
  const second = await owner.prove();
  assert.notEqual(second, name);
  assert.equal(lost, 1);
  assert.deepEqual([...store.standing.keys()], [second]);
  await owner.end();
  assert.equal(store.standing.size, 0);
});

Deno.test("owner: it is believed as long as its word, and no longer, while the store is away", async () => {
  const store = names();
  const owner = createOwner(store, LEASE_MS, { lost: () => assert.fail("nobody declared it dead"), silent: unheard });
  const name = await owner.prove();
  store.away = true;
  assert.equal(await owner.prove(), name);
  await pause(LEASE_MS);
  await assert.rejects(owner.prove(), /away/);
  store.away = false;
  assert.equal(await owner.prove(), name);
  await owner.end();
});

Deno.test("others: dead is who says nothing for a lease by the watcher's clock, and nobody sooner", async () => {
  const store = names();
  store.standing.set("silent", "from long ago");
  const speaker = createOwner(store, LEASE_MS, { lost: () => assert.fail("it speaks"), silent: unheard });
  const name = await speaker.prove();
  const itSpeaks = async () => {
    const last = store.standing.get(name);
    while (store.standing.get(name) === last) await pause(10);
  };
  let now = 0;
  const others = createOthers(store, LEASE_MS, () => now);
  assert.equal(await others.bury("own"), LEASE_MS);
  await itSpeaks();
  now = LEASE_MS / 2;
  assert.equal(await others.bury("own"), LEASE_MS / 2);
  assert.deepEqual([...store.standing.keys()], ["silent", name]);
  await itSpeaks();
  now = LEASE_MS;
  await others.bury("own");
  assert.equal(await others.isStanding("silent"), false);
  assert.equal(await others.isStanding(name), true);
  await speaker.end();
  assert.equal(await others.bury("own"), undefined);
});
