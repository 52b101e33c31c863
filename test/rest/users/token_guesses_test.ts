/** Wrong tokens of one address. On a server of its own, because all tests call from the same address. */
import assert from "node:assert/strict";
import { MOST_GUESSES } from "../../../server/domains/tokens/guesses.ts";
import { startServer } from "../../stage/harness.ts";
import { inOneMinute } from "../../stage/until.ts";

Deno.test("tokens: guessing is throttled by address; a valid token goes on", async () => {
  const server = await startServer();
  const statusOf = async (token?: string) => (await server.request("GET", "/account.json", { token })).status;
  assert.equal(await statusOf(), 200);
  await inOneMinute(async () => {
    const guesses = Array.from({ length: 2 * MOST_GUESSES }, () => crypto.randomUUID());
    const statuses = await Promise.all(guesses.map(statusOf));
    assert.ok(statuses.includes(401) && statuses.includes(429), statuses.join());
    assert.equal(await statusOf(crypto.randomUUID()), 429);
  });
  assert.equal(await statusOf(), 200);
  await server.close();
});
