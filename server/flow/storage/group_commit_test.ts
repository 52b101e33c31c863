import assert from "node:assert/strict";
import { createCommits } from "./group_commit.ts";

Deno.test("commits: of concurrent writes that check the same key one succeeds", async () => {
  using kv = await Deno.openKv(":memory:");
  const { commit } = createCommits(kv, 90);
  const writes = ["a", "b", "a", "a"].map((name, value) =>
    commit({ checks: [{ key: [name], versionstamp: null }], sets: [{ key: [name], value }] })
  );
  const done = await Promise.all(writes);
  assert.deepEqual(done.map((versionstamp) => versionstamp !== undefined), [true, true, false, false]);
  assert.deepEqual([(await kv.get(["a"])).value, (await kv.get(["b"])).value], [0, 1]);
});

Deno.test("commits: no commit has more checks or bytes of keys than a hosted store takes", async () => {
  using kv = await Deno.openKv(":memory:");
  const commits: { checks: number; key_bytes: number }[] = [];
  const counted: Pick<Deno.Kv, "atomic"> = {
    atomic() {
      const counts = { checks: 0, key_bytes: 0 };
      const atomic = kv.atomic();
      const count = (key: Deno.KvKey) => counts.key_bytes += key.join("").length;
      return Object.assign(Object.create(atomic), {
        check(...checks: Deno.AtomicCheck[]) {
          counts.checks += checks.length;
          checks.forEach(({ key }) => count(key));
          atomic.check(...checks);
        },
        set(key: Deno.KvKey, value: unknown) {
          count(key);
          atomic.set(key, value);
        },
        commit() {
          commits.push(counts);
          return atomic.commit();
        },
      });
    },
  };
  const { commit } = createCommits(counted, 10);
  const keys = Array.from({ length: 150 }, (_, number) => ["key".repeat(500), number]);
  await Promise.all(keys.map((key) => commit({ checks: [{ key, versionstamp: null }], sets: [{ key, value: 1 }] })));
  assert.ok(commits.length >= 15);
  assert.deepEqual(commits.filter(({ checks, key_bytes }) => checks > 10 || key_bytes > 90 * 1024), []);
  assert.equal((await Array.fromAsync(kv.list({ prefix: [] }))).length, 150);
});

Deno.test("commits: a refused write does not fail the others of its commit", async () => {
  using kv = await Deno.openKv(":memory:");
  const { commit } = createCommits(kv, 90);
  const tooLarge = new Uint8Array(100_000);
  const [small, large, other] = await Promise.allSettled([
    commit({ sets: [{ key: ["small"], value: 1 }] }),
    commit({ sets: [{ key: ["large"], value: tooLarge }] }),
    commit({ sets: [{ key: ["other"], value: 2 }] }),
  ]);
  assert.deepEqual([small, large, other].map((one) => one?.status), ["fulfilled", "rejected", "fulfilled"]);
  assert.equal((await kv.get(["other"])).value, 2);
});
