import assert from "node:assert/strict";
import { createGate } from "./gate.ts";

const post = () => new Request("http://atrium.test/", { method: "POST", body: "x" });

/** Whether a promise settles within one turn of the event loop. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  return await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 0, pending))]) !== pending;
}

Deno.test("gate: who is inside is finished, who comes is sent away", async () => {
  const work = Promise.withResolvers<Response>();
  const gate = createGate(() => work.promise);
  const inside = gate.handler(post());
  const empty = gate.close();
  assert.equal(await settled(empty), false);

  for (const method of ["GET", "POST"]) {
    const refused = await gate.handler(new Request("http://atrium.test/", { method }));
    assert.equal(refused.status, 503);
    assert.deepEqual([refused.headers.get("retry-after"), refused.headers.get("connection")], ["1", "close"]);
    assert.equal((await refused.json()).code, "unavailable");
  }
  assert.equal(await settled(empty), false);
  work.resolve(new Response("done"));
  assert.equal(await (await inside).text(), "done");
  await empty;
});

Deno.test("gate: without requests it closes at once, also after a failed request", async () => {
  await createGate(() => Promise.resolve(new Response())).close();
  const gate = createGate(() => Promise.reject(new Error("failed")));
  await assert.rejects(async () => await gate.handler(post()), /failed/);
  await gate.close();
  await gate.close();
});

Deno.test("gate: it closes after the last of several requests", async () => {
  const ends = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  let count = 0;
  const gate = createGate(() => ends[count++]?.promise ?? Promise.reject(new Error("a third request")));
  const answers = ends.map(() => gate.handler(new Request("http://atrium.test/", { method: "POST" })));
  let closed = false;
  const closing = gate.close().then(() => closed = true);
  ends[0]?.resolve(new Response());
  await answers[0];
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(closed, false);
  ends[1]?.resolve(new Response());
  await Promise.all(answers);
  assert.equal(await closing, true);
});
