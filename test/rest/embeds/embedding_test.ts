/** Hosts, embedding keys, and what a host's JWT opens: for whom, how much of it, and until when. */
import assert from "node:assert/strict";
import type { Answer } from "../../stage/harness.ts";
import { addEmbeddingKey, signJwt } from "../../stage/embedding/jwt.ts";
import { addPerson, type Ask, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";
import { tokenIn } from "../../stage/visitors.ts";

const inAccount = onSharedServer();

const SETTINGS = "/account/embedding.json";
const KEYS = "/account/embedding/keys.json";
const OPEN = "/platform/embeds/open.json";
const RENEW = "/platform/embeds/token.json";
const HOST = "https://crm.example.com";

/** Opens an app as `/embed.js` does. */
const openAs = (ask: Ask, id: string, viewer: string) =>
  ask("POST", `/a/${id}`, {
    token: null,
    raw: new URLSearchParams({ viewer }),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

const contextIn = ({ body }: Answer) =>
  JSON.parse(/PlatformAppContext=\{user:(\{.*?\}),app:/.exec(body)?.[1] ?? "null");

/** An app with an action whose flow lists a database's records within what its caller sees. */
async function addApp(ask: Ask, fields: Record<string, unknown> = {}): Promise<string> {
  const code = `list_${crypto.randomUUID().slice(0, 8)}`;
  const db = { name: code, code, schema: { fields: { title: "string" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const program = [{ type: "record", action: "list", db_code: code, limit: 100 }];
  const flow = { name: code, code, runs_as: "caller", fields: { program } };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const app = {
    name: "App",
    app_engine: "html",
    source_code: "<p>",
    actions: [{ action: "go", flow_code: code }],
    ...fields,
  };
  const { id } = made(await ask("POST", "/platform/apps.json", { json: { app: { db_code: code, ...app } } }));
  return id;
}

inAccount(
  "embedding: hosts are origins, and become the frame ancestors of the account's apps at once",
  async ({ ask, play }) => {
    const id = made(
      await ask("POST", "/platform/apps.json", {
        json: { app: { name: "Open", app_engine: "html", source_code: "<p>", public: true, show_in_module: "kb" } },
      }),
    ).id;
    const policy = async () =>
      /frame-ancestors ([^;]+)/.exec((await ask("GET", `/a/${id}`)).headers.get("content-security-policy") ?? "")?.[1];
    assert.equal(await policy(), "'self'");
    const bad = [
      "crm.example.com",
      "https://a.test/path",
      "ftp://a.test",
      "https://a.test'",
      "https://*",
      "*",
      "https://a b",
    ];
    const sent = { headers: { origin: HOST }, json: { target: "kb" } };
    await play([
      {
        name: "what is no origin is 422",
        method: "PATCH",
        path: SETTINGS,
        sent: { json: { embedding: { hosts: ["https://ok.test", ...bad], unknown_users: "other" } } },
        status: 422,
        body: {
          ...Object.fromEntries(bad.map((_, index) => [`hosts.${index + 1}`, /must be an origin/])),
          unknown_users: ["is not included in the list"],
        },
      },
      {
        name: "a page that is not listed is told which setting lets it show apps",
        method: "POST",
        path: OPEN,
        sent,
        status: 403,
        body: {
          error:
            `Pages of "${HOST}" may not show apps of this account: an admin adds it to "hosts" with PATCH ${SETTINGS}`,
        },
      },
      {
        name: "hosts in one spelling",
        method: "PATCH",
        path: SETTINGS,
        sent: {
          json: {
            embedding: {
              hosts: ["HTTPS://CRM.example.com:443/", HOST, "https://*.example.org", "http://localhost:3000"],
            },
          },
        },
        status: 200,
        body: { hosts: [HOST, "https://*.example.org", "http://localhost:3000"], unknown_users: "refuse" },
      },
      {
        name: "a listed page gets the apps",
        method: "POST",
        path: OPEN,
        sent,
        status: 200,
        body: { apps: [{ id, title: "Open" }] },
      },
      {
        name: "and so does one of a listed domain",
        method: "POST",
        path: OPEN,
        sent: { headers: { origin: "https://a.b.example.org" }, json: { app: id } },
        status: 200,
      },
      {
        name: "but not one that only ends alike",
        method: "POST",
        path: OPEN,
        sent: { headers: { origin: "https://badexample.org" }, json: { app: id } },
        status: 403,
      },
      {
        name: "both target and app",
        method: "POST",
        path: OPEN,
        sent: { json: { target: "kb", app: id } },
        status: 422,
        body: { base: ["target and app exclude each other: send one"] },
      },
      {
        name: "neither target nor app",
        method: "POST",
        path: OPEN,
        sent: { json: {} },
        status: 422,
        body: { base: ["target or app is missing"] },
      },
      { name: "no such app", method: "POST", path: OPEN, sent: { json: { app: "none" } }, status: 404 },
    ]);
    assert.equal(await policy(), `'self' ${HOST} https://*.example.org http://localhost:3000`);
  },
);

inAccount("embedding: a run knows the role within the JWT, and its result is for the same rights", async ({ ask }) => {
  const id = await addApp(ask);
  const code = `role_${crypto.randomUUID().slice(0, 8)}`;
  const flow = { name: code, code, fields: { program: [{ type: "return", data: "{user.role}" }] } };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const app = { actions: [{ action: "go", flow_code: code }] };
  assert.equal((await ask("PATCH", `/platform/apps/${id}.json`, { json: { app } })).status, 200);
  const login = `ada-${crypto.randomUUID().slice(0, 8)}`;
  const user = await addPerson(ask, "manager", { login });
  const key = await addEmbeddingKey(ask);
  const page = async (claims: Record<string, unknown>) => ({
    token: null,
    headers: { "x-app-token": tokenIn(await openAs(ask, id, signJwt(key, { sub: login, ...claims }))) ?? "" },
  });
  const [whole, narrow] = [await page({}), await page({ role: "user" })];
  const path = `/platform/apps/${id}/action/go`;
  const start = async (caller: Parameters<Ask>[2]): Promise<[role: string, result: string]> => {
    const { body } = await ask("POST", path, { json: {}, ...caller });
    return [body.data, `${path}/status?flow_process_id=${body.flow_process_id}`];
  };
  const [[role, result], [narrow_role, narrow_result]] = [await start(whole), await start(narrow)];
  const [own_role, own_result] = await start({ token: user.token });
  assert.deepEqual([role, narrow_role, own_role], ["manager", "user", "manager"]);
  const seen = async (caller: Parameters<Ask>[2], results: string[]) =>
    await Promise.all(results.map(async (path) => (await ask("GET", path, caller)).status));
  const results = [result, narrow_result, own_result];
  assert.deepEqual(await seen(whole, results), [200, 404, 404]);
  assert.deepEqual(await seen(narrow, results), [404, 200, 404]);
  assert.deepEqual(
    await seen(await page({ role: "user" }), results),
    [404, 200, 404],
    "another page with the same rights",
  );
  assert.deepEqual(await seen({ token: user.token }, results), [200, 200, 200], "the user");
});

inAccount(
  "embedding: a JWT opens an app for its user, within its role and departments, until its key is revoked",
  async ({ ask, server }) => {
    const department = async (name: string): Promise<number> =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
    const [sales, support, other] = [await department("Sales"), await department("Support"), await department("Other")];
    const id = await addApp(ask, { department_id: sales });
    const hidden = await addApp(ask, { department_id: support });
    const outside = await addApp(ask, { department_id: other });
    const { body: { db_code } } = await ask("GET", `/platform/apps/${id}.json`);
    await inTurn([sales, support, null], async (department_id) => {
      const record = { data: { title: `of ${department_id}` }, department_id };
      made(await ask("POST", `/platform/dbs/${db_code}/records.json`, { json: { record } }));
    });
    const login = `ada-${crypto.randomUUID().slice(0, 8)}`;
    const user = await addPerson(ask, "manager", { login, department_ids: [sales, support] });
    const key = await addEmbeddingKey(ask);
    assert.ok(!JSON.stringify((await ask("GET", KEYS)).body).includes(key.secret));
    const [stored] = await server.sql<
      { text: string }[]
    >`select encode(secret, 'escape') as text from embedding_keys where id = ${key.id}`;
    assert.ok(stored && !stored.text.includes(key.secret), "the secret is encrypted");

    const opened = async (claims: Record<string, unknown>, app = id) =>
      await openAs(ask, app, signJwt(key, { sub: login, ...claims }));
    const act = async (page: Answer | string, app = id) => {
      const headers = { "x-app-token": typeof page === "string" ? page : tokenIn(page) ?? "" };
      const { status, body } = await ask("POST", `/platform/apps/${app}/action/go`, { token: null, headers });
      return [status, body.error ?? body.data?.map(({ title }: { title: string }) => title).toSorted()];
    };

    const whole = await opened({});
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get("cache-control"), "no-store");
    assert.deepEqual([contextIn(whole).login, contextIn(whole).role, contextIn(whole).department_ids], [
      login,
      "manager",
      [sales, support],
    ]);
    assert.deepEqual(await act(whole), [200, [`of ${sales}`, `of ${support}`, "of null"].toSorted()]);
    assert.equal((await opened({}, outside)).status, 404, "what the user does not see");

    const narrow = await opened({ departments: [sales], role: "user" });
    const context = contextIn(narrow);
    assert.deepEqual([context.role, context.department_ids, context.department_names], ["user", [sales], ["Sales"]]);
    assert.deepEqual(await act(narrow), [200, [`of ${sales}`, "of null"].toSorted()]);
    assert.equal((await opened({ departments: [sales] }, hidden)).status, 404, "what the JWT leaves out");
    assert.equal(contextIn(await opened({ role: "admin" })).role, "manager", "never more than the user's own role");
    const guest = await opened({ role: "guest" });
    assert.match((await act(guest))[1], /a guest reaches no data/);
    const token = tokenIn(whole) ?? "";
    assert.equal(
      (await ask("GET", "/account/me.json", { token: null, headers: { "x-app-token": token } })).status,
      401,
    );
    assert.equal((await act(whole, hidden))[0], 404, "a page token opens its own app only");

    const renewed = await ask("POST", RENEW, {
      token: null,
      json: { app: id, viewer: signJwt(key, { sub: login, departments: [sales] }) },
    });
    assert.deepEqual([renewed.status, await act(renewed.body.token)], [200, [
      200,
      [`of ${sales}`, "of null"].toSorted(),
    ]]);
    assert.ok(renewed.body.expires_in > 0 && renewed.body.expires_in <= 240);
    const not_seen = { app: hidden, viewer: signJwt(key, { sub: login, departments: [sales] }) };
    assert.equal((await ask("POST", RENEW, { token: null, json: not_seen })).status, 404);

    // What the user may do at the time of the call counts.
    const change = (user_setting: unknown) =>
      ask("PATCH", `/account/user_settings/${user.id}.json`, { json: { user_setting } });
    assert.deepEqual((await act(whole))[0], 200);
    await change({ department_ids: [support] });
    assert.equal((await act(narrow))[0], 401, "the user has left the JWT's department");
    await change({ department_ids: [sales, support], active: false });
    assert.equal((await act(whole))[0], 401, "the user is switched off");
    assert.match((await opened({})).body, /switched off/);
    await change({ active: true });
    assert.equal((await act(whole))[0], 200);
    // As another server process revokes it.
    await server.sql`delete from embedding_keys where id = ${key.id}`;
    await until(async () => (await act(whole))[0] === 401, "the revoked key's pages are refused");
    assert.equal((await opened({})).status, 401);
  },
);

inAccount(
  "embedding: a JWT that is not as it must be is refused, with what the host must mend",
  async ({ ask, server }) => {
    const id = await addApp(ask);
    const login = `bob-${crypto.randomUUID().slice(0, 8)}`;
    const user = await addPerson(ask, "user", { login });
    const key = await addEmbeddingKey(ask);
    const soon = Math.floor(Date.now() / 1000);
    const good = signJwt(key, { sub: login });
    const [header = "", payload = ""] = good.split(".");
    const none = btoa(JSON.stringify({ alg: "none", kid: key.kid })).replaceAll("=", "");
    const rows: [jwt: string, message: RegExp][] = [
      ["", /no JWT/],
      ["a.b", /no JWT/],
      [`${good}.x`, /no JWT/],
      ["x".repeat(9_000), /no JWT/],
      [`${header}.${payload}.${"A".repeat(43)}`, /no embedding key/],
      [`${none}.${payload}.AAAA`, /alg must be HS256/],
      [signJwt(key, { sub: login }, { alg: "HS512" }, "sha512"), /alg must be HS256/],
      [signJwt(key, { sub: login }, { crit: ["exp"] }), /crit/],
      [signJwt({ ...key, kid: "999999" }, { sub: login }), /no embedding key/],
      [signJwt({ ...key, kid: "1e0" }, { sub: login }), /no embedding key/],
      [signJwt({ ...key, secret: `${key.secret}x` }, { sub: login }), /no embedding key/],
      [signJwt(key, { sub: login, aud: "https://other.example" }), /aud must be http:\/\/atrium\.test/],
      [signJwt(key, { sub: login, aud: undefined }), /claim aud/],
      [signJwt(key, { sub: login, exp: undefined }), /claim exp/],
      [signJwt(key, { sub: login, exp: soon - 1 }), /expired/],
      [signJwt(key, { sub: login, exp: soon + 24 * 60 * 60 }), /at most 5 minutes/],
      [signJwt(key, { sub: login, nbf: soon + 200 }), /not valid yet/],
      [signJwt(key, {}), /claim sub/],
      [signJwt(key, { sub: login, role: "owner" }), /claim role/],
      [signJwt(key, { sub: login, departments: [999_999] }), /departments 999999 are not the user's/],
      [signJwt(key, { sub: "nobody@example.com" }), /names no user of the account, and "unknown_users"/],
    ];
    await inTurn(rows, async ([viewer, message]) => {
      const page = await openAs(ask, id, viewer);
      assert.equal(page.status, 401, String(message));
      assert.match(page.body.replaceAll("&quot;", '"').replaceAll("&#39;", "'"), message);
      assert.ok(!page.body.includes(key.secret) && !tokenIn(page));
      const renewed = await ask("POST", RENEW, { token: null, json: { app: id, viewer: viewer.slice(0, 8_192) } });
      assert.equal(renewed.status, 401, String(message));
    });
    assert.equal((await openAs(ask, id, signJwt(key, { sub: login, aud: ["x", "http://atrium.test/"] }))).status, 200);

    // Unknown users become guests, by the account's setting, once.
    assert.equal(
      (await ask("PATCH", SETTINGS, { json: { embedding: { unknown_users: "create_guest" } } })).status,
      200,
    );
    const email = `${crypto.randomUUID()}@new.example.com`;
    const made_by = () => openAs(ask, id, signJwt(key, { sub: email, name: "New Person", role: "admin" }));
    const pages = await Promise.all([made_by(), made_by()]);
    assert.deepEqual(pages.map(contextIn).map(({ name, role }) => [name, role]), [["New Person", "guest"], [
      "New Person",
      "guest",
    ]]);
    const [count] = await server.sql<
      { count: number }[]
    >`select count(*)::int as count from users where email = ${email}`;
    assert.equal(count?.count, 1);
    const { body: [entry] } = await ask("GET", "/account/audit.json?object=user_setting&action=create&per_page=1");
    assert.equal(entry.after.email, email);
    assert.deepEqual([entry.user_id, entry.via], [null, "anonymous"]);
    assert.ok(entry.request_id && entry.address, "the audit log names the request that created the guest");
    const unstorable = signJwt(key, { sub: `${crypto.randomUUID()}@new.example.com`, name: "a\0b" });
    assert.match((await openAs(ask, id, unstorable)).body, /its claim name is missing or wrong/);
    assert.match((await openAs(ask, id, signJwt(key, { sub: "no e-mail" }))).body, /by an e-mail address only/);
    await ask("PATCH", `/account/user_settings/${user.id}.json`, { json: { user_setting: { active: false } } });
    assert.match((await openAs(ask, id, good)).body, /switched off/, "a user who is switched off is not created again");
    assert.ok(!server.logged.some((line) => line.includes(good) || line.includes(key.secret)), "no log line has a JWT");
  },
);
