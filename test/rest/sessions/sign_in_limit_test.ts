/** Limits of attempts to sign in, by login and by address. */
import assert from "node:assert/strict";
import { ADMIN_PASSWORD, startServer, type TestServer } from "../../stage/harness.ts";

const sanitizers = { sanitizeOps: false, sanitizeResources: false };

function onServer(name: string, work: (server: TestServer) => Promise<void>): void {
  Deno.test(name, sanitizers, async () => {
    const server = await startServer({ TRUSTED_PROXIES: "1" });
    try {
      await work(server);
    } finally {
      await server.close();
    }
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

onServer("sign-in limit: a success forgives earlier attempts for its login", async (server) => {
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 9; index++) {
      assert.equal((await attempt(server, "admin", "wrong", `192.0.2.${round}${index}`)).status, 401);
    }
    assert.equal((await attempt(server, "admin", ADMIN_PASSWORD, "192.0.2.200")).status, 201);
  }
});
