import assert from "node:assert/strict";
import { Refusal } from "../errors.ts";
import { createCounter, DEFAULTS, type RateLimits, type Who } from "./rate_limits.ts";

const visitor = (address: string, app_id?: string): Who => ({ account_id: 1, viewer: undefined, address, app_id });
const member = (ids: Partial<NonNullable<Who["viewer"]>>, account_id = 1): Who => ({
  account_id,
  viewer: { token_id: null, session_id: null, user_id: 1, ...ids },
  address: "192.0.2.1",
});

function counting() {
  const clock = { ms: 1_000_000, now: () => new Date(clock.ms) };
  const { count } = createCounter(clock);
  /** How many of 1,000 requests are counted before one is refused, and the refusal's headers. */
  const use = (own: RateLimits, who: Who, kind: "requests" | "actions" = "requests") => {
    for (let counted = 0; counted < 1_000; counted++) {
      try {
        count(own, kind, who);
      } catch (error) {
        assert.ok(error instanceof Refusal && error.status === 429);
        return { counted, headers: error.headers };
      }
    }
    return { counted: 1_000, headers: undefined };
  };
  return { clock, count, use, used: (...sent: Parameters<typeof use>) => use(...sent).counted };
}

Deno.test("rate limits: a minute's allowance at once; it comes back evenly, and never more than a minute's", () => {
  const { clock, use, used } = counting();
  const [own, who] = [{ requests: 60 }, member({ token_id: 1 })];
  const first = use(own, who);
  assert.equal(first.counted, 60);
  assert.deepEqual(first.headers, {
    "retry-after": "1",
    "ratelimit-policy": '"requests";q=60;w=60',
    "ratelimit": '"requests";r=0;t=1',
  });
  clock.ms += 999;
  assert.equal(used(own, who), 0);
  clock.ms += 1;
  assert.equal(used(own, who), 1);
  clock.ms += 10_000;
  assert.equal(used(own, who), 10);
  clock.ms += 3_600_000;
  assert.equal(used(own, who), 60);
  assert.equal(use({ requests: 3 }, member({ token_id: 2 })).headers?.["retry-after"], "20");
});

Deno.test("rate limits: each token, session, embedded user and network has its own allowance", () => {
  const { used } = counting();
  const own = { requests: 5 };
  const each = [
    member({ token_id: 1 }),
    member({ token_id: 2 }),
    member({ session_id: 1 }),
    member({ user_id: 1 }),
    member({ user_id: 2 }),
    visitor("192.0.2.1"),
    visitor("192.0.2.1", "an app"),
    visitor("2001:db8::1"),
    visitor("2001:db8:0:1::1"),
  ];
  assert.deepEqual(each.map((who) => used(own, who)), each.map(() => 5));
  assert.equal(used(own, visitor("2001:db8::2")), 0, "the same /64 network");
  assert.equal(used({ actions: 5 }, member({ token_id: 1 }), "actions"), 5, "kinds are counted apart");
});

Deno.test("rate limits: an account has one allowance for all its callers", () => {
  const { used } = counting();
  const own = { account_requests: 5 };
  assert.equal(used(own, member({ token_id: 1 })), 5);
  assert.equal(used(own, member({ token_id: 2 })), 0);
  assert.equal(used(own, member({ token_id: 3 }, 2)), 5, "another account");
});

Deno.test("rate limits: the defaults hold for other machines; null is no limit", () => {
  const { used } = counting();
  assert.equal(used({}, visitor("192.0.2.1"), "actions"), DEFAULTS.actions);
  assert.equal(used({ actions: null }, visitor("192.0.2.2"), "actions"), 1_000);
  for (const address of ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]) {
    assert.equal(used({}, visitor(address), "actions"), 1_000, address);
  }
  assert.equal(used({ actions: 2 }, visitor("127.0.0.1"), "actions"), 2, "an account's own limits hold here, too");
});
