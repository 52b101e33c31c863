import assert from "node:assert/strict";
import { waiting } from "./cron_ticks.ts";
import { createLog } from "../log.ts";

const quiet = createLog(() => {});

Deno.test("a handler that is called before its work is there waits for it", async () => {
  const { begin, handler } = waiting("tick");
  let done = 0;
  const called = handler();
  await Promise.resolve();
  assert.equal(done, 0);
  begin(() => Promise.resolve(++done), quiet);
  await called;
  assert.equal(done, 1);
  await handler();
  assert.equal(done, 2);
});

Deno.test("work that fails is logged, and the next call does it again", async () => {
  const lines: string[] = [];
  const log = createLog((text) => lines.push(text));
  const { begin, handler } = waiting("tick");
  let calls = 0;
  begin(() => ++calls === 1 ? Promise.reject(new Error("the database is away")) : Promise.resolve(), log);
  await handler();
  await handler();
  log.flush();
  assert.equal(calls, 2);
  assert.match(lines.join(""), /"event":"tick failed","fault":"the database is away"/);
});

Deno.test("a hosting platform finds all registrations: at most ten, before anything is awaited or loaded", async () => {
  const main = await Deno.readTextFile(new URL("../../main.ts", import.meta.url));
  const loaded = [...main.matchAll(/^import (?!type).* from "(.+)";$/gm)].map(([, from]) => from);
  assert.deepEqual(loaded, ["./server/log.ts", "./server/process/cron_ticks.ts", "./server/process/stop_signal.ts"]);
  const [, body = ""] = main.split("if (import.meta.main) {");
  assert.ok(body.indexOf("registerTick()") > 0 && body.indexOf("registerTick()") < body.indexOf("await"));
  const registrations = await Deno.readTextFile(new URL("cron_ticks.ts", import.meta.url));
  assert.equal(registrations.match(/Deno\.cron\(/g)?.length, 2);
});
