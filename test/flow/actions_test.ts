/** Calls of actions by apps: authorization and answers. Source: spec, "Actions". */
import assert from "node:assert/strict";
import { ADMIN_TOKEN } from "../stage/harness.ts";
import { addPerson, addToken } from "../stage/people.ts";
import { inTurn } from "../stage/scenario.ts";
import { cookieOf, tokenIn } from "../stage/visitors.ts";
import { onStage } from "./flow_stage.ts";
import { until } from "../stage/until.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "1000" });

const path = (app: string, action = "go") => `/platform/apps/${app}/action/${action}`;
const status = (app: string, id: string, action = "go") => `${path(app, action)}/status?flow_process_id=${id}`;
const call = (path: string, more = {}) => ({
  type: "connector",
  id: "call",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});

inTeam("actions: finished within the call, pending and polled, or failed", async ({ ask, api, addFlow, addApp }) => {
  const echo = await addFlow([{ type: "return", data: { said: "{input.word}" } }]);
  const app = await addApp(echo.code);
  const done = await ask("POST", path(app), { json: { word: "hi" } });
  assert.deepEqual([done.status, done.body.status, done.body.data], [200, "finished", { said: "hi" }]);
  assert.deepEqual((await ask("GET", status(app, done.body.flow_process_id))).body, done.body);
  assert.equal((await ask("POST", path(app))).body.status, "finished", "no body is no parameters");

  let answer = () => {};
  api.answers.set("/slow", () => new Promise((resolve) => answer = () => resolve(Response.json({ n: 1 }))));
  const slow = await addApp((await addFlow([call("slow")])).code);
  const { body } = await ask("POST", path(slow), { json: {} });
  assert.deepEqual([body.status, "data" in body, "error" in body], ["pending", false, false]);
  const poll = async () => (await ask("GET", status(slow, body.flow_process_id))).body;
  assert.deepEqual(await poll(), { flow_process_id: body.flow_process_id, status: "pending" });
  await until(() => api.count("/slow") === 1, "the call arrives");
  answer();
  await until(async () => (await poll()).status === "finished", "it finishes");
  assert.deepEqual((await poll()).data, { n: 1 });

  const broken = await addApp((await addFlow([call("missing")])).code);
  const { flow_process_id: broken_id } = (await ask("POST", path(broken), { json: {} })).body;
  const pollBroken = async () => (await ask("GET", status(broken, broken_id))).body;
  await until(async () => (await pollBroken()).status !== "pending", "it fails");
  const failed = await pollBroken();
  assert.deepEqual([failed.status, "data" in failed], ["error", false]);
  assert.match(failed.error, /404/);
});

inTeam("actions: what is not there, or not this action's", async ({ ask, addFlow, addApp, play }) => {
  const { code } = await addFlow([]);
  const app = await addApp(code, {
    actions: [
      { action: "go", flow_code: code, public: true },
      { action: "other", flow_code: code, public: true },
      { action: "nowhere", flow_code: "no_such_flow" },
    ],
  });
  const off = await addFlow([], { active: false });
  const switched = await addApp(off.code);
  const { flow_process_id } = (await ask("POST", path(app))).body;
  const nobody = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
  await play([
    { name: "an unknown app", method: "POST", path: path(nobody), status: 404 },
    { name: "an id that is none", method: "POST", path: path("7"), status: 404 },
    { name: "an unknown action", method: "POST", path: path(app, "stop"), status: 404 },
    {
      name: "a flow that is not there",
      method: "POST",
      path: path(app, "nowhere"),
      status: 422,
      body: { flow_code: ["does not exist"] },
    },
    {
      name: "a flow that is switched off",
      method: "POST",
      path: path(switched),
      status: 422,
      body: { flow_code: ["is not active"] },
    },
    { name: "a body that is not an object", method: "POST", path: path(app), sent: { json: [1] }, status: 400 },
    {
      name: "a body that is not JSON",
      method: "POST",
      path: path(app),
      sent: { raw: "{", headers: { "content-type": "application/json" } },
      status: 400,
    },
    { name: "text", method: "POST", path: path(app), sent: { raw: "x" }, status: 415 },
    {
      name: "NUL in a parameter",
      method: "POST",
      path: path(app),
      sent: { json: { a: "\0" } },
      status: 422,
      body: { base: /NUL/ },
    },
    {
      name: "a parameter that would be lost",
      method: "POST",
      path: path(app),
      sent: { json: JSON.parse('{"a":{"__proto__":1}}') },
      status: 422,
      body: { "a.__proto__": ["is not a known field"] },
    },
    {
      name: "a key that cannot be one",
      method: "POST",
      path: path(app),
      sent: { headers: { "idempotency-key": "a b" } },
      status: 400,
    },
    { name: "a status without its process", method: "GET", path: `${path(app)}/status`, status: 400 },
    { name: "another action's process", method: "GET", path: status(app, flow_process_id, "other"), status: 404 },
    { name: "a process that is none", method: "GET", path: status(app, nobody), status: 404 },
    { name: "an id that cannot be", method: "GET", path: status(app, "x"), status: 404 },
    { name: "another method", method: "GET", path: path(app), status: 405, headers: { allow: /POST/ } },
    { name: "another account", method: "POST", path: path(app), sent: { token: ADMIN_TOKEN }, status: 200 },
  ]);
});

inTeam(
  "actions: without a login only public ones, of a public app that is active",
  async ({ ask, addFlow, addApp }) => {
    const { code } = await addFlow([{ type: "return", data: "{user.role}" }]);
    const anyone = { token: null, json: {} };
    const open = await addApp(code);
    assert.deepEqual((await ask("POST", path(open), anyone)).body.data, null);
    const cases: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ public: false }, {}],
      [{ active: false }, {}],
      [{}, { public: false }],
    ];
    await inTurn(cases, async ([app, action]) => {
      const id = await addApp(code, app, action);
      const refused = await ask("POST", path(id), anyone);
      assert.deepEqual([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
      assert.equal((await ask("POST", path(id), { json: {} })).body.data, "admin");
      const stranger = await ask("POST", path(id), { token: ADMIN_TOKEN, json: {} });
      assert.equal(stranger.status, 404, "another account's admin");
    });
    const guest = await addPerson(ask, "guest");
    assert.equal((await ask("POST", path(open), { token: guest.token, json: {} })).body.data, "guest");
    // A member's run is not shown to visitors and other guests.
    const { body: run } = await ask("POST", path(open), { json: {} });
    const seenWith = async (token: string | null) =>
      (await ask("GET", status(open, run.flow_process_id), { token })).status;
    assert.deepEqual([await seenWith(null), await seenWith(guest.token)], [404, 404]);
    assert.equal((await ask("GET", status(open, run.flow_process_id))).body.data, "admin");
    assert.equal(await seenWith((await addPerson(ask, "user")).token), 200);
    const few_scopes = await addToken(ask, { scopes: ["apps:read"] });
    assert.equal(await seenWith(few_scopes), 200, "the caller's own run");
    const other = await addPerson(ask, "manager");
    assert.equal(await seenWith(await addToken(ask, { user_setting_id: other.id, scopes: ["apps:read"] })), 404);
    assert.equal(
      (await ask("GET", `/connect/flow_processes/${run.flow_process_id}.json`, { token: other.token })).status,
      200,
    );
    await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
    const user_setting = { without_department: false };
    await ask("PATCH", `/account/user_settings/${other.id}.json`, { json: { user_setting } });
    assert.equal(await seenWith(other.token), 404, "who does not see the run");
    const visit = (await ask("POST", path(open), anyone)).body.flow_process_id;
    assert.equal((await ask("GET", status(open, visit), { token: null })).status, 200);
    const off = await addApp(code, { active: false });
    assert.equal((await ask("POST", path(off), { token: guest.token, json: {} })).status, 404);
    assert.equal((await ask("POST", path(open), { token: "wrong", json: {} })).status, 401);
  },
);

inTeam("actions: a run without login calls public methods only", async ({ ask, api, addFlow, addApp }) => {
  api.answers.set("/secret", () => Response.json(1));
  const app = await addApp((await addFlow([call("secret", { method: "private" })])).code);
  const refused = (await ask("POST", path(app), { token: null, json: {} })).body;
  assert.equal(refused.status, "error");
  assert.match(refused.error, /public/);
  assert.equal(api.count("/secret"), 0);
  assert.equal((await ask("POST", path(app), { json: {} })).body.status, "finished");
});

inTeam("actions: the second call with a key gives the first one's run", async ({ ask, api, addFlow, addApp }) => {
  const there = `/once_${crypto.randomUUID()}`;
  api.answers.set(there, (n) => Response.json({ n }));
  const app = await addApp((await addFlow([call(there.slice(1))])).code);
  const send = (key: string) => ask("POST", path(app), { json: {}, headers: { "idempotency-key": key } });
  const calls = await Promise.all(["a", "a", "a", "b"].map(send));
  const ids = calls.map(({ body }) => body.flow_process_id);
  assert.equal(new Set(ids.slice(0, 3)).size, 1);
  assert.notEqual(ids[3], ids[0]);
  assert.deepEqual((await send("a")).body, calls[0]?.body);
  assert.equal(calls[0]?.body.status, "finished");
  assert.equal(api.count(there), 2);
  const other = await ask("POST", path(app), { json: { x: 1 }, headers: { "idempotency-key": "a" } });
  assert.deepEqual([other.status, other.body], [422, { idempotency_key: ["has been used with another input"] }]);
  assert.equal(api.count(there), 2);
  const stranger = await ask("POST", path(app), { token: null, json: {}, headers: { "idempotency-key": "a" } });
  assert.notEqual(stranger.body.flow_process_id, ids[0], "another's key gives nobody another's run");
});

inTeam(
  "actions: callers without an identity never share a run by their key; a browser that keeps its cookie does",
  async ({ ask, addFlow, addApp }) => {
    const app = await addApp((await addFlow([{ type: "return", data: { ok: true } }])).code);
    const send = (cookie?: string) =>
      ask("POST", path(app), { token: null, json: {}, headers: { "idempotency-key": "a", ...cookie && { cookie } } });
    const [first, second] = [await send(), await send()];
    assert.notEqual(first.body.flow_process_id, second.body.flow_process_id);
    const again = await send(cookieOf(first));
    assert.equal(again.body.flow_process_id, first.body.flow_process_id);
  },
);

inTeam("actions: from a page in the sandbox, its own app's only", async ({ ask, server, addFlow, addApp }) => {
  const { code } = await addFlow([{ type: "return", data: "{user.role}" }]);
  const [app, other] = [await addApp(code, { public: false }, { public: false }), await addApp(code)];
  const token = tokenIn(await ask("GET", `/a/${app}`)) ?? "";
  const headers = { "x-app-token": token, origin: "null" };
  const answer = await server.request("POST", path(app), { token: null, json: {}, headers });
  assert.deepEqual([answer.body.data, answer.headers.get("access-control-allow-origin")], ["admin", "*"]);
  assert.equal((await server.request("POST", path(other), { token: null, json: {}, headers })).status, 404);
  const asked = await server.request("OPTIONS", path(app), {
    token: null,
    headers: {
      origin: "null",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-app-token",
    },
  });
  assert.equal(asked.status, 204);
});

inTeam("actions: an app and a run are also named by their ids in capitals", async ({ ask, addFlow, addApp }) => {
  const app = (await addApp((await addFlow([{ type: "return", data: { ok: true } }])).code)).toUpperCase();
  const token = tokenIn(await ask("GET", `/a/${app}`)) ?? "";
  const sent = { token: null, headers: { "x-app-token": token } };
  const { body } = await ask("POST", path(app), { ...sent, json: {} });
  const run = String(body.flow_process_id).toUpperCase();
  const polled = await ask("GET", `${path(app)}/status?flow_process_id=${run}`, sent);
  assert.deepEqual([polled.status, polled.body], [200, body]);
});

inTeam("actions: the typed client calls and polls", async ({ server, admin, addFlow, addApp }) => {
  const { code } = await addFlow([{ type: "return", data: { n: "{input.n}" } }]);
  const id = await addApp(code);
  const client = server.client(admin.token);
  const done = await client.apps.call_action.mutate({ id, action_name: "go", params: { n: 3 } });
  assert.deepEqual([done.status, done.data], ["finished", { n: 3 }]);
  const polled = await client.apps.action_status.query({
    id,
    action_name: "go",
    flow_process_id: done.flow_process_id,
  });
  assert.deepEqual(polled, done);
});
