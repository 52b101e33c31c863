/** Limits of attempts to sign in, by login and by address. */
import assert from "node:assert/strict";
import type { Passwords } from "../../../server/secrets/passwords.ts";
import { ADMIN_PASSWORD, startServer, type TestServer } from "../../stage/harness.ts";
import { quickPasswords } from "../../stage/places/places.ts";
import { until } from "../../stage/until.ts";

const sanitizers = { sanitizeOps: false, sanitizeResources: false };

/** While a test closes it, comparisons of passwords wait. */
const gate = { opens: Promise.resolve() };
const passwords = quickPasswords();
const gated: Passwords = {
  ...passwords,
  async verify(...parts) {
    await gate.opens;
    return await passwords.verify(...parts);
  },
};

const shared: { server?: TestServer } = {};
Deno.test.beforeAll(async () =>
  void (shared.server = await startServer({ TRUSTED_PROXIES: "1" }, { passwords: gated }))
);
Deno.test.afterAll(() => shared.server?.close());

/** Each test begins without attempts. */
function onServer(name: string, work: (server: TestServer) => Promise<void>): void {
  Deno.test(name, sanitizers, async () => {
    const { server } = shared;
    if (!server) throw new Error("the server has not started");
    await server.sql`delete from sign_in_attempts`;
    await work(server);
  });
}

const attempt = ({ request }: TestServer, login: string, password: string, address: string) =>
  request("POST", "/account/session.json", {
    token: null,
    json: { session: { login, password } },
    headers: { "x-forwarded-for": address },
  });

onServer("sign-in limit: ten wrong passwords for a login refuse the eleventh attempt, right or not", async (server) => {
  const wrong = await Promise.all(
    Array.from({ length: 14 }, (_, index) => attempt(server, "Admin", "wrong", `192.0.2.${index}`)),
  );
  const count = (status: number) => wrong.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(401), count(429)], [10, 4], "however many are sent at once");
  const right = await attempt(server, " admin", ADMIN_PASSWORD, "192.0.2.99");
  assert.equal(right.status, 429);
  const seconds = Number(right.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 900, `${seconds}`);
  await server.sql`update sign_in_attempts set attempted_at = attempted_at - interval '15 minutes'`;
  assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "192.0.2.99")).status, 201);
  await server.sweep();
  const left = await server.sql`select 1 from sign_in_attempts`;
  assert.equal(left.length, 0);
});

onServer(
  "sign-in limit: ten wrong passwords from an address refuse further logins from its network",
  async (server) => {
    const ten = Array.from({ length: 10 }, (_, index) => attempt(server, `guess ${index}`, "wrong", "2001:db8::1"));
    assert.deepEqual(new Set((await Promise.all(ten)).map(({ status }) => status)), new Set([401]));
    assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "2001:db8:0:0:ffff::2")).status, 429);
    assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "2001:db8:0:1::2")).status, 201);
  },
);

onServer(
  "sign-in limit: a flood of guesses leaves other requests alone, and is refused where too many wait",
  async (server) => {
    const { promise: opens, resolve: open } = Promise.withResolvers<void>();
    gate.opens = opens;
    let answered = 0;
    // Each guess has a login and an address of its own, so that no limit but that of the queue refuses it.
    const guesses = Array.from({ length: 40 }, async (_, index) => {
      const guess = await attempt(server, `flood ${index}`, "wrong", `198.51.100.${index}`);
      answered++;
      return guess;
    });
    await until(() => answered === 16, "4 are in progress, 20 wait, and 16 are refused");
    const others = await Promise.all(Array.from({ length: 20 }, () => server.request("GET", "/account.json")));
    assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([200]));
    assert.equal(answered, 16, "the others were answered while guesses waited");
    open();
    const answers = await Promise.all(guesses);
    const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted);
    const full = withStatus(503);
    assert.equal(full.length, 16);
    assert.deepEqual(new Set(full.map(({ headers }) => headers.get("retry-after"))), new Set(["5"]));
    assert.equal(withStatus(401).length, 24);
    const [row] = await server.sql<{ count: number }[]>`select count(*)::int as count from sign_in_attempts`;
    assert.equal(row?.count, 2 * 24, "a guess that was not compared does not count");
    assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "198.51.100.200")).status, 201);
  },
);

onServer("sign-in limit: a success forgives earlier attempts for its login", async (server) => {
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 9; index++) {
      assert.equal((await attempt(server, "admin", "wrong", `192.0.2.${round}${index}`)).status, 401);
    }
    assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "192.0.2.200")).status, 201);
  }
});
