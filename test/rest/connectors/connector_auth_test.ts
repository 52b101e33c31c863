/** Authentication with tokens of OAuth 2 and with signatures. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Buffer } from "node:buffer";
import { type ConnectorCall, ConnectorFault, createConnectors } from "../../../server/connectors/connectors.ts";
import { createLog } from "../../../server/log.ts";
import { createKeys } from "../../../server/secrets/keys.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { repeated, serveApi } from "../../stage/egress/outside.ts";
import { EVERYTHING, made } from "../../stage/people.ts";
import { inTurn, proven } from "../../stage/scenario.ts";

const KEY = { id: "k1", material: "0123456789abcdef0123456789abcdef" };
const SECRET = "client secret/+1";
/** The state of the other side, anew for each test. */
const outside = { tokens: 0, valid: "", accepts: true, held: Promise.resolve() };

const api = serveApi(async ({ headers, url }) => {
  const { pathname } = new URL(url);
  if (pathname === "/token") {
    await outside.held;
    outside.valid = `token-number-${++outside.tokens}`;
    return Response.json({ access_token: outside.valid, token_type: "Bearer", expires_in: 3600 });
  }
  if (pathname === "/no_client") {
    const body = { error: "invalid_client", error_description: `not ${SECRET}` };
    return Response.json(body, { status: 401 });
  }
  if (pathname === "/elsewhere") return Response.redirect(new URL("/token", url), 307);
  if (pathname === "/empty") return Response.json({ token: "x" });
  const is_let_in = outside.accepts && headers.get("authorization") === `Bearer ${outside.valid}`;
  if (pathname === "/guarded" && !is_let_in) return Response.json({ why: "old" }, { status: 401 });
});
const shared: { server?: TestServer } = {};
Deno.test.beforeAll(async () => {
  shared.server = await startServer({
    EGRESS_ALLOW: `127.0.0.1:${api.port}`,
    SECRET_KEYS: `${KEY.id}:${KEY.material}`,
  });
});
Deno.test.afterAll(async () => {
  await shared.server?.close();
  await api[Symbol.asyncDispose]();
});

const oauth = (more: Record<string, unknown> = {}) => ({
  type: "oauth2_client_credentials",
  token_url: `${api.url}/token`,
  client_id: "me:1",
  ...more,
});

function stage() {
  const { server } = shared;
  if (!server) throw new Error("the server has not started");
  Object.assign(outside, { tokens: 0, valid: "", accepts: true, held: Promise.resolve() });
  const ask = proven(server.request);
  const add = async (auth: unknown, method: Record<string, unknown> = {}) => {
    const fields = { auth, methods: { m: { method: "POST", path: "/guarded", body: { a: "ż" }, ...method } } };
    const connector = { name: `c ${crypto.randomUUID()}`, url: api.url, secret_token: SECRET, fields };
    return made(await ask("POST", "/connect/connectors.json", { json: { connector } }));
  };
  const callOf = (connector_code: string): ConnectorCall => ({
    account_id: 1,
    reach: EVERYTHING,
    connector_code,
    method: "m",
    params: {},
    public_only: false,
    idempotency_key: undefined,
    timeout_ms: 60_000,
  });
  const call = (code: string) => server.connectors.call(callOf(code));
  return { server, ask, add, call, callOf };
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

const seenAt = (path: string) => api.seen.filter((seen) => seen.path === path);

const faultOf = async (call: Promise<unknown>): Promise<ConnectorFault> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ConnectorFault, String(error));
    return error;
  }
  throw new Error("the call was no fault");
};

test("oauth2: one process at a time requests a token, which is kept encrypted and never shown", async () => {
  const { server, add, call, callOf } = stage();
  const { id, code } = await add(oauth({ scope: "read write", audience: "api" }));
  const config = { egress_allow: [`127.0.0.1:${api.port}`], has_effects: true };
  const keys = createKeys([KEY]);
  const peer = createConnectors({ sql: server.sql, keys, config, log: createLog(() => {}) });
  const held = Promise.withResolvers<void>();
  outside.held = held.promise;
  const calls = [1, 2, 3].flatMap(() => [call(code), peer.call(callOf(code))]);
  held.resolve();
  const answers = await Promise.all(calls);
  await peer.close();
  assert.equal(outside.tokens, 1);
  for (const { body } of answers) assert.equal(repeated(body).headers.authorization, "Bearer [redacted]");
  const [request] = seenAt("/token");
  const basic = Buffer.from((request?.headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
  assert.equal(basic, "me%3A1:client+secret%2F%2B1");
  assert.equal(request?.body, "grant_type=client_credentials&scope=read+write&audience=api");
  const rows = await server.sql<{ token: Uint8Array }[]>`
    select token from connector_tokens where connector_id = ${id}
  `;
  assert.ok(rows[0] && !Buffer.from(rows[0].token).includes("token-number"));
});

test("oauth2: a token that is refused is replaced once; a changed connector needs another one", async () => {
  const { ask, add, call } = stage();
  const { id, code } = await add(oauth({ client_auth: "body" }));
  await call(code);
  assert.equal(
    seenAt("/token").at(-1)?.body,
    "grant_type=client_credentials&client_id=me%3A1&client_secret=client+secret%2F%2B1",
  );
  outside.valid = "revoked";
  const before = seenAt("/guarded").length;
  assert.equal((await call(code)).status, 200);
  assert.deepEqual([outside.tokens, seenAt("/guarded").length - before], [2, 2]);
  outside.accepts = false;
  const fault = await faultOf(call(code));
  assert.deepEqual([fault.kind, fault.answer?.status, outside.tokens], ["status", 401, 3]);
  assert.equal(seenAt("/guarded").length - before, 4, "no third attempt");
  outside.accepts = true;
  await call(code);
  assert.equal(outside.tokens, 3, "the last one is kept");
  await ask("PATCH", `/connect/connectors/${id}.json`, { json: { connector: { secret_token: "another" } } });
  await call(code);
  assert.equal(outside.tokens, 4);
});

test("oauth2: failures of the token endpoint name it, without the secret; it is called by the rules of egress", async () => {
  const { add, call } = stage();
  const rows: [token_url: string, kind: string, message: RegExp][] = [
    [`${api.url}/no_client`, "status", /^the token_url of \w+ answered 401: invalid_client$/],
    [`${api.url}/empty`, "network", /^the token_url of \w+ sent no access_token$/],
    [`${api.url}/elsewhere`, "status", /^the token_url of \w+ answered 307$/],
    ["http://127.0.0.1:1/token", "refused", /not a public address/],
    ["http://10.0.0.1/token", "refused", /not a public address/],
  ];
  await inTurn(rows, async ([token_url, kind, message]) => {
    const { code } = await add(oauth({ token_url }));
    const fault = await faultOf(call(code));
    assert.equal(fault.kind, kind, fault.message);
    assert.match(fault.message, message);
    if (fault.answer) assert.doesNotMatch(JSON.stringify(fault.answer), /client secret/);
  });
  assert.equal(outside.tokens, 0, "a redirect is not followed");
});

test("auth: a secret goes to no new origin without being sent again, whichever address moves", async () => {
  const { ask, add } = stage();
  const { id } = await add(oauth());
  const patch = async (connector: Record<string, unknown>) => {
    const { status, body } = await ask("PATCH", `/connect/connectors/${id}.json`, { json: { connector } });
    return [status, body.secret_token?.[0]];
  };
  const again = (what: string) => [422, `must be sent again, because the new ${what}`];
  const elsewhere = "https://evil.example.com/token";
  assert.deepEqual(
    await patch({ fields: { auth: oauth({ token_url: elsewhere }) } }),
    again("token_url has another origin"),
  );
  assert.deepEqual(await patch({ fields: { auth: { type: "bearer" } } }), again("auth sends it to another address"));
  assert.deepEqual(await patch({ url: "https://evil.example.com" }), again("url has another origin"));
  assert.equal((await patch({ fields: { auth: oauth({ token_url: `${api.url}/other` }) } }))[0], 200);
  assert.equal((await patch({ fields: { auth: oauth({ token_url: elsewhere }) }, secret_token: "new one" }))[0], 200);
});

test("hmac: the body, with or without the time, in each writing", async () => {
  const { add, call } = stage();
  const body = JSON.stringify({ a: "ż" });
  const sent = async (auth: Record<string, unknown>, method: Record<string, unknown> = {}) => {
    const { code } = await add({ type: "hmac", header: "X-Signature", ...auth }, { path: "/echo", ...method });
    await call(code);
    const { headers = {} } = api.seen.at(-1) ?? {};
    return headers;
  };
  const of = (algorithm: string, text: string) => createHmac(algorithm, SECRET).update(text);
  assert.equal((await sent({}))["x-signature"], of("sha256", body).digest("hex"));
  const sha1 = await sent({ algorithm: "sha1", prefix: "sha1=" });
  assert.equal(sha1["x-signature"], `sha1=${of("sha1", body).digest("hex")}`);
  const none = await sent({ algorithm: "sha512", encoding: "base64" }, { method: "GET", body: null });
  assert.equal(none["x-signature"], of("sha512", "").digest("base64"));
  const timed = await sent({ signs: "timestamp.body", timestamp_header: "X-Time" });
  const seconds = Number(timed["x-time"]);
  assert.ok(Number.isInteger(seconds) && seconds <= Date.now() / 1000);
  assert.equal(timed["x-signature"], of("sha256", `${seconds}.${body}`).digest("hex"));
});

test("auth: what does not fit together is refused by its path", async () => {
  const { ask } = stage();
  const hmac = { type: "hmac", header: "X-S" };
  const rows: [fields: Record<string, unknown>, path: string][] = [
    [{ auth: { type: "oauth2_client_credentials", client_id: "a" } }, "auth.token_url"],
    [{ auth: oauth({ token_url: "ftp://a.test" }) }, "auth.token_url"],
    [{ auth: oauth({ token_url: "https://me:pw@a.test" }) }, "auth.token_url"],
    [{ auth: oauth({ client_id: "" }) }, "auth.client_id"],
    [{ auth: { ...hmac, signs: "timestamp.body" } }, "auth.timestamp_header"],
    [{ auth: { ...hmac, timestamp_header: "X-T" } }, "auth.timestamp_header"],
    [{ auth: { ...hmac, signs: "timestamp.body", timestamp_header: "x-s" } }, "auth.timestamp_header"],
    [{ auth: { ...hmac, header: "Host" } }, "auth.header"],
    [
      { auth: hmac, methods: { m: { method: "GET", path: "", headers: { "x-s": "mine" } } } },
      "methods.m.headers.x-s",
    ],
    [
      { auth: oauth(), methods: { m: { method: "GET", path: "", headers: { Authorization: "mine" } } } },
      "methods.m.headers.Authorization",
    ],
  ];
  await inTurn(rows, async ([fields, path]) => {
    const { status, body } = await ask("POST", "/connect/connectors.json", {
      json: { connector: { name: "x", url: api.url, fields } },
    });
    assert.deepEqual([status, Object.keys(body)], [422, [`fields.${path}`]], JSON.stringify(body));
  });
});
