import assert from "node:assert/strict";
import { createTurns } from "./turns.ts";

/** Work that runs until it is told to end. */
function stage(limits: { total: number; per_account: number }) {
  const turns = createTurns(limits);
  const begun: string[] = [];
  const ends = new Map<string, (fails?: boolean) => void>();
  const take = (account: number, name: string) =>
    turns.take(account, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (fails) => fails ? reject(new Error("a fault")) : resolve())
      );
    });
  const end = async (name: string, fails?: boolean) => {
    ends.get(name)?.(fails);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { turns, begun, take, end };
}

Deno.test("turns: accounts come one after the other, whoever has sent more", async () => {
  const { turns, begun, take, end } = stage({ total: 1, per_account: 1 });
  for (const name of ["a1", "a2", "a3"]) take(1, name);
  take(2, "b1");
  assert.deepEqual(begun, ["a1"]);
  assert.equal(turns.count(), 4);
  await end("a1");
  await end("a2");
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  await end("b1", true);
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3"]);
  assert.deepEqual([turns.count(1), turns.count(2)], [1, 0]);
});

Deno.test("turns: an account has its own limit, and does not hold the others up", () => {
  const { begun, take, turns } = stage({ total: 3, per_account: 2 });
  for (const name of ["a1", "a2", "a3"]) take(1, name);
  take(2, "b1");
  take(3, "c1");
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  turns.drain();
  assert.equal(turns.count(), 3);
});
