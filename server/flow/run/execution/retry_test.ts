import assert from "node:assert/strict";
import { retryAfterMs } from "../../steps/connector.ts";
import { type Effect, StepFault } from "../../steps/fault.ts";
import { StepShape } from "../../steps/registry.ts";
import { unavailable } from "../../../errors.ts";
import { withRetry } from "./retry.ts";

const DONE: Effect = { output: "done", http_status: 200 };
type Cause = StepFault["cause_name"];

/** Executes a step whose attempts fail with these causes and then succeed. No time passes: the waits are recorded. */
async function attempt(retry: Record<string, unknown> | undefined, failures: readonly (Cause | Error)[]) {
  const step = StepShape.parse({ type: "connector", connector_code: "api", method: "get", ...retry && { retry } });
  const waits: number[] = [];
  const began: number[] = [];
  const ended: unknown[] = [];
  let calls = 0;
  const outcome = await withRetry(
    step,
    {
      signal: new AbortController().signal,
      waits: () => {},
      idle: (work) => work(),
      is_transaction: false,
      began: (number) => began.push(number),
      ended: ({ http_status }, fault) => ended.push(fault?.message ?? http_status),
      wait: (ms) => Promise.resolve(void waits.push(ms)),
    },
    () => {
      const failure = failures[calls];
      calls++;
      if (calls > failures.length) return Promise.resolve(DONE);
      return Promise.reject(failure instanceof Error ? failure : new StepFault(`failed ${calls}`, failure));
    },
  ).then(({ output }) => output, (error) => error.message);
  return { outcome, calls, waits, began, ended };
}

const always = (cause: Cause) => Array<Cause>(50).fill(cause);

Deno.test("retry: the exact number of attempts for every allowed value, and one without retry", async () => {
  for (let attempts = 1; attempts <= 10; attempts++) {
    const { outcome, calls, waits, began, ended } = await attempt({ attempts, delay: 1 }, always(503));
    assert.deepEqual([outcome, calls, waits.length], [`failed ${attempts}`, attempts, attempts - 1]);
    assert.deepEqual(began, Array.from({ length: attempts }, (_, index) => index + 1));
    assert.deepEqual(ended, began.map((number) => `failed ${number}`), "each attempt is told once");
  }
  assert.deepEqual(await attempt(undefined, always(503)), {
    outcome: "failed 1",
    calls: 1,
    waits: [],
    began: [1],
    ended: ["failed 1"],
  });
  assert.equal((await attempt({}, always(503))).calls, 3, "the default");
});

Deno.test("retry: the last allowed attempt may succeed, and no attempt follows a success", async () => {
  const { outcome, calls } = await attempt({ attempts: 4 }, [500, 500, 500]);
  assert.deepEqual([outcome, calls], ["done", 4]);
  assert.equal((await attempt({ attempts: 4 }, [500])).calls, 2);
});

Deno.test("retry: exponential waits double up to max_delay, fixed waits stay", async () => {
  const exponential = await attempt({ attempts: 8, delay: 1.5, backoff: "exponential", max_delay: 20 }, always(503));
  assert.deepEqual(exponential.waits, [1_500, 3_000, 6_000, 12_000, 20_000, 20_000, 20_000]);
  const fixed = await attempt({ attempts: 4, delay: 2, backoff: "fixed" }, always(503));
  assert.deepEqual(fixed.waits, [2_000, 2_000, 2_000]);
  const capped = await attempt({ attempts: 3, delay: 9, backoff: "fixed", max_delay: 4 }, always(503));
  assert.deepEqual(capped.waits, [4_000, 4_000]);
  assert.deepEqual((await attempt({ attempts: 8 }, always(503))).waits, [1, 2, 4, 8, 16, 32, 60].map((s) => s * 1_000));
});

Deno.test("retry: every entry of on, and nothing else", async () => {
  const causes: Cause[] = ["network", "timeout", 400, 404, 429, 499, 500, 503, 599, undefined];
  const retried: [on: string | number, causes: Cause[]][] = [
    ["network", ["network"]],
    ["timeout", ["timeout"]],
    ["4xx", [400, 404, 429, 499]],
    ["5xx", [500, 503, 599]],
    [404, [404]],
    [503, [503]],
  ];
  for (const [on, expected] of retried) {
    const found = await Promise.all(
      causes.map(async (cause) => (await attempt({ attempts: 2, on: [on] }, [cause])).calls === 2),
    );
    assert.deepEqual(causes.filter((_, index) => found[index]), expected, String(on));
  }
  const by_default = await Promise.all(causes.map(async (cause) => (await attempt({}, [cause])).calls === 2));
  assert.deepEqual(causes.filter((_, index) => by_default[index]), ["network", "timeout", 429, 500, 503, 599]);
});

Deno.test("retry: a store of the server that is away uses up no attempt", async () => {
  const away = unavailable("The database is away");
  const { outcome, calls, began, waits } = await attempt(undefined, [away, away]);
  assert.deepEqual([outcome, calls, began, waits], ["done", 3, [1], []]);
});

Deno.test("retry: Retry-After lengthens a wait, up to max_delay, and never shortens it", async () => {
  const asks = (ms: number) => new StepFault("busy", 429, undefined, ms);
  const { waits } = await attempt({ attempts: 4, delay: 2, backoff: "fixed" }, [asks(7_000), asks(500), asks(9e9)]);
  assert.deepEqual(waits, [7_000, 2_000, 60_000]);
});

Deno.test("retry: a deadline counts while the clock runs, and begins anew with each page", async () => {
  const parsed = StepShape.parse({ type: "connector", connector_code: "api", method: "get" });
  const step = { ...parsed, timeout: 0.02 };
  const attempts = {
    signal: new AbortController().signal,
    waits: () => {},
    idle: <T>(work: () => Promise<T>) => work(),
    is_transaction: false,
    began: () => {},
    ended: () => {},
    wait: () => Promise.resolve(),
  };
  /** Resolves after three times the timeout. */
  const later = () => new Promise<Effect>((resolve) => setTimeout(() => resolve(DONE), 60));
  const stopped = withRetry(step, attempts, (_, clock) => {
    clock.start();
    clock.stop();
    return later();
  });
  assert.equal((await stopped).output, "done");
  const running = withRetry(step, attempts, (_, clock) => {
    clock.start();
    clock.stop();
    clock.start();
    return new Promise(() => {});
  });
  await assert.rejects(running, /took longer than 0.02 s/);
});

Deno.test("retry: Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-11-21T08:00:00Z");
  assert.equal(retryAfterMs("120", now), 120_000);
  assert.equal(retryAfterMs("3, 5", now), 3_000, "the header was sent twice");
  assert.equal(retryAfterMs("Sat, 21 Nov 2026 08:00:30 GMT", now), 30_000);
  assert.equal(retryAfterMs("Sat, 21 Nov 2026 07:00:00 GMT", now), 0);
  assert.deepEqual(["soon", "", "-5", undefined].map((value) => retryAfterMs(value, now)), [0, 0, 0, 0]);
});
