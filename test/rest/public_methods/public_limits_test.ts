/** Public methods: the limit of writes, CORS, and fields that `scope_by` may name. */
import assert from "node:assert/strict";
import { startServer } from "../../stage/harness.ts";
import { made } from "../../stage/people.ts";
import { inTurn, onOwnServer, proven, type Scenario, testBeside } from "../../stage/scenario.ts";
import { inOneMinute } from "../../stage/until.ts";
import { addDb, bearer, browser } from "../../stage/visitors.ts";

// Callers without a login belong to the default account.
const test = (name: string, work: Parameters<ReturnType<typeof onOwnServer>>[1]) =>
  onAccount(name, work, { of_default: true });
const onAccount = onOwnServer();

const FIELDS = { title: "string", owner: "string" };
const ALL = { list: {}, create: {}, update: {}, delete: {} };

test("public writes: so many a minute and address, unless signed in", async ({ ask, admin, server }) => {
  const limited = (public_write_limit: number) =>
    addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL, public_write_limit });
  const data = { title: "x" };
  await inOneMinute(async () => {
    const code = await limited(2);
    const visit = browser(ask, code);
    const { id } = made(await visit("create", { data }));
    assert.equal((await visit("update", { id, data })).status, 200);
    await inTurn(["create", "update", "delete"], async (method) => {
      const { status, headers } = await visit(method, { id, data });
      assert.equal(status, 429, method);
      const seconds = Number(headers.get("retry-after"));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
    });
    assert.equal((await browser(ask, code)("create", { data })).status, 429, "another browser, the same address");
    assert.equal((await visit("list")).status, 200, "reading is not counted");
    assert.equal((await bearer(ask, code, admin.token)("create", { data })).status, 201, "a login is not counted");
    await server.sql`update public_writes set minute = minute - 1`;
    assert.equal((await visit("create", { data })).status, 201, "the next minute");
  });

  const none = await limited(0);
  assert.equal((await browser(ask, none)("create", { data })).status, 403);
  assert.equal((await browser(ask, none)("list")).status, 200);
  assert.equal((await bearer(ask, none, admin.token)("create", { data })).status, 201);
});

test("public writes: callers at once do not get past the limit", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL, public_write_limit: 5 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => browser(ask, code)("create", { data: { title: "x" } })),
  );
  const created = answers.filter(({ status }) => status === 201).length;
  // The count starts again if a minute ends during the test.
  assert.ok(created === 5 || created === 10, `${created}`);
});

testBeside({
  name: "public writes: an IPv6 network is one caller",
  async fn() {
    const server = await startServer({ TRUSTED_PROXIES: "1" });
    const ask = proven(server.request);
    const rows: [address: string, status: number][] = [
      ["2001:db8:1:2::1", 201],
      ["2001:db8:1:2:ffff::2", 201],
      ["2001:DB8:1:2::3", 429],
      ["2001:db8:1:3::1", 201],
      ["198.51.100.7", 201],
      ["::ffff:198.51.100.7", 201],
      ["::ffff:c633:6407", 429],
      ["198.51.100.8", 201],
    ];
    await inOneMinute(async () => {
      const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL, public_write_limit: 2 });
      await inTurn(rows, async ([address, status]) => {
        const answer = await browser(ask, code, { "x-forwarded-for": address })("create", { data: { title: "x" } });
        assert.equal(answer.status, status, address);
      });
    });
    await server.close();
  },
});

test("public methods: any origin may call them, and no other HTTP method does", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL });
  const path = `/platform/db/${code}/list`;
  const preflight = await ask("OPTIONS", path, {
    token: null,
    headers: {
      origin: "null",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-app-token",
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST/);
  for (const header of ["authorization", "content-type", "x-app-token"]) {
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", new RegExp(header));
  }
  await inTurn([path, `/platform/db/${code}/nope`, `/platform/db/${code}/create`], async (path) => {
    const { headers } = await ask("POST", path, { token: null, headers: { origin: "https://elsewhere.test" } });
    assert.equal(headers.get("access-control-allow-origin"), "*", "a refusal can be read, too");
    assert.equal(headers.get("access-control-allow-credentials"), null);
    assert.equal(headers.get("cache-control"), "no-store");
  });
  await inTurn(["GET", "HEAD", "PUT", "PATCH", "DELETE"] as const, async (method) => {
    const { status, headers } = await ask(method, path, { token: null });
    assert.equal(status, 405, method);
    assert.match(headers.get("allow") ?? "", /POST/);
  });
});

test("public list: __proto__ in a filter is refused", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: { a: "string" } }, public_methods: { list: {} } });
  const filters = ['{"__proto__":"x"}', '{"a":{"__proto__":"x"}}', '{"__proto__":{"eq":"x"},"a":"y"}'];
  for (const filter of filters) {
    const { status, body } = await browser(ask, code)("list", { filter: JSON.parse(filter) });
    assert.deepEqual([status, /__proto__/.test(body.error)], [400, true], `${filter}: ${JSON.stringify(body)}`);
  }
  const { status } = await ask("GET", `/platform/dbs/${code}/records.json?filter[__proto__]=x`);
  assert.equal(status, 400);
});

test("public list: a filter and an order cannot reach beyond the scope", async ({ ask }) => {
  const methods = { list: { scope_by: "owner" }, create: { auto_fields: { owner: "{cookie_key}" } } };
  const schema = { fields: FIELDS, indexes: { idx_str_1: "owner" } };
  const code = await addDb(ask, { schema, public_methods: methods });
  const [mine, theirs] = [browser(ask, code), browser(ask, code)];
  const own = made(await mine("create", { data: { title: "mine" } }));
  const other = made(await theirs("create", { data: { title: "theirs" } }));
  const rows: [filter: Record<string, unknown>, seen: string[]][] = [
    [{ owner: other.owner }, []],
    [{ owner: { ne: own.owner } }, []],
    [{ owner: { in: [own.owner, other.owner] } }, ["mine"]],
    [{ owner: { contains: "" } }, ["mine"]],
    [{ title: { in: ["mine", "theirs"] } }, ["mine"]],
  ];
  await inTurn(rows, async ([filter, seen]) => {
    const { body } = await mine("list", { filter, sort: "owner" });
    assert.deepEqual(titles(body), seen, JSON.stringify(filter));
  });
  await inTurn(["after", "fields", "count", "q"], async (key) => {
    assert.deepEqual(titles((await mine("list", { [key]: other.id })).body), ["mine"], key);
  });
});

const titles = (records: { title: string }[]) => records.map(({ title }) => title);

test("public methods: a scope must be a field that can name a caller", async ({ ask, play }) => {
  const create = (type: string, methods: unknown): Scenario["sent"] => ({
    json: { db: { name: "Scoped", schema: { fields: { who: type } }, public_methods: methods } },
  });
  const path = "/platform/dbs.json";
  const refused = (name: string, sent: Scenario["sent"], key: string): Scenario => ({
    name,
    method: "POST",
    path,
    sent,
    status: 422,
    body: { [`public_methods.${key}`]: /\w/ },
  });
  await play([
    refused("an unknown field", create("string", { list: { scope_by: "whom" } }), "list.scope_by"),
    ...["boolean", "number", "date", "datetime", "time"].map((type) =>
      refused(type, create(type, { update: { scope_by: "who" } }), "update.scope_by")
    ),
    refused(
      "a cookie's key in a number",
      create("integer", { create: { auto_fields: { who: "{cookie_key}" } } }),
      "create.auto_fields.who",
    ),
    refused(
      "a variable that is none",
      create("string", { create: { auto_fields: { who: "{env}" } } }),
      "create.auto_fields.who",
    ),
  ]);
  const code = await addDb(ask, {
    schema: { fields: { who: "integer", n: "integer" } },
    public_methods: { list: { scope_by: "who" }, create: {}, delete: { scope_by: "who" } },
  });
  const nobody = browser(ask, code);
  const { id, who } = made(await nobody("create", { data: { n: 1, who: 1 } }));
  assert.equal(who, null, "a number names no browser");
  assert.deepEqual((await nobody("list")).body, [], "and so nobody's record is shown to nobody");
  assert.equal((await nobody("delete", { id })).status, 404);
});
