import assert from "node:assert/strict";
import { createGuesses, MOST_GUESSES } from "./guesses.ts";

const ADDRESS = "203.0.113.9";

function stage() {
  const time = { now: Date.UTC(2026, 10, 22, 8, 0, 10) };
  const guesses = createGuesses({ now: () => new Date(time.now) });
  let looked_up = 0;
  const find = (valid: boolean) => () => {
    looked_up++;
    return Promise.resolve(valid ? "viewer" : undefined);
  };
  const guess = async (from: string, count: number, address = ADDRESS) => {
    for (let index = 0; index < count; index++) await guesses.limited(`${from}${index}`, address, find(false));
  };
  return { time, guesses, find, guess, looked_up: () => looked_up };
}

Deno.test("guesses: an address that tried too many wrong tokens is refused without a look-up, until the next minute", async () => {
  const { time, guesses, find, guess, looked_up } = stage();
  await guess("wrong", MOST_GUESSES);
  const before = looked_up();
  await assert.rejects(
    () => guesses.limited("right", ADDRESS, find(true)),
    { status: 429, headers: { "retry-after": "50" } },
  );
  assert.equal(looked_up(), before);
  assert.equal(await guesses.limited("right", "203.0.113.10", find(true)), "viewer", "another address");
  time.now += 50_000;
  // Not "right", which is known to be valid by now.
  assert.equal(await guesses.limited("also right", ADDRESS, find(true)), "viewer");
});

Deno.test("guesses: a token that was valid before, and one wrong token again and again, are not limited", async () => {
  const { guesses, find, guess } = stage();
  await guesses.limited("right", ADDRESS, find(true));
  await guess("wrong", MOST_GUESSES);
  assert.equal(await guesses.limited("right", ADDRESS, find(true)), "viewer");
  for (let index = 0; index < 100; index++) {
    assert.equal(await guesses.limited("wrong0", ADDRESS, find(false)), undefined);
  }
});

Deno.test("guesses: guesses at the same time count, and an IPv6 /64 network is one address", async () => {
  const { guesses, find, guess } = stage();
  const all = await Promise.allSettled(
    Array.from({ length: 2 * MOST_GUESSES }, (_, index) => guesses.limited(`g${index}`, "2001:db8::1", find(false))),
  );
  assert.equal(all.filter(({ status }) => status === "rejected").length, MOST_GUESSES);
  await assert.rejects(() => guess("more", 1, "2001:db8::2"), { status: 429 });
});
