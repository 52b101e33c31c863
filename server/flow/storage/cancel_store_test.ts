import assert from "node:assert/strict";
import { createCancelStore } from "./cancel_store.ts";

/** Reads are answered when the test says so, with the requests of that moment. */
function controlled() {
  const requested = new Set<string>();
  const reads: { ids: string[]; answer(): void; fail(error: unknown): void }[] = [];
  const getMany = (keys: Deno.KvKey[]) => {
    const ids = keys.map((key) => String(key[1]));
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    reads.push({
      ids,
      answer: () => resolve(ids.map((id) => ({ value: requested.has(id) ? true : null }))),
      fail: reject,
    });
    return promise;
  };
  const store = createCancelStore({ getMany } as unknown as Deno.Kv, { commit: () => Promise.resolve("1") });
  return { requested, reads, store };
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

Deno.test("cancels: questions of one turn share a read, ten at a time", async () => {
  const { requested, reads, store } = controlled();
  requested.add("r3").add("r11");
  const answers = Promise.all(Array.from({ length: 12 }, (_, n) => store.has(`r${n}`)));
  await turn();
  assert.deepEqual(reads.map(({ ids }) => ids.length), [10]);
  reads[0]?.answer();
  await turn();
  assert.deepEqual(reads.map(({ ids }) => ids.length), [10, 2]);
  reads[1]?.answer();
  assert.deepEqual((await answers).flatMap((is_requested, n) => is_requested ? [n] : []), [3, 11]);
});

Deno.test("cancels: a question that is asked during a read is answered by a later one", async () => {
  const { requested, reads, store } = controlled();
  const first = store.has("a");
  await turn();
  const second = store.has("a");
  reads[0]?.answer();
  assert.equal(await first, false);
  requested.add("a");
  await turn();
  reads[1]?.answer();
  assert.equal(await second, true);
  const third = store.has("b");
  await turn();
  reads[2]?.fail(new Error("away"));
  await assert.rejects(third, /away/);
  const fourth = store.has("a");
  await turn();
  reads[3]?.answer();
  assert.equal(await fourth, true, "a failed read stops no later one");
});
