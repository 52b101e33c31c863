/** The page token of a host's user: asked for in time, taken from the host alone, and waited for after it has ended. */
import assert from "node:assert/strict";

const SOURCE = (await Deno.readTextFile(new URL("shim_renewal.js", import.meta.url))).replace(/;\s*$/, "");

/** Runs the script in a page with a clock and timers of the test. */
function open(renewal: unknown) {
  const page = {
    now: 0,
    asked: 0,
    token: "first",
    timers: [] as { at: number; run: () => void }[],
    wait: (): Promise<void> | undefined => undefined,
    hear: (_: unknown) => {},
    /** Moves the clock, and runs the timers that are due. */
    pass(ms: number) {
      page.now += ms;
      for (const timer of page.timers.splice(0)) timer.at <= page.now ? timer.run() : page.timers.push(timer);
    },
  };
  const parent = { postMessage: ({ atrium }: { atrium: string }) => void (page.asked += atrium === "token" ? 1 : 0) };
  const globals = {
    parent,
    Date: { now: () => page.now },
    addEventListener: (_: string, listener: typeof page.hear) => void (page.hear = listener),
    setTimeout: (run: () => void, ms: number) => {
      const timer = { at: page.now + ms, run };
      page.timers.push(timer);
      return timer;
    },
    clearTimeout: (timer: typeof page.timers[number]) =>
      void (page.timers = page.timers.filter((one) => one !== timer)),
  };
  const carrier = {
    renew: (token: string) => void (page.token = token),
    waitFor: (wait: typeof page.wait) => void (page.wait = wait),
  };
  new Function(...Object.keys(globals), `return (${SOURCE})`)(...Object.values(globals))(carrier, renewal);
  return { page, parent };
}

const RENEWAL = { expires_in: 100, hosts: ["https://crm.example.com", "https://*.example.org"] };

Deno.test("renewal: asks in time and again until it has a token, which it takes from the page around alone", () => {
  const { page, parent } = open(RENEWAL);
  page.pass(74_000);
  assert.equal(page.asked, 0);
  page.pass(1_000);
  page.pass(5_000);
  assert.equal(page.asked, 2);
  const data = { atrium: "token", token: "second", expires_in: 100 };
  const good = { source: parent, origin: "https://crm.example.com", data };
  const bad = [
    { ...good, source: {} },
    { ...good, origin: "null" },
    { ...good, origin: "https://evil.example" },
    { ...good, origin: "https://badexample.org" },
    { ...good, origin: "http://a.example.org" },
    { ...good, data: { ...data, token: 7 } },
    { ...good, data: { ...data, expires_in: -1 } },
    { ...good, data: { ...data, atrium: "host" } },
    { ...good, data: null },
  ];
  for (const message of bad) page.hear(message);
  assert.equal(page.token, "first");
  page.hear({ ...good, origin: "https://a.example.org" });
  assert.equal(page.token, "second");
  page.pass(74_000);
  assert.equal(page.asked, 2);
  page.pass(1_000);
  assert.equal(page.asked, 3);
});

Deno.test("renewal: a request after the end waits for the next token, and not for ever", async () => {
  const { page, parent } = open(RENEWAL);
  assert.equal(page.wait(), undefined);
  // The machine was asleep: no timer has run.
  page.now = 200_000;
  const waiting = page.wait();
  assert.ok(waiting && page.asked === 1);
  page.hear({
    source: parent,
    origin: "https://crm.example.com",
    data: { atrium: "token", token: "new", expires_in: 60 },
  });
  await waiting;
  assert.deepEqual([page.token, page.wait()], ["new", undefined]);
  page.now += 60_000;
  const given_up = page.wait();
  page.pass(15_000);
  await given_up;
});

Deno.test("renewal: a page without a host plans nothing", () => {
  const { page } = open(null);
  assert.deepEqual([page.timers.length, page.wait()], [0, undefined]);
});
