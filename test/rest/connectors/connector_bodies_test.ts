/** Bodies by `body_type`, answers by `response`, and `per_second`. */
import assert from "node:assert/strict";
import { type ConnectorCall, ConnectorFault } from "../../../server/connectors/connectors.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { serveApi } from "../../stage/egress/outside.ts";
import { EVERYTHING, made } from "../../stage/people.ts";
import { inTurn, proven } from "../../stage/scenario.ts";

const ANSWERS: Record<string, () => Response> = {
  "/json": () => new Response(' {"a": 1}', { headers: { "content-type": "text/html" } }),
  "/latin": () =>
    new Response(Uint8Array.from('{"a":"ó"}', (sign) => sign.charCodeAt(0)), {
      headers: { "content-type": "text/plain; charset=iso-8859-1" },
    }),
  "/null": () => new Response("null"),
  "/half": () => new Response('"half of a text'),
  "/text": () => Response.json({ a: 1 }),
  "/csv": () => new Response('\ufeffday;price\r\n2026-11-22;"4,31"\r\n\r\n2026-11-23;\r\n'),
  "/quoted": () => new Response('\r\n"Name, first name";"Town, ""code""\n"\r\n"Ada, A.";Łódź\r\n'),
  "/bytes": () => new Response(new Uint8Array([0, 255, 1, 254])),
  "/secret": () => new Response("key;value\ntoken;a-long-secret\n"),
  "/broken": () => new Response('a,b\n1,2\n"1'),
  "/ragged": () => new Response("a,b\n1,2\n1\n1,2,3\n"),
  "/repeated": () => new Response("a,a,a_2,,__proto__,a\n1,2,3,4,5,6\n"),
  "/wide": () => {
    const names = Array.from({ length: 1_100 }, (_, n) => `c${n}`).join();
    return new Response(`${names}\n${`${"1,".repeat(1_099)}1\n`.repeat(950)}`);
  },
  "/refused": () => Response.json({ why: "no" }, { status: 422 }),
  "/graphql": () => Response.json({ data: { user: { name: "Ada" } } }),
  "/graphql_partial": () => Response.json({ data: { a: 1 }, errors: [{ message: "b is missing" }] }),
  "/graphql_odd": () => Response.json({ errors: ["no user"] }),
  "/graphql_error": () => Response.json({ data: null, errors: [{ message: "no user a-long-secret" }] }),
};

const shared: { server?: TestServer } = {};
const api = serveApi((request) => ANSWERS[new URL(request.url).pathname]?.());
Deno.test.beforeAll(async () => {
  shared.server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });
});
Deno.test.afterAll(async () => {
  await shared.server?.close();
  await api[Symbol.asyncDispose]();
});

function stage() {
  const { server } = shared;
  if (!server) throw new Error("the server has not started");
  const ask = proven(server.request);
  return {
    ask,
    async add(methods: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<string> {
      const fields = { auth: { type: "bearer" }, methods, ...more };
      const connector = { name: `c ${crypto.randomUUID()}`, url: api.url, secret_token: "a-long-secret", fields };
      return made(await ask("POST", "/connect/connectors.json", { json: { connector } })).code;
    },
    call: (connector_code: string, method: string, more: Partial<ConnectorCall> = {}) =>
      server.connectors.call({
        account_id: 1,
        reach: EVERYTHING,
        connector_code,
        method,
        params: {},
        public_only: false,
        idempotency_key: undefined,
        timeout_ms: 60_000,
        ...more,
      }),
  };
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

const faultOf = async (call: Promise<unknown>): Promise<ConnectorFault> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ConnectorFault, String(error));
    return error;
  }
  throw new Error("the call was no fault");
};

test("bodies: json, form, multipart, text and graphql are sent as their type says", async () => {
  const { add, call } = stage();
  const post = { method: "POST", path: "/echo" };
  const query = "query ($id: ID!) { user(id: $id) { name } }";
  const file = { filename: 'a"b.txt', type: "text/plain", text: "{text}" };
  const code = await add({
    json: { ...post, body_type: "json", body: "{text}" },
    form: { ...post, body_type: "form", body: { a: "{text}", b: [1, 2], c: null } },
    multipart: { ...post, body_type: "multipart", body: { a: "{text}", n: [1, 2], none: null, file, raw: "{raw}" } },
    text: { ...post, body_type: "text", body: "Hello {text}", headers: { "content-type": "text/markdown" } },
    graphql: { ...post, path: "/graphql", body_type: "graphql", body: { query, variables: { id: "{id}" } } },
  });
  const params = { text: "x & y", id: 7, raw: { filename: "r", base64: "AAH/" } };
  const sent = async (method: string, more: Partial<ConnectorCall> = {}) => {
    await call(code, method, { params, ...more });
    const seen = api.seen.at(-1);
    assert.ok(seen);
    return { body: seen.body, type: seen.headers["content-type"] ?? "" };
  };
  assert.deepEqual(await sent("json"), { body: '"x & y"', type: "application/json" });
  assert.deepEqual(await sent("form"), { body: "a=x+%26+y&b=1&b=2", type: "application/x-www-form-urlencoded" });
  assert.deepEqual(await sent("text"), { body: "Hello x & y", type: "text/markdown" });
  const graphql = { query, variables: { id: 7 } };
  assert.deepEqual(await sent("graphql"), { body: JSON.stringify(graphql), type: "application/json" });
  const own = await sent("graphql", { params: {}, body: { id: 8 } });
  assert.deepEqual(JSON.parse(own.body), { query, variables: { id: 8 } }, "a call's body replaces the variables");

  const multipart = await sent("multipart");
  assert.deepEqual(await sent("multipart"), multipart, "each attempt sends the same bytes");
  assert.match(multipart.type, /^multipart\/form-data; boundary=atrium-[0-9a-f]{64}$/);
  assert.match(multipart.body, /name="file"; filename="a%22b.txt"\r\ncontent-type: text\/plain\r\n\r\nx & y\r\n/);
  const ascii = await sent("multipart", { params: { ...params, raw: { filename: "r", base64: btoa("raw") } } });
  const form = await new Response(ascii.body, { headers: { "content-type": ascii.type } }).formData();
  assert.deepEqual([form.get("a"), form.getAll("n"), form.has("none")], ["x & y", ["1", "2"], false]);
  const raw = form.get("raw");
  assert.ok(raw instanceof File);
  assert.deepEqual([raw.name, raw.type, await raw.text()], ["r", "application/octet-stream", "raw"]);

  const wrong: [method: string, more: Partial<ConnectorCall>, message: RegExp][] = [
    ["form", { body: [1] }, /must be an object/],
    ["form", { body: { a: { b: 1 } } }, /^a of the body must be a single value/],
    ["text", { body: { a: 1 } }, /must be a text/],
    ["graphql", { body: "x" }, /must be an object/],
    ["multipart", { body: { a: { filename: "x" } } }, /^a of the body must be .*base64 or text/],
    ["multipart", { body: { a: { filename: null, text: "x" } } }, /base64: filename must be a text of 1 to 255 char/],
    ["multipart", { body: { a: { filename: "x", text: 1 } } }, /base64: text must be a text$/],
    ["multipart", { body: { a: { filename: "x", type: null, text: "" } } }, /base64: type is not a content type$/],
    ["multipart", { body: { a: { filename: "x", base64: "!" } } }, /a\.base64 of the body is not base64/],
    ["multipart", { body: { a: "x".repeat(2_100_000) } }, /larger than 2,097,152 bytes/],
    ["multipart", { headers: { "Content-Type": "text/plain" } }, /set by the server with the body_type multipart/],
  ];
  await inTurn(wrong, async ([method, more, message]) => {
    const fault = await faultOf(call(code, method, { params, ...more }));
    assert.equal(fault.kind, "invalid", fault.message);
    assert.match(fault.message, message);
  });
});

test("responses: json, text, csv and bytes, without the secret; a failure is read by its own type", async () => {
  const { add, call } = stage();
  const get = (path: string, response?: string) => ({ method: "GET", path, ...response && { response } });
  const code = await add({
    json: get("/json", "json"),
    latin: get("/latin", "json"),
    nothing: get("/null", "json"),
    half: get("/half", "json"),
    no_json: get("/csv", "json"),
    text: get("/text", "text"),
    csv: get("/csv", "csv"),
    quoted: get("/quoted", "csv"),
    bytes: get("/bytes", "bytes"),
    secret: get("/secret", "csv"),
    broken: get("/broken", "csv"),
    ragged: get("/ragged", "csv"),
    repeated: get("/repeated", "csv"),
    wide: get("/wide", "csv"),
    refused: get("/refused", "csv"),
  });
  const body = async (method: string) => (await call(code, method)).body;
  assert.deepEqual([await body("json"), await body("latin"), await body("nothing")], [{ a: 1 }, { a: "ó" }, null]);
  assert.equal(await body("text"), '{"a":1}');
  assert.deepEqual(await body("csv"), [{ day: "2026-11-22", price: "4,31" }, { day: "2026-11-23", price: "" }]);
  assert.deepEqual(await body("quoted"), [{ "Name, first name": "Ada, A.", 'Town, "code"\n': "Łódź" }]);
  assert.equal(
    JSON.stringify(await body("repeated")),
    '[{"a":"1","a_3":"2","a_2":"3","":"4","__proto__":"5","a_4":"6"}]',
    "no column hides another one",
  );
  assert.equal(await body("bytes"), "AP8B/g==");
  assert.deepEqual(await body("secret"), [{ key: "token", value: "[redacted]" }]);
  const kinds: [method: string, kind: string, message: RegExp][] = [
    ["no_json", "network", /not JSON/],
    ["half", "network", /not JSON/],
    ["broken", "network", /not CSV: line 3 has a quotation mark that is not closed/],
    ["ragged", "network", /not CSV: line 4 has more values than the first line has names/],
    ["wide", "too_large", /more than 1,000,000 cells/],
  ];
  await inTurn(kinds, async ([method, kind, message]) => {
    const fault = await faultOf(call(code, method));
    assert.equal(fault.kind, kind, fault.message);
    assert.match(fault.message, message);
  });
  assert.deepEqual((await faultOf(call(code, "refused"))).answer?.body, { why: "no" });
});

test("responses: GraphQL errors without data are a failure, without the secret", async () => {
  const { add, call } = stage();
  const graphql = (path: string) => ({ method: "POST", path, body_type: "graphql", body: { query: "{ a }" } });
  const code = await add({
    error: graphql("/graphql_error"),
    odd: graphql("/graphql_odd"),
    partial: graphql("/graphql_partial"),
  });
  const fault = await faultOf(call(code, "error"));
  assert.deepEqual([fault.kind, fault.answer?.status], ["status", 200]);
  assert.match(fault.message, /answered with a GraphQL error: no user \[redacted\]$/);
  assert.match((await faultOf(call(code, "odd"))).message, /answered with a GraphQL error: without a message$/);
  assert.equal((await call(code, "partial")).status, 200);
});

test("per_second: calls are spaced, runs take turns, and the wait is not the call's time", async () => {
  const { add, call } = stage();
  const get = { get: { method: "GET", path: "/echo" } };
  const code = await add(get, { per_second: 10 });
  const order: string[] = [];
  const began = performance.now();
  const as = (run_id: string) => call(code, "get", { run_id, begins: () => order.push(run_id) });
  await Promise.all([as("a"), as("a"), as("a"), as("a"), as("b"), as("b")]);
  assert.deepEqual(order, ["a", "a", "b", "a", "b", "a"], "the first call was alone");
  // A lower bound: a busy machine takes longer.
  assert.ok(performance.now() - began >= 480, "six calls are five tenths of a second apart");

  const slow = await add(get, { per_second: 0.01 });
  await call(slow, "get");
  const waiting = { run_id: "a", begins: () => {}, timeout_ms: 1, signal: AbortSignal.timeout(200) };
  assert.equal((await faultOf(call(slow, "get", waiting))).kind, "cancelled", "not timeout");
});

test("bodies: what does not fit together is refused by its path", async () => {
  const { ask } = stage();
  const rows: [method: Record<string, unknown>, path: string, message: RegExp][] = [
    [{ body_type: "xml" }, "body_type", /not included/],
    [{ response: "xml" }, "response", /not included/],
    [{ body_type: "form", body: [1] }, "body", /must be an object with the body_type form/],
    [{ body_type: "text", body: { a: 1 } }, "body", /must be a text/],
    [{ body_type: "graphql", body: { query: " " } }, "body.query", /blank/],
    [{ body_type: "graphql", body: { query: "{ a }", vars: {} } }, "body.vars", /not a known field/],
    [{ body_type: "graphql", body: { query: "{ a }", variables: { a: "{" } } }, "body.variables.a", /begins no/],
    [
      { body_type: "multipart", body: {}, headers: { "Content-Type": "x/y" } },
      "headers.Content-Type",
      /set by the server/,
    ],
  ];
  await inTurn(rows, async ([method, path, message]) => {
    const fields = { methods: { m: { method: "POST", path: "/x", ...method } } };
    const { status, body } = await ask("POST", "/connect/connectors.json", {
      json: { connector: { name: "x", url: api.url, fields } },
    });
    assert.equal(status, 422);
    assert.deepEqual(Object.keys(body), [`fields.methods.m.${path}`], JSON.stringify(body));
    assert.match(body[`fields.methods.m.${path}`].join(), message);
  });
});
