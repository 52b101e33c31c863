/** Calls of connectors: requests, answers, failures, limits, cache invalidation and reuse of connections. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type ConnectorCall, ConnectorFault } from "../../../server/connectors/connectors.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { type Api, repeated, serveApi } from "../../stage/egress/outside.ts";
import { addAccount, EVERYTHING, made } from "../../stage/people.ts";
import { type Ask, inTurn, proven } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

interface Stage {
  server: TestServer;
  api: Api;
  ask: Ask;
  /** Lets the API answer requests for `/hold`. */
  release(): void;
  /** Creates a connector to the API. */
  add(connector?: Record<string, unknown>): Promise<{ id: number; code: string }>;
  call(connector_code: string, more?: Partial<ConnectorCall>): ReturnType<TestServer["connectors"]["call"]>;
}

/** Answers `/status/404` with that status, and other paths with a copy of the request. */
async function respond(request: Request, released: Promise<void>): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const [, what, value] = pathname.split("/");
  if (what === "status") {
    return Response.json({ said: value }, { status: Number(value), headers: { "x-why": "because" } });
  }
  if (what === "hold") await released;
  if (what === "empty") return new Response(null, { status: 204 });
  if (what === "cookie") return new Response("hi", { headers: { "set-cookie": "a=b", "x-seen": "yes" } });
}

/** Of each test. The tests share a server, because a start takes longer than most of them. */
const stages: { api: Api; held: PromiseWithResolvers<void> }[] = [];
const shared: { server?: TestServer } = {};
Deno.test.beforeAll(async () => {
  shared.server = await startServer({ EGRESS_ALLOW: stages.map(({ api }) => `127.0.0.1:${api.port}`).join(",") });
});
Deno.test.afterAll(async () => {
  for (const { held } of stages) held.resolve();
  await shared.server?.close();
  await Promise.all(stages.map(({ api }) => api[Symbol.asyncDispose]()));
});

function onStage(name: string, work: (stage: Stage) => Promise<void>): void {
  const held = Promise.withResolvers<void>();
  const api = serveApi((request) => respond(request, held.promise));
  stages.push({ api, held });
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const { server } = shared;
      if (!server) throw new Error("the server has not started");
      const ask = proven(server.request);
      await work({
        server,
        api,
        ask,
        release: held.resolve,
        async add(connector = {}) {
          const json = { connector: { name: `api ${crypto.randomUUID()}`, url: api.url, ...connector } };
          return made(await ask("POST", "/connect/connectors.json", { json }));
        },
        call: (connector_code, more = {}) =>
          server.connectors.call({
            account_id: 1,
            reach: EVERYTHING,
            connector_code,
            method: "m",
            params: {},
            public_only: false,
            idempotency_key: undefined,
            timeout_ms: 60_000,
            ...more,
          }),
      });
    },
  });
}

const method = (more: Record<string, unknown> = {}) => ({ methods: { m: { method: "GET", path: "/x", ...more } } });

const faultOf = async (call: Promise<unknown>): Promise<ConnectorFault> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ConnectorFault, String(error));
    return error;
  }
  throw new Error("the call was no fault");
};

onStage("calls: each way of letting in", async ({ api, add, call }) => {
  const secret_token = "p@ss:word/ż";
  const sent = async (auth: unknown, secret = secret_token) => {
    const { code } = await add({ secret_token: secret, fields: { auth, ...method({ query: { a: 1 } }) } });
    await call(code);
    const seen = api.seen.at(-1);
    assert.ok(seen);
    return seen;
  };
  assert.equal((await sent({ type: "none" })).headers.authorization, undefined);
  assert.equal((await sent(undefined)).headers.authorization, undefined);
  assert.equal((await sent({ type: "bearer" }, "tok-en")).headers.authorization, "Bearer tok-en");
  const basic = (await sent({ type: "basic", username: "ada" })).headers.authorization ?? "";
  assert.equal(Buffer.from(basic.replace("Basic ", ""), "base64").toString(), `ada:${secret_token}`);
  const header = await sent({ type: "header", name: "X-Api-Key" }, "Key abc");
  assert.deepEqual([header.headers["x-api-key"], header.headers.authorization], ["Key abc", undefined]);
  const query = new URL((await sent({ type: "query", name: "key" })).path, api.url).searchParams;
  assert.deepEqual([...query], [["a", "1"], ["key", secret_token]]);

  const { code } = await add({ secret_token: "złoto", fields: { auth: { type: "bearer" }, ...method() } });
  assert.deepEqual((await faultOf(call(code))).kind, "invalid", "no header carries it");
});

onStage("calls: path, query, headers and body are filled from the parameters", async ({ add, call }) => {
  const { code } = await add({
    fields: method({
      method: "POST",
      path: "/rates/{base}/{day.date}.json",
      query: { n: "{n}", from: "{day.date}", none: "{nothing}", list: "{list}", flag: true, fixed: "a b&c" },
      headers: { "X-Run": "run {n}", "Content-Language": "pl" },
      body: { n: "{n}", text: "Price {n} of {base}", list: ["{list}", "{day}"], deep: { ok: "{ok}", brace: "{{x}" } },
    }),
  });
  const params = { base: "E/UR", n: 4.5, day: { date: "2026-11-21" }, list: [1, "b"], ok: true, nothing: null };
  const { status, headers, body, ms } = await call(code, { params, idempotency_key: "run:step" });
  const seen = repeated(body);
  assert.equal(status, 200);
  assert.ok(Number.isInteger(ms) && ms >= 0);
  assert.match(headers["content-type"] ?? "", /json/);
  const expected = "n=4.5&from=2026-11-21&list=1&list=b&flag=true&fixed=a+b%26c";
  assert.equal(seen.path, `/rates/E%2FUR/2026-11-21.json?${expected}`);
  assert.deepEqual([seen.headers["x-run"], seen.headers["content-language"]], ["run 4.5", "pl"]);
  assert.deepEqual([seen.headers["idempotency-key"], seen.headers["content-type"]], ["run:step", "application/json"]);
  assert.deepEqual(JSON.parse(seen.body), {
    n: 4.5,
    text: "Price 4.5 of E/UR",
    list: [[1, "b"], { date: "2026-11-21" }],
    deep: { ok: true, brace: "{x}" },
  });
});

onStage("calls: a call's own query, headers and body", async ({ add, call }) => {
  const fields = {
    auth: { type: "bearer" },
    ...method({ method: "PUT", query: { a: 1 }, headers: { "X-A": "1" }, body: 1 }),
  };
  const { code } = await add({ secret_token: "secret", fields });
  const of = async (more: Partial<ConnectorCall>) => repeated((await call(code, more)).body);
  const own = await of({ query: { b: [1, 2] }, headers: { "x-a": "2", "X-B": "3" }, body: { c: "{not filled}" } });
  assert.deepEqual([own.path, own.headers["x-a"], own.headers["x-b"]], ["/x?b=1&b=2", "2", "3"]);
  assert.deepEqual(JSON.parse(own.body), { c: "{not filled}" });
  assert.equal((await of({ body: null })).body, "");
  assert.equal((await of({})).body, "1");
  const form = await of({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: { a: "x y", b: [1, 2], c: null },
  });
  assert.equal(form.body, "a=x+y&b=1&b=2");
  assert.equal((await of({ headers: { "content-type": "text/plain" }, body: "as it is" })).body, "as it is");
  assert.equal((await of({ body: "text" })).body, '"text"');
  const wrong: [name: string, value: string][] = [
    ["Authorization", "x"],
    ["Host", "x"],
    ["a b", "x"],
    ["x", "a\r\nb: c"],
    ["x", "ż"],
  ];
  await inTurn(
    wrong,
    async ([name, value]) =>
      assert.equal((await faultOf(call(code, { headers: { [name]: value } }))).kind, "invalid", name),
  );
  assert.equal((await faultOf(call(code, { body: "x".repeat(2_100_000) }))).kind, "invalid");
});

onStage("calls: faults by their kind", async ({ add, call, server }) => {
  const { code } = await add({
    fields: {
      methods: {
        status: { method: "GET", path: "/status/{code}" },
        wait: { method: "GET", path: "/hold" },
        open: { method: "GET", path: "/x", public: true },
      },
    },
  });
  const rows: [kind: string, message: RegExp, connector: string, more: Partial<ConnectorCall>][] = [
    ["unknown", /^there is no connector nothing$/, "nothing", {}],
    ["unknown", /has no method nothing$/, code, { method: "nothing" }],
    ["unknown", /has no method toString$/, code, { method: "toString" }],
    ["not_public", /status of \w+ is not public/, code, { method: "status", public_only: true }],
    ["invalid", /^the parameter code is missing$/, code, { method: "status" }],
    ["status", /answered 404 Not Found$/, code, { method: "status", params: { code: 404 } }],
    ["status", /answered 503 Service Unavailable$/, code, { method: "status", params: { code: 503 } }],
    ["timeout", /^there was no whole answer within 0.2 s$/, code, {
      method: "wait",
      timeout_ms: 200,
    }],
    ["cancelled", /cancelled/, code, { method: "wait", signal: AbortSignal.timeout(100) }],
    ["cancelled", /cancelled/, code, { method: "wait", signal: AbortSignal.abort() }],
  ];
  await inTurn(rows, async ([kind, message, connector, more]) => {
    const fault = await faultOf(call(connector, more));
    assert.equal(fault.kind, kind, fault.message);
    assert.match(fault.message, message);
  });
  const { answer } = await faultOf(call(code, { method: "status", params: { code: 422 } }));
  assert.deepEqual([answer?.status, answer?.body, answer?.headers["x-why"]], [422, { said: "422" }, "because"]);
  assert.equal((await call(code, { method: "open", public_only: true })).status, 200);

  const stranger = await addAccount(server);
  assert.equal((await faultOf(call(code, { method: "open", account_id: stranger.account_id }))).kind, "unknown");
  const gone = await add({ url: "http://127.0.0.1:1", fields: method() });
  assert.equal((await faultOf(call(gone.code))).kind, "refused", "a closed port within is not told from an open one");
});

onStage("calls: empty answers, and what is left out of headers", async ({ add, call }) => {
  const { code } = await add({ fields: method({ path: "/{what}" }) });
  assert.equal((await call(code, { params: { what: "empty" } })).body, null);
  const { body, headers } = await call(code, { params: { what: "cookie" } });
  assert.deepEqual([body, headers["set-cookie"], headers["x-seen"]], ["hi", undefined, "yes"]);
  const head = await add({ fields: method({ method: "HEAD" }) });
  assert.equal((await call(head.code)).body, null);
});

onStage("calls: a change holds at once, here and in another process", async ({ api, add, call, ask, server }) => {
  const { id, code } = await add({ secret_token: "first-secret", fields: { auth: { type: "bearer" }, ...method() } });
  const path = `/connect/connectors/${id}.json`;
  const authorization = async () => repeated((await call(code)).body).headers.authorization;
  await call(code);
  assert.equal(api.seen.at(-1)?.headers.authorization, "Bearer first-secret");
  assert.equal(await authorization(), "Bearer [redacted]");
  await ask("PATCH", path, { json: { connector: { secret_token: "second-secret" } } });
  await call(code);
  assert.equal(api.seen.at(-1)?.headers.authorization, "Bearer second-secret");
  await ask("PATCH", path, {
    json: { connector: { fields: { auth: { type: "none" }, ...method({ path: "/new" }) } } },
  });
  assert.equal(repeated((await call(code)).body).path, "/new");
  // A change by another process: this server learns of it by a notification.
  await server.sql`update connectors set fields = ${
    JSON.stringify(method({ path: "/newer" }))
  }::text::json where id = ${id}`;
  const until = performance.now() + 4_000;
  let seen = "";
  while (seen !== "/newer" && performance.now() < until) {
    seen = repeated((await call(code)).body).path;
  }
  assert.equal(seen, "/newer", "sooner than it would forget by itself");
  await ask("DELETE", path);
  assert.equal((await faultOf(call(code))).kind, "unknown");
});

onStage(
  "calls: 20 of an account at once, 15 of a connector; the others wait, and another account's do not",
  async ({ server, api, release, add, call }) => {
    const fields = method({ path: "/{what}" });
    const [one, two] = [await add({ fields }), await add({ fields })];
    const theirs = await addAccount(server);
    let ended = 0;
    const begin = ({ code }: { code: string }) =>
      Array.from(
        { length: 25 },
        () => call(code, { params: { what: "hold" }, timeout_ms: 60_000 }).finally(() => ended++),
      );
    const busy = (count: number) => until(() => api.busy() >= count, `${count} calls at once`);
    const calls = begin(one);
    await busy(15);
    assert.ok(api.most_busy() <= 15, `${api.most_busy()} of one connector`);
    calls.push(...begin(two));
    await busy(20);
    const json = { connector: { name: "Theirs", code: "theirs", url: api.url, fields } };
    made(await server.request("POST", "/connect/connectors.json", { json, token: theirs.token }));
    await call("theirs", { account_id: theirs.account_id, params: { what: "now" } });
    assert.ok(ended < 50, "it did not wait for the others");
    release();
    await Promise.all(calls);
    assert.ok(api.most_busy() >= 20 && api.most_busy() <= 21, `${api.most_busy()} at once`);
  },
);

onStage("calls: connections are kept, and shared by connectors of one origin", async ({ add, call, api }) => {
  const [first, second] = [await add({ fields: method() }), await add({ fields: method({ path: "/y" }) })];
  await inTurn(Array.from({ length: 10 }), async (_, index) => await call((index % 2 ? first : second).code));
  // undici may open a second one: it reports the end of an answer a moment before the connection is free.
  const connections = new Set(api.seen.map(({ from }) => from)).size;
  assert.ok(connections <= 2, `${connections} connections for ${api.seen.length} calls`);
});
