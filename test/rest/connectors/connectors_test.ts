/** CRUD and test calls of connectors. Rules of `fields`: server/connectors/definition/fields_test.ts. */
import assert from "node:assert/strict";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const CONNECTORS = "/connect/connectors.json";
const at = (id: number) => `/connect/connectors/${id}.json`;
const KIND = "platform/custom_connector";
const API = "https://api.example.com/v1";

const json = (connector: Record<string, unknown>) => ({ json: { connector } });
const create = async (ask: Ask, connector: Record<string, unknown>) =>
  made(await ask("POST", CONNECTORS, json({ url: API, ...connector })));

const FIELDS = {
  auth: { type: "bearer" },
  methods: {
    zebra: { method: "GET", path: "/rates/{base}", query: { n: "{n}" }, headers: {}, body: null, public: true },
    apple: { method: "POST", path: "", body: { z: "{a}", a: ["{b.0}"] } },
  },
};

/** A connector as lists have it. */
const listed = ({ used_by: _used_by, ...connector }: Record<string, unknown>) => connector;

const KEYS = [
  "id",
  "kind",
  "code",
  "name",
  "url",
  "has_secret_token",
  "fields",
  "department_id",
  "lock_version",
  "created_at",
  "updated_at",
  "used_by",
];

inAccount("connectors: create", async ({ play }) => {
  const row = (name: string, connector: Record<string, unknown>, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: CONNECTORS,
    sent: json({ url: API, ...connector }),
    status: 201,
    body,
  });
  await play([
    {
      ...row("201 with the whole connector, not wrapped; its secret is never shown", {
        kind: KIND,
        code: "fx",
        name: " Exchange rates ",
        secret_token: "sk_live_canary",
        fields: FIELDS,
      }, {
        kind: KIND,
        code: "fx",
        name: "Exchange rates",
        url: API,
        has_secret_token: true,
        fields: FIELDS,
        department_id: null,
        lock_version: 0,
      }),
      then({ body }) {
        assert.deepEqual(Object.keys(body), KEYS);
        assert.equal(JSON.stringify(body.fields), JSON.stringify(FIELDS), "as it was sent, in its order");
        assert.doesNotMatch(JSON.stringify(body), /canary/);
      },
    },
    row("a name and an address are enough", { name: "Zażółć – jaźń!" }, {
      kind: KIND,
      code: "zazolc_jazn",
      has_secret_token: false,
      fields: {},
    }),
    row("a code is cleaned", { name: "x", code: " My-Api/2 " }, { code: "my_api_2" }),
    row("null is no secret", { name: "y", secret_token: null }, { has_secret_token: false }),
    row("an address within reach of the server is kept; the call is what is refused", {
      name: "Local",
      url: "http://127.0.0.1:8000/",
    }, { url: "http://127.0.0.1:8000/" }),
    row("other keys are ignored, as are those that the server writes", {
      name: "Mine",
      id: 77,
      lock_version: 9,
      secret_key_id: "k9",
      has_secret_token: true,
    }, { lock_version: 0, has_secret_token: false }),
  ]);
});

inAccount("connectors: what is refused", async ({ ask, play }) => {
  await create(ask, { name: "Taken" });
  const other = await create(ask, { name: "Other" });
  const rows: [name: string, connector: Record<string, unknown>, body: Record<string, RegExp>][] = [
    ["a blank name", { name: " ", code: "x" }, { name: /^can't be blank$/ }],
    ["no address", { name: "x", url: "" }, { url: /^can't be blank$/ }],
    ["an address of another kind", { name: "x", url: "ftp://example.com" }, { url: /not an http\(s\) address/ }],
    ["an address with a user", { name: "x", url: "https://u:p@example.com" }, { url: /no user name or password/ }],
    ["an address with a query", { name: "x", url: "https://example.com?a=1" }, { url: /no query/ }],
    ["another kind", { name: "x", kind: "platform/custom_flow" }, { kind: /^is not included in the list$/ }],
    ["a code that is taken", { name: "x", code: "TAKEN" }, { code: /^has already been taken$/ }],
    ["a code that comes from the name and is taken", { name: "-Taken-" }, { code: /^has already been taken$/ }],
    ["a name that gives no code", { name: "!!!" }, { code: /^can't be blank$/ }],
    ["a secret that is too short", { name: "x", secret_token: "abc" }, { secret_token: /too short/ }],
    ["a secret with a line break", { name: "x", secret_token: "abcd\n" }, { secret_token: /line breaks/ }],
    ["a secret that is a number", { name: "x", secret_token: 12345 }, { secret_token: /must be a string/ }],
    ["an unknown department", { name: "x", department_id: 999 }, { department_id: /^must exist$/ }],
    ["no fields", { name: "x", fields: null }, { fields: /blank/ }],
    ["a typo in fields", { name: "x", fields: { methds: {} } }, { "fields.methds": /not a known field/ }],
    ["a path that leads nowhere", { name: "x", fields: { methods: { latest: { method: "GET", path: "rates" } } } }, {
      "fields.methods.latest.path": /must begin with \//,
    }],
    ["several faults at once", {
      name: "x",
      fields: { auth: { type: "magic" }, methods: { a: { method: "GET", path: "/", pubic: true } } },
    }, { "fields.auth.type": /not included/, "fields.methods.a.pubic": /not a known field/ }],
  ];
  await play(rows.flatMap(([name, connector, body]): Scenario[] => [
    { name, method: "POST", path: CONNECTORS, sent: json({ url: API, ...connector }), status: 422, body },
    ...(name.includes("that gives no code") || name.includes("comes from the name") ? [] : [{
      name: `update: ${name}`,
      method: "PATCH" as const,
      path: at(other.id),
      sent: json(connector),
      status: 422,
      body,
    }]),
  ]));
  await play([
    { name: "no wrapper", method: "POST", path: CONNECTORS, sent: { json: { name: "x" } }, status: 400 },
    { name: "nothing has changed", method: "GET", path: at(other.id), status: 200, body: other },
  ]);
});

inAccount("connectors: read, list, update, delete", async ({ ask, play }) => {
  const fx = await create(ask, { name: "Exchange rates", code: "fx", secret_token: "secret", fields: FIELDS });
  const sms = await create(ask, { name: "Messages", code: "sms" });
  await play([
    { name: "read", method: "GET", path: at(fx.id), status: 200, body: fx },
    { name: "list, by name", method: "GET", path: CONNECTORS, status: 200, body: [{ code: "fx" }, { code: "sms" }] },
    {
      name: "list, sorted",
      method: "GET",
      path: `${CONNECTORS}?sort=-created_at`,
      status: 200,
      body: [listed(sms), listed(fx)],
    },
    { name: "list, searched by code", method: "GET", path: `${CONNECTORS}?q=SM`, status: 200, body: [listed(sms)] },
    { name: "list, searched by name", method: "GET", path: `${CONNECTORS}?q=RATE`, status: 200, body: [listed(fx)] },
    { name: "list, an unknown order", method: "GET", path: `${CONNECTORS}?sort=secret_token`, status: 400 },
    {
      name: "update: omitted fields stay, the secret too",
      method: "PATCH",
      path: at(fx.id),
      sent: json({ name: "Rates", lock_version: 0 }),
      status: 200,
      body: { name: "Rates", code: "fx", fields: FIELDS, has_secret_token: true, lock_version: 1 },
    },
    {
      name: "update: a stale lock_version is 409 with the connector as it is",
      method: "PATCH",
      path: at(fx.id),
      sent: json({ name: "Stale", secret_token: null, lock_version: 0 }),
      status: 409,
      body: { current: { name: "Rates", lock_version: 1, has_secret_token: true } },
    },
    {
      name: "update: another origin does not get the secret",
      method: "PATCH",
      path: at(fx.id),
      sent: json({ url: "https://elsewhere.example/v1" }),
      status: 422,
      body: { secret_token: /sent again/ },
    },
    {
      name: "update: null clears the secret; without lock_version the last one wins",
      method: "PATCH",
      path: at(fx.id),
      sent: json({ secret_token: null, fields: {} }),
      status: 200,
      body: { has_secret_token: false, fields: {}, lock_version: 2 },
    },
    {
      name: "update: another one's code",
      method: "PATCH",
      path: at(fx.id),
      sent: json({ code: "sms" }),
      status: 422,
      body: { code: /taken/ },
    },
    { name: "delete", method: "DELETE", path: at(fx.id), status: 204 },
    { name: "delete: gone", method: "DELETE", path: at(fx.id), status: 404, body: { error: "Connector not found" } },
    { name: "read: gone", method: "GET", path: at(fx.id), status: 404 },
    { name: "update: gone", method: "PATCH", path: at(fx.id), sent: json({ name: "x" }), status: 404 },
    { name: "a path without its suffix is none", method: "GET", path: `/connect/connectors/${sms.id}`, status: 404 },
  ]);
});

inAccount("connectors: a code is an account's own", async ({ server, ask }) => {
  const theirs = as(ask, (await addAccount(server)).token);
  await create(ask, { name: "Same" });
  assert.equal((await create(theirs, { name: "Same" })).code, "same");
});

inAccount("connectors: a restricted account hides them, on every route", async ({ ask, play }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [own, other] = [await department("Own"), await department("Other")];
  const seen = await create(ask, { name: "Seen", department_id: own });
  const hidden = await create(ask, { name: "Hidden", department_id: other });
  const manager = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
  const theirs = as(ask, manager.token);
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  const list = await theirs("GET", CONNECTORS);
  assert.deepEqual([list.body.map(({ id }: { id: number }) => id), list.headers.get("x-total-count")], [
    [seen.id],
    "1",
  ]);
  const token = manager.token;
  await play([
    { name: "read", method: "GET", path: at(hidden.id), sent: { token }, status: 404 },
    { name: "update", method: "PATCH", path: at(hidden.id), sent: { token, ...json({ name: "x" }) }, status: 404 },
    { name: "delete", method: "DELETE", path: at(hidden.id), sent: { token }, status: 404 },
    {
      name: "test",
      method: "POST",
      path: `/connect/connectors/${hidden.id}/test.json`,
      sent: { token, json: { method: "x" } },
      status: 404,
    },
    {
      name: "moving one out of sight",
      method: "PATCH",
      path: at(seen.id),
      sent: { token, ...json({ department_id: other }) },
      status: 422,
      body: { department_id: /not one of your departments/ },
    },
  ]);
});

inAccount("connectors: of updates at once with one lock_version, one wins", async ({ ask }) => {
  const { id } = await create(ask, { name: "Busy" });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ask("PATCH", at(id), json({ name: `Busy ${n}`, lock_version: 0 }))),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
});

inAccount("connectors: test, of what cannot be called", async ({ ask, play }) => {
  const methods = { get: { method: "GET", path: "/{id}" }, post: { method: "POST", path: "/", body: { a: "{a.b}" } } };
  const { id } = await create(ask, { name: "Local", url: "http://127.0.0.1:1", fields: { methods } });
  const bearer = await create(ask, { name: "Bearer", url: API, fields: { auth: { type: "bearer" }, methods } });
  const path = `/connect/connectors/${id}/test.json`;
  const row = (name: string, json: unknown, status: number, body?: unknown): Scenario => ({
    name,
    method: "POST",
    path,
    sent: { json },
    status,
    body,
  });
  await play([
    row("an unknown method", { method: "put" }, 422, { method: /not a method of this connector/ }),
    row("a method of every object's", { method: "constructor" }, 422, { method: /not a method of this connector/ }),
    row("no method", {}, 422, { method: /blank/ }),
    row("a parameter that is missing", { method: "get" }, 422, { "params.id": /^is missing$/ }),
    row("a nested one", { method: "post", params: { a: {} } }, 422, { "params.a.b": /^is missing$/ }),
    row("a parameter that would climb", { method: "get", params: { id: ".." } }, 422, { "params.id": /must not be/ }),
    row("params that are a list", { method: "get", params: [] }, 422, { params: /object/ }),
    row("a time limit beyond the steps'", { method: "get", timeout: 301 }, 422, { timeout: /at most 300/ }),
    row("an inner address", { method: "get", params: { id: 1 } }, 200, {
      ok: false,
      status: null,
      headers: null,
      body: null,
      error: {
        kind: "refused",
        message:
          /^127\.0\.0\.1 may not be called: it is not a public address, and the server's EGRESS_ALLOW does not list it$/,
      },
    }),
    row("a body where none belongs", { method: "get", params: { id: 1 }, body: {} }, 200, {
      ok: false,
      error: { kind: "invalid", message: /GET request has no body/ },
    }),
    {
      ...row("a secret that is missing", { method: "get", params: { id: 1 } }, 200, {
        error: { kind: "invalid", message: /has no secret_token, which auth of type bearer needs/ },
      }),
      path: `/connect/connectors/${bearer.id}/test.json`,
    },
  ]);
  await inTurn([0, 1], async () => assert.equal((await ask("GET", at(id))).body.lock_version, 0));
});
