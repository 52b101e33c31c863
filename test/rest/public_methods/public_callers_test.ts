/** Callers of public methods: anonymous, a browser with its key, a login, an app page. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readAppToken, signAppToken } from "../../../server/secrets/page_tokens.ts";
import { ADMIN_TOKEN, keysOf, startServer } from "../../stage/harness.ts";
import { addAccount, addPerson, as, made, type Person } from "../../stage/people.ts";
import { type Ask, inTurn, onOwnServer, proven, testBeside } from "../../stage/scenario.ts";
import { addApp, addDb, bearer, browser, cookieOf, page, tokenIn, type Visitor } from "../../stage/visitors.ts";

// Callers without a login belong to the default account.
const test = (name: string, work: Parameters<ReturnType<typeof onOwnServer>>[1]) =>
  onAccount(name, work, { of_default: true });
const onAccount = onOwnServer();

const FIELDS = { title: "string", key: "string", user: "integer", user_text: "string", name: "string", ip: "string" };
const AUTO = { key: "{cookie_key}", user: "{user_id}", user_text: "{user_id}", name: "{user_name}", ip: "{ip}" };

/** A database with `scope_by`: each caller sees their own records. */
const scoped = (ask: Ask, scope_by: string, create: Record<string, unknown> = { auto_fields: AUTO }) =>
  addDb(ask, {
    schema: { fields: FIELDS },
    public_methods: { list: { scope_by }, create, update: { scope_by }, delete: { scope_by } },
    public_write_limit: 1000,
  });

/** The page token in the page of an app that has a database. */
async function opened(ask: Ask, path: string, token: string | null, headers: Record<string, string> = {}) {
  const answer = await ask("GET", path, { token, headers });
  assert.equal(answer.status, 200);
  return tokenIn(answer) ?? assert.fail("the page has no token");
}

async function people(ask: Ask): Promise<Person> {
  return await addPerson(ask, "guest", { name: "Ada <b>" });
}

test("variables: what each stands for, with each caller", async ({ ask }) => {
  const code = await scoped(ask, "key");
  const app = await addApp(ask, { db_code: code });
  const ada = await people(ask);
  const nobody = { user: null, user_text: null, name: null };
  const known = { user: ada.id, user_text: `${ada.id}`, name: "Ada <b>" };
  const rows: [name: string, visit: Visitor, expected: Record<string, unknown>][] = [
    ["nobody", browser(ask, code), nobody],
    ["a login", bearer(ask, code, ada.token), known],
    ["the page of nobody", page(ask, code, await opened(ask, app, null)), nobody],
    ["the page of a login", page(ask, code, await opened(ask, app, ada.token)), known],
  ];
  const keys = new Set();
  await inTurn(rows, async ([name, visit, expected]) => {
    const { key, ip, user, user_text, name: called } = made(await visit("create", { data: { title: "x" } }));
    assert.deepEqual({ user, user_text, name: called }, expected, name);
    assert.equal(ip, "127.0.0.1");
    assert.match(key, /^[\w-]{32}$/);
    keys.add(key);
  });
  assert.equal(keys.size, rows.length, "each browser has its own key");
});

test("a browser: its page and its own requests are one visitor, in each database another", async ({ ask }) => {
  const [code, other] = [await scoped(ask, "key"), await scoped(ask, "key")];
  const first = await ask("POST", `/platform/db/${code}/create`, { token: null, json: { data: { title: "x" } } });
  const cookie = cookieOf(first) ?? "";
  assert.match(
    first.headers.get("set-cookie") ?? "",
    /^browser=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  const token = await opened(ask, await addApp(ask, { db_code: code }), null, { cookie });
  const again = made(await page(ask, code, token)("create", { data: { title: "y" } }));
  assert.equal(again.key, first.body.key);
  assert.equal((await browser(ask, code, { cookie })("list")).body.length, 2);
  assert.notEqual(made(await browser(ask, other, { cookie })("create", { data: {} })).key, first.body.key);
  const known = await ask("POST", `/platform/db/${code}/list`, { token: null, headers: { cookie: `a=b; ${cookie}` } });
  assert.equal(known.headers.get("set-cookie"), null, "a known browser is given no other key");
  assert.ok(!JSON.stringify(first.body).includes(cookie.slice("browser=".length)), "the key itself is never told");
});

const SCOPES: [name: string, scope_by: string, create: Record<string, unknown>][] = [
  ["by a cookie's key", "key", { auto_fields: AUTO }],
  ["by a field without an auto field", "key", {}],
  ["by a user's id", "user", { auto_fields: AUTO }],
  ["by a user's id in a text", "user_text", { auto_fields: AUTO }],
];

test("a scope: another sees nothing, and another's record is not there", async ({ ask }) => {
  await inTurn(SCOPES, async ([name, scope_by, create]) => {
    const code = await scoped(ask, scope_by, create);
    const [ada, bob] = [await people(ask), await people(ask)];
    const visitors = [bearer(ask, code, ada.token), bearer(ask, code, bob.token)];
    if (scope_by === "key") {
      visitors.splice(0, 2, browser(ask, code), browser(ask, code));
      // Without a cookie each request is a new browser. Only the field without a variable identifies the user.
      if (!create.auto_fields) visitors.push(bearer(ask, code, ada.token));
    }
    const records = await Promise.all(
      visitors.map(async (visit, i) => made(await visit("create", { data: { title: `${i}` } }))),
    );
    await inTurn(visitors, async (visit, i) => {
      assert.deepEqual((await visit("list")).body.map(({ id }: { id: string }) => id), [records[i].id], name);
      await inTurn(records.filter((_, j) => j !== i), async ({ id }) => {
        assert.equal((await visit("update", { id, data: { title: "taken" } })).status, 404, name);
        assert.equal((await visit("delete", { id })).status, 404, name);
      });
    });
    await inTurn(visitors, async (visit, i) => {
      const { id } = records[i];
      assert.equal((await visit("update", { id, data: { title: "new" } })).body.title, "new", name);
      assert.equal((await visit("delete", { id })).status, 200, name);
    });
  });
});

test("a scope: who has nothing to be named by sees nothing and touches nothing", async ({ ask }) => {
  await inTurn(["user", "user_text", "name"], async (scope_by) => {
    const code = await scoped(ask, scope_by);
    const nobody = browser(ask, code);
    const { id } = made(await nobody("create", { data: { title: "nobody's" } }));
    assert.deepEqual((await nobody("list")).body, [], scope_by);
    assert.deepEqual((await nobody("list", { filter: { [scope_by]: null } })).body, [], scope_by);
    assert.equal((await nobody("update", { id, data: {} })).status, 404, scope_by);
    assert.equal((await nobody("delete", { id })).status, 404, scope_by);
    assert.equal(
      (await ask("GET", `/platform/dbs/${code}/records.json`)).body.length,
      1,
      "its database's users see it",
    );
  });
});

test("a key that is read from a record opens nothing", async ({ ask }) => {
  const code = await scoped(ask, "key");
  const open = await addDb(ask, {
    schema: { fields: FIELDS },
    public_methods: { list: {}, create: { auto_fields: AUTO }, update: { scope_by: "key" } },
  });
  await inTurn([code, open], async (code) => {
    const { id, key } = made(await browser(ask, code)("create", { data: { title: "x" } }));
    const thefts: [name: string, visit: Visitor][] = [
      ["as a cookie", browser(ask, code, { cookie: `browser=${key}` })],
      ["as a cookie of the right length", browser(ask, code, { cookie: `browser=${key}${key.slice(0, 11)}` })],
      ["as a secure cookie", browser(ask, code, { cookie: `__Host-browser=${key}` })],
      [
        "as a page's token",
        (method, json) =>
          ask("POST", `/platform/db/${code}/${method}`, { token: null, json, headers: { "x-app-token": key } }),
      ],
      [
        "as data",
        (method, body) => browser(ask, code)(method, { ...Object(body), key, data: { title: "taken", key } }),
      ],
    ];
    await inTurn(thefts, async ([name, visit]) => {
      assert.ok([401, 404].includes((await visit("update", { id, data: { title: "taken" } })).status), name);
    });
    const forged = made(await browser(ask, code)("create", { data: { title: "x", key } }));
    assert.notEqual(forged.key, key);
  });
});

test("a page's token: forged, tampered or expired it is refused", async ({ ask, server }) => {
  const code = await scoped(ask, "key");
  const token = await opened(ask, await addApp(ask, { db_code: code }), null);
  const [payload = "", signature = ""] = token.split(".");
  const read = JSON.parse(Buffer.from(payload, "base64url").toString());
  assert.equal(read.user, null);
  const other = Buffer.from(JSON.stringify({ ...read, user: 1, token: 1 })).toString("base64url");
  const forged = [
    "",
    ".",
    "x",
    "null",
    `${token}x`,
    `${token}.`,
    payload,
    `${other}.${signature}`,
    `${payload}.`,
    `.${signature}`,
  ];
  await inTurn(forged, async (token) => assert.equal((await page(ask, code, token)("list")).status, 401, token));
  assert.equal((await page(ask, code, token)("list")).status, 200);

  const keys = await keysOf(server);
  const now = new Date();
  const until = (moment: number) => signAppToken(keys, { ...read, browser: "b".repeat(43) }, new Date(moment));
  assert.ok(readAppToken(keys, until(now.getTime()), now), "the server's own keys");
  assert.equal((await page(ask, code, until(now.getTime() - 12 * 3600_000 + 60_000))("list")).status, 200);
  const { status, headers, body } = await page(ask, code, until(now.getTime() - 12 * 3600_000 - 1000))("list");
  assert.deepEqual([status, headers.get("www-authenticate")], [401, "Bearer"], JSON.stringify(body));
});

/** A server keeps timers and connections open between tests. */

test("a page's token: it opens its own account's databases, and nothing else", async ({ ask, server }) => {
  const stranger = await addAccount(server);
  const theirs = as(ask, stranger.token);
  const code = await scoped(ask, "key");
  const app = await addApp(theirs, { db_code: code });
  const token = await opened(theirs, app, null);
  const { status } = await page(ask, code, token)("list");
  assert.equal(status, 401, "the database of the same code is in another account");
  const own = await addDb(theirs, { schema: { fields: FIELDS }, public_methods: { list: {}, create: {} } });
  assert.equal((await page(ask, own, token)("create", { data: { title: "x" } })).status, 201);
  assert.equal((await browser(ask, own)("list")).status, 401, "the host's account is another");

  const signed_in = await opened(ask, await addApp(ask, { db_code: code }), ADMIN_TOKEN);
  const headers = { "x-app-token": signed_in };
  await inTurn(
    [`/platform/dbs/${code}/records.json`, "/account/departments.json", `/platform/dbs/${code}/changes`],
    async (path) => {
      assert.equal((await ask("GET", path, { token: null, headers })).status, 401, path);
      const token = { authorization: `Bearer ${signed_in}` };
      assert.equal((await ask("GET", path, { token: null, headers: token })).status, 401, path);
    },
  );
});

test("a page's token ends with the login that the page was opened with", async ({ ask }) => {
  const code = await scoped(ask, "user");
  const ada = await people(ask);
  const json = { token: { name: "Test", user_setting_id: ada.id } };
  const { id, token: secret } = made(await ask("POST", "/account/tokens.json", { json }));
  const visit = page(ask, code, await opened(ask, await addApp(ask, { db_code: code, public: false }), secret));
  assert.equal((await visit("create", { data: { title: "x" } })).body.user, ada.id);
  assert.equal((await ask("DELETE", `/account/tokens/${id}.json`)).status, 204);
  assert.equal((await visit("list")).status, 401);
  assert.equal((await bearer(ask, code, secret)("list")).status, 401, "a login that is none is not nobody");
});

test("a page's token ends with its app, and where the app is closed to its viewer", async ({ ask }) => {
  const code = await scoped(ask, "key");
  const ada = await people(ask);
  const open = async (fields: Record<string, unknown> = {}) => {
    const path = await addApp(ask, { db_code: code, ...fields });
    const visits = await inOrder([null, ada.token], async (token) => page(ask, code, await opened(ask, path, token)));
    const change = (app: Record<string, unknown>) =>
      ask("PATCH", `/platform/apps${path.slice(2)}.json`, { json: { app } });
    const statuses = () => inOrder(visits, async (visit) => (await visit("list")).status);
    assert.deepEqual(await statuses(), [200, 200]);
    return { change, statuses, remove: () => ask("DELETE", `/platform/apps${path.slice(2)}.json`), visits };
  };
  const switched = await open();
  await switched.change({ active: false });
  assert.deepEqual(await switched.statuses(), [401, 401], "switched off");
  await switched.change({ active: true });
  assert.deepEqual(await switched.statuses(), [200, 200], "and on again");
  await switched.change({ public: false });
  assert.deepEqual(await switched.statuses(), [401, 200], "no longer public");
  await switched.change({ public: true, source_code: "<p>new</p>" });
  assert.deepEqual(await switched.statuses(), [200, 200], "a change of the code ends nothing");
  await switched.remove();
  assert.deepEqual(await switched.statuses(), [401, 401], "deleted");
  const { body, headers } = await switched.visits[0]?.("create", { data: { title: "x" } }) ?? assert.fail();
  assert.match(body.error, /^This page's app is no longer there: /);
  assert.equal(headers.get("access-control-allow-origin"), "*", "the page can read why");
});

/** Works on the items one after another. @returns the results, in the order of the items */
async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  await inTurn(items, async (item) => void results.push(await work(item)));
  return results;
}

test("a page: one for all where the app asks the server for nothing", async ({ ask }) => {
  const code = await scoped(ask, "key");
  const plain = await ask("GET", await addApp(ask, {}), { token: null });
  const vue = { app_engine: "vue", source_code: "<template><p>nothing is asked</p></template>" };
  assert.equal(tokenIn(await ask("GET", await addApp(ask, vue), { token: null })), undefined);
  assert.equal(plain.headers.get("cache-control"), "private, no-cache, no-transform");
  assert.ok(plain.headers.get("etag"));
  assert.equal(plain.headers.get("set-cookie"), null);
  assert.equal(tokenIn(plain), undefined);

  // The words of text are no uses.
  const words = [
    { app_engine: "js", source_code: `document.querySelector("#platform-app").textContent = "fetch";` },
    { source_code: `<div id="platform-app">fetch the platform</div><script>let platform = 1; platform++;</script>` },
    { app_engine: "svelte", source_code: `<p id="platform-app">fetch the platform</p>` },
    { app_engine: "react", source_code: `export default () => <p title="platform">fetch</p>;` },
    { app_engine: "kaboom", source_code: `kaboom(); add([rect(90, 9), "platform"]);` },
  ];
  await inTurn(words, async (fields) => {
    const page = await ask("GET", await addApp(ask, fields), { token: null });
    assert.equal(tokenIn(page), undefined, fields.source_code);
    assert.equal(page.headers.get("cache-control"), "private, no-cache, no-transform");
  });
  const compiled = [
    `<script>import { db } from "platform"; db("${code}").list();</script>`,
    `<script>const get = window.fetch; get("/platform/db/${code}/list");</script>`,
  ];
  await inTurn(compiled, async (source_code) => {
    const page = await ask("GET", await addApp(ask, { app_engine: "svelte", source_code }), { token: null });
    assert.ok(tokenIn(page), source_code);
  });

  const asks = `<script>platform.db("${code}").list()</script>`;
  const calls = `<script>fetch("/db/${code}/list")</script>`;
  await inTurn([asks, calls], async (source_code) => {
    const page = await ask("GET", await addApp(ask, { source_code }), { token: null });
    assert.ok(tokenIn(page), source_code);
    assert.match(page.headers.get("set-cookie") ?? "", /^browser=/, source_code);
  });
  const app = await addApp(ask, { db_code: code });
  const first = await ask("GET", app, { token: null });
  assert.deepEqual([first.headers.get("cache-control")?.startsWith("no-store"), first.headers.get("etag")], [
    true,
    null,
  ]);
  assert.match(first.headers.get("set-cookie") ?? "", /^browser=.*HttpOnly/);
  const second = await ask("GET", app, { token: null });
  assert.notEqual(tokenIn(first), tokenIn(second), "two browsers");
  const known = await ask("GET", app, { token: null, headers: { cookie: cookieOf(first) ?? "" } });
  assert.equal(known.headers.get("set-cookie"), null);
  assert.ok(tokenIn(known));
});

testBeside({
  name: "{ip}: a forwarded header counts behind a trusted proxy only",
  fn: async () => {
    await inTurn([["0", "127.0.0.1"], ["1", "198.51.100.7"]] as const, async ([TRUSTED_PROXIES, ip]) => {
      const server = await startServer({ TRUSTED_PROXIES });
      const ask = proven(server.request);
      const code = await scoped(ask, "ip");
      const visit = browser(ask, code, { "x-forwarded-for": "203.0.113.1, 198.51.100.7", "x-real-ip": "203.0.113.1" });
      assert.equal(made(await visit("create", { data: { title: "x" } })).ip, ip);
      await server.close();
    });
  },
});

testBeside({
  name: "over https the browser's cookie is for this host alone",
  fn: async () => {
    const server = await startServer({ BASE_URL: "https://atrium.test" });
    const ask = proven(server.request);
    const code = await scoped(ask, "key");
    const { headers } = await ask("POST", `/platform/db/${code}/list`, { token: null });
    assert.match(
      headers.get("set-cookie") ?? "",
      /^__Host-browser=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
    await server.close();
  },
});

onAccount("trial: a user plays visitors, each of whom sees only its own records", async ({ ask }) => {
  const code = await scoped(ask, "key");
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const play = async (visitor: string, method: string, input: Record<string, unknown> = {}) =>
    (await ask("POST", `/platform/dbs/${code}/try.json`, { json: { visitor, method, input } })).body;
  const made = await play(one, "create", { data: { title: "Mine" } });
  assert.equal(made.status, 201, JSON.stringify(made));
  const titles = async (visitor: string) =>
    (await play(visitor, "list")).body.map(({ title }: { title: string }) => title);
  assert.deepEqual([await titles(one), await titles(other)], [["Mine"], []]);
  const { id } = made.body;
  assert.equal((await play(other, "update", { id, data: { title: "Theirs" } })).status, 404);
  assert.equal((await play(one, "update", { id, data: { title: "Still mine" } })).status, 200);
  // The same id is another visitor of another user.
  const colleague = await addPerson(ask, "user");
  const json = { visitor: one, method: "list" };
  const seen = await ask("POST", `/platform/dbs/${code}/try.json`, { token: colleague.token, json });
  assert.deepEqual(seen.body, { status: 200, body: [] });
  assert.equal((await play(one, "delete", { id: "none" })).status, 404);
  assert.equal((await play(one, "create", { data: 1 })).status, 400);
  assert.equal((await play(one, "delete", { id })).status, 200);
  assert.equal((await ask("POST", "/platform/dbs/none/try.json", { json })).status, 404);
});
