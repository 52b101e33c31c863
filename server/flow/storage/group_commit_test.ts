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
