import assert from "node:assert/strict";
import { createCommits } from "./commits.ts";

async function withKv(work: (kv: Deno.Kv, commits: () => number) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  let count = 0;
  const atomic = kv.atomic.bind(kv);
  kv.atomic = () => {
    count++;
    return atomic();
  };
  await work(kv, () => count);
  kv.close();
}

Deno.test("commits: what comes at once is committed together, whoever fails its checks fails alone", () =>
  withKv(async (kv, commits) => {
    const { commit } = createCommits(kv);
    const set = (name: string) => commit({ sets: [{ key: [name], value: name }] });
    const all = await Promise.all(["a", "b", "c"].map(set));
    assert.equal(new Set(all).size, 1, "one commit, one versionstamp");
    assert.equal(commits(), 1);
    const absent = (name: string) =>
      commit({ checks: [{ key: [name], versionstamp: null }], sets: [{ key: [name], value: 2 }] });
    const [taken, free] = await Promise.all([absent("a"), absent("d")]);
    assert.equal(taken, undefined);
    assert.ok(free);
    assert.deepEqual([(await kv.get(["a"])).value, (await kv.get(["d"])).value], ["a", 2]);
  }));

Deno.test("commits: a patient one goes along with the next, or alone after a moment", () =>
  withKv(async (kv, commits) => {
    const { commit } = createCommits(kv);
    await kv.set(["old"], 1);
    const removal = commit({ deletes: [["old"]], patient: true });
    await commit({ sets: [{ key: ["new"], value: 1 }] });
    await removal;
    assert.equal(commits(), 1);
    await commit({ deletes: [["new"]], patient: true });
    assert.deepEqual([commits(), (await kv.get(["new"])).value], [2, null]);
  }));

Deno.test("commits: more than one commit takes goes into several", () =>
  withKv(async (kv, commits) => {
    const { commit } = createCommits(kv);
    const value = new Uint8Array(50_000);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => commit({ sets: [{ key: ["n", n], value }], bytes: value.length })),
    );
    assert.equal(commits(), 3);
    assert.equal((await Array.fromAsync(kv.list({ prefix: ["n"] }))).length, 30);
  }));
