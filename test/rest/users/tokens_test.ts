/** API tokens: secret, expiry, scopes, revocation, last use. */
import assert from "node:assert/strict";
import { createLog } from "../../../server/log.ts";
import { createTokenViewers } from "../../../server/domains/tokens/viewer_cache.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";
import { untilPassed } from "../../stage/until.ts";

const inAccount = onSharedServer();

const ALL = "/account/tokens.json";
const at = (id: unknown) => `/account/tokens/${id}.json`;
const json = (token: unknown) => ({ json: { token } });
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

inAccount("tokens: create and list", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const refused = (name: string, fields: unknown, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: json(fields),
    status: 422,
    body,
  });
  let secret = "";
  await play([
    {
      name: "create: the secret is shown: atr_ and 32 bytes in base62",
      method: "POST",
      path: ALL,
      sent: json({ name: "Script" }),
      status: 201,
      body: { name: "Script", token: /^atr_[0-9A-Za-z]{43}$/, scopes: null, expires_at: null, last_used_at: null },
      then: ({ body }) => secret = body.token,
    },
    {
      name: "create: with expiry and scopes",
      method: "POST",
      path: ALL,
      sent: json({
        name: "Reader",
        scopes: ["departments:read", "apps:write"],
        expires_at: "2099-01-02T03:04:05+02:00",
      }),
      status: 201,
      body: { scopes: ["departments:read", "apps:write"], expires_at: "2099-01-02T01:04:05.000+00:00" },
    },
    refused("a name is needed", {}, { name: ["can't be blank"] }),
    refused("an unknown scope", { name: "x", scopes: ["departments:read", "departments:destroy"] }, {
      "scopes.1": ["is not included in the list"],
    }),
    refused("an expiry in the past", { name: "x", expires_at: hours(-1) }, { expires_at: /./ }),
    ...["tomorrow", "2024-02-30T00:00:00Z", "2099-01-01", "2099-01-01T00:00:00", 4_070_908_800].map((expires_at) =>
      refused(`${JSON.stringify(expires_at)} is no time`, { name: "x", expires_at }, { expires_at: /./ })
    ),
    refused("another account's user", { name: "x", user_setting_id: stranger.id }, { user_setting_id: /./ }),
  ]);
  const { body: tokens, headers } = await ask("GET", ALL);
  assert.equal(headers.get("x-total-count"), "3", "its first and two more; none of another account");
  const shown = JSON.stringify(tokens);
  assert.ok(!shown.includes("atr_"), "a list shows no secret");
  assert.doesNotMatch(shown, /hash/);
  const [row] = await server.sql<{ text: string }[]>`select json_agg(t)::text as text from tokens t`;
  const stored = row?.text ?? "";
  assert.ok(stored.includes("Script") && !stored.includes(secret), "only the hash is stored");
  assert.match(stored, /\\\\x[0-9a-f]{64}"/, "a SHA-256");
  assert.ok(!server.logged.join("\n").includes(secret), "nor is it logged");
});

inAccount("tokens: are found by words and by user; others find only their own", async ({ ask }) => {
  const person = await addPerson(ask, "user", { name: "Grace Hopper" });
  await addToken(ask, { name: "ÄRZTE export" });
  await addToken(ask, { name: "Import 50%", user_setting_id: person.id });
  await addToken(ask, { name: "Orders", user_setting_id: person.id });
  const found = async (query: string, token?: string) => {
    const { status, body, headers } = await ask("GET", `${ALL}?sort=id&${query}`, token ? { token } : {});
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(headers.get("x-total-count"), String(body.length));
    return body.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await found("q=a%CC%88rzte"), ["ÄRZTE export"], "folded, in either form of Unicode");
  assert.deepEqual(await found("q=50%25"), ["Import 50%"], "a wildcard stands for itself");
  const theirs = await found(`user_setting_id=${person.id}`);
  assert.deepEqual(theirs.slice(-2), ["Import 50%", "Orders"]);
  assert.deepEqual(await found("q=hopper"), theirs, "an admin finds them by their user");
  assert.deepEqual(await found(`q=ORD&user_setting_id=${person.id}`), ["Orders"]);
  assert.deepEqual(await found("q=export", person.token), []);
  assert.deepEqual(await found("q=port", person.token), ["Import 50%"]);
  const { body: me } = await ask("GET", "/account/me.json");
  assert.deepEqual(await found(`user_setting_id=${me.user.id}`, person.token), []);
});

inAccount("tokens: revoked, expired and wrong ones", async ({ server, ask, play }) => {
  const person = await addPerson(ask, "user");
  const theirs = as(ask, person.token);
  const secret = await addToken(theirs, { name: "To be revoked" });
  const [{ id } = { id: 0 }] = (await theirs("GET", `${ALL}?sort=-id`)).body;
  const call = (name: string, token: string | null, status: number, more: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "GET",
    path: `/account/user_settings/${person.id}.json`,
    sent: { token },
    status,
    ...more,
  });
  const stranger = await addAccount(server);
  // Long enough for the two requests on a busy machine.
  const expires_at = new Date(Date.now() + 5_000);
  const soon = await addToken(ask, { user_setting_id: person.id, expires_at: expires_at.toISOString() });
  await play([
    call("one that expires soon opens until then", soon, 200),
    call("a token opens", secret, 200),
    {
      name: "delete: another account's is missing",
      method: "DELETE",
      path: at(id),
      sent: { token: stranger.token },
      status: 404,
    },
    { name: "delete", method: "DELETE", path: at(id), sent: { token: person.token }, status: 204 },
    call("revocation holds at once", secret, 401),
    { name: "delete again", method: "DELETE", path: at(id), status: 404 },
    call("no token", null, 401, { headers: { "www-authenticate": "Bearer" } }),
    call("an unknown token", "atr_0000000000000000000000000000000000000000000", 401),
    call("a token is compared whole", person.token.slice(0, -1), 401),
    call("and with its case", person.token.toLowerCase(), 401),
    ...["Basic YTpi", "Bearer", "Bearer ", person.token, `Token ${person.token}`, `Bearer ${person.token} x`].map((
      authorization,
    ) =>
      call(`not a bearer token: ${authorization.slice(0, 9)}…`, null, 401, {
        sent: { token: null, headers: { authorization } },
      })
    ),
    call("the scheme has no case", null, 200, {
      sent: { token: null, headers: { authorization: `bearer ${person.token}` } },
    }),
  ]);
  await untilPassed(expires_at);
  await play([call("an expired one opens nothing", soon, 401)]);
});

inAccount("tokens: whose they are", async ({ ask, admin, play }) => {
  const [user, manager] = [await addPerson(ask, "user"), await addPerson(ask, "manager")];
  const ids = (await ask("GET", `${ALL}?sort=id`)).body.map(({ id }: { id: number }) => id);
  assert.equal(ids.length, 3, "an admin sees everybody's");
  const [, of_user] = ids;
  await play([
    {
      name: "a user sees its own",
      method: "GET",
      path: ALL,
      sent: { token: user.token },
      status: 200,
      body: [{ id: of_user, user_setting_id: user.id }],
      headers: { "x-total-count": "1" },
    },
    {
      name: "a user creates no tokens for others",
      method: "POST",
      path: ALL,
      sent: { ...json({ name: "x", user_setting_id: admin.id }), token: user.token },
      status: 403,
    },
    {
      name: "a manager revokes no tokens of others",
      method: "DELETE",
      path: at(of_user),
      sent: { token: manager.token },
      status: 404,
    },
    { name: "an admin does", method: "DELETE", path: at(of_user), status: 204 },
  ]);
});

inAccount("tokens: one with scopes cannot make one that may do more", async ({ ask, play }) => {
  const limited = await addToken(ask, { scopes: ["tokens:write", "departments:read"] });
  const mint = (name: string, fields: Record<string, unknown>, status: number): Scenario => ({
    name,
    method: "POST",
    path: ALL,
    sent: { ...json({ name: "Minted", ...fields }), token: limited },
    status,
  });
  await play([
    mint("the same scopes", { scopes: ["departments:read", "tokens:write"] }, 201),
    mint("fewer", { scopes: ["departments:read"] }, 201),
    mint("another one", { scopes: ["departments:read", "departments:write"] }, 403),
    mint("none, which is all", {}, 403),
    mint("null, which is all", { scopes: null }, 403),
    mint("an empty list, which is nothing", { scopes: [] }, 201),
    { name: "without tokens:read it lists none", method: "GET", path: ALL, sent: { token: limited }, status: 403 },
  ]);
  const reader = await addToken(ask, { scopes: ["departments:read"] });
  await play([{
    ...mint("without tokens:write it makes none", { scopes: ["departments:read"] }, 403),
    sent: { ...json({ name: "x", scopes: ["departments:read"] }), token: reader },
  }]);
});

inAccount("tokens: one with an empty list of scopes may do nothing", async ({ ask, play }) => {
  const token = await addToken(ask, { scopes: [] });
  const paths = [
    "/account.json",
    ALL,
    "/account/departments.json",
    "/platform/apps.json",
    "/connect/flow_processes.json",
  ];
  await play(paths.map((path) => ({ name: path, method: "GET", path, sent: { token }, status: 403 })));
});

inAccount("tokens: last use, and what another process knows", async ({ server, ask }) => {
  const secret = await addToken(ask, { name: "Used" });
  const read = async () => (await ask("GET", `${ALL}?sort=-id`)).body[0];
  assert.equal((await read()).last_used_at, null);

  // Stands for another process on the same database. The test moves its clock.
  let now = new Date();
  const clock = { now: () => now };
  const ADDRESS = "203.0.113.9";
  const elsewhere = createTokenViewers({ sql: server.sql, clock, log: createLog(() => {}) });
  assert.equal((await elsewhere.byToken(secret, ADDRESS))?.role, "admin");
  await ask("DELETE", at((await read()).id));
  now = new Date(now.getTime() + 5_000);
  assert.equal(await elsewhere.byToken(secret, ADDRESS), undefined, "revocation holds within 5 s in another process");

  const again = await addToken(ask, { name: "Used again" });
  await elsewhere.byToken(again, ADDRESS);
  await elsewhere.close();
  assert.equal((await read()).last_used_at, now.toISOString().replace("Z", "+00:00"));
});

inAccount("tokens: scopes open what they name", async ({ ask }) => {
  const reads: [scope: string, path: string][] = [
    ["account", "/account.json"],
    ["departments", "/account/departments.json"],
    ["user_settings", "/account/user_settings.json"],
    ["teams", "/account/teams.json"],
    ["groups", "/account/groups.json"],
    ["mailboxes", "/account/mailboxes.json"],
    ["tokens", "/account/tokens.json"],
    ["apps", "/platform/apps.json"],
  ];
  await inTurn(reads, async ([domain]) => {
    const token = await addToken(ask, { scopes: [`${domain}:read`] });
    await inTurn(reads, async ([other, path]) => {
      const { status } = await ask("GET", path, { token });
      assert.equal(status, other === domain ? 200 : 403, `${domain}:read on GET ${path}`);
    });
    const write = await ask("PATCH", "/account.json", { json: { account: {} }, token });
    assert.equal(write.status, 403, `${domain}:read writes nothing`);
  });
  const writer = await addToken(ask, { scopes: ["departments:write"] });
  const json = { department: { name: "Written" } };
  const { id } = made(await ask("POST", "/account/departments.json", { json, token: writer }));
  assert.equal((await ask("GET", "/account/departments.json", { token: writer })).status, 403, "write is not read");
  assert.equal((await ask("DELETE", `/account/departments/${id}.json`, { token: writer })).status, 204);
  assert.equal(
    (await ask("POST", "/account/teams.json", { json: { team: { name: "x" } }, token: writer })).status,
    403,
  );
});
