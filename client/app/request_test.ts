import assert from "node:assert/strict";
import { errorOf, type Reply, standIn } from "../../test/stage/stand_in.ts";
import { jsonOf, request, segment } from "./request.js";

const refused = (status: number, json: unknown, headers = {}): Reply => ({ status, json, headers });

type Row = [name: string, reply: Reply, error: Partial<Awaited<ReturnType<typeof errorOf>>>];

const REFUSALS: Row[] = [
  ["401", refused(401, { error: "Sign in first", code: "unauthorized" }), {
    status: 401,
    code: "unauthorized",
    message: "Sign in first",
  }],
  ["404", refused(404, { error: "Action not found", code: "not_found" }), {
    status: 404,
    code: "not_found",
    message: "Action not found",
  }],
  ["422", refused(422, { flow_code: ["does not exist"], base: ["is too much", "comes too late"] }), {
    status: 422,
    code: "invalid",
    message: "Flow code does not exist; Is too much; Comes too late",
    fields: { flow_code: ["does not exist"], base: ["is too much", "comes too late"] },
  }],
  ["422 on a field that is called error", refused(422, { error: ["can't be blank"] }), {
    status: 422,
    code: "invalid",
    message: "Error can't be blank",
    fields: { error: ["can't be blank"] },
  }],
  ["429", refused(429, { error: "Too many", code: "too_many_requests" }, { "retry-after": "17" }), {
    status: 429,
    code: "too_many_requests",
    message: "Too many",
    retry_after: 17,
  }],
  ["503", refused(503, { error: "The database is away", code: "unavailable" }, { "retry-after": "soon" }), {
    status: 503,
    code: "unavailable",
    message: "The database is away",
  }],
  ["503 of a server in between", { status: 503, text: "", headers: { "retry-after": "0" } }, {
    status: 503,
    message: "The server answers with the status 503",
    retry_after: 0,
  }],
  ["502 of a server in between", { status: 502, text: "<h1>Bad gateway</h1>" }, {
    status: 502,
    message: "The server answers with the status 502",
  }],
  ["422 that names nothing", refused(422, {}), { status: 422, message: "The server answers with the status 422" }],
  ["500 that is only JSON", refused(500, null), { status: 500, message: "The server answers with the status 500" }],
  ["200 with a page", { text: "<h1>Sign in to the network</h1>" }, {
    status: 200,
    code: "bad_answer",
    message: "The server's answer cannot be read",
  }],
  ["nobody there", "unreachable", { code: "network", message: "The server cannot be reached" }],
  ["an answer cut off", "cut", { code: "network", message: "The server cannot be reached" }],
];

for (const [name, reply, error] of REFUSALS) {
  Deno.test(`request: ${name} is thrown with a readable message and a code`, async () => {
    await using _ = standIn(reply);
    assert.deepEqual(await errorOf(request("POST", "/x", { body: "{}" })), {
      status: 0,
      code: "unknown",
      fields: undefined,
      flow_process_id: undefined,
      retry_after: undefined,
      ...error,
    });
  });
}

Deno.test("request: Retry-After may be a date", async () => {
  await using _ = standIn(
    { status: 503, text: "", headers: { "retry-after": new Date(Date.now() + 60_000).toUTCString() } },
    { status: 503, text: "", headers: { "retry-after": new Date(Date.now() - 60_000).toUTCString() } },
  );
  const { retry_after = 0 } = await errorOf(request("GET", "/x"));
  assert.ok(retry_after > 50 && retry_after <= 60, `${retry_after}`);
  assert.equal((await errorOf(request("GET", "/x"))).retry_after, undefined);
});

Deno.test("request: JSON is sent and read, an empty body is undefined, a failure keeps its cause", async () => {
  await using server = standIn({ json: [1, null] }, { json: null }, "unreachable");
  assert.deepEqual(await request("POST", "/x?y=%2F", { body: '{"a":"ż"}' }), [1, null]);
  assert.equal(await request("GET", "/x"), null);
  const [posted, got] = server.asked;
  assert.deepEqual([posted?.method, posted?.path, posted?.body], ["POST", "/x?y=%2F", { a: "ż" }]);
  assert.equal(posted?.headers["content-type"], "application/json");
  assert.equal(got?.headers["content-type"], undefined);
  await assert.rejects(request("GET", "/x"), ({ cause }: Error) => cause instanceof TypeError);
});

Deno.test("request: a fetch that the page replaced is used", async () => {
  await using server = standIn({ json: 1 });
  const before = globalThis.fetch;
  let given: RequestInit | undefined;
  globalThis.fetch = (address, init) => {
    given = init;
    return before(address, { ...init, headers: { ...init?.headers, "x-app-token": "signed" } });
  };
  await request("GET", "/x");
  globalThis.fetch = before;
  assert.deepEqual([given?.credentials, given?.cache], ["omit", "no-store"]);
  assert.equal(server.asked[0]?.headers["x-app-token"], "signed");
});

Deno.test("request: a name with any characters is one segment of the path", () => {
  const rows = [["rate", "rate"], ["a b/c", "a%20b%2Fc"], ["?#%", "%3F%23%25"], ["żółw", "%C5%BC%C3%B3%C5%82w"], [
    "...",
    "...",
  ]];
  for (const [name, written = ""] of rows) {
    assert.equal(segment(name, "A name"), written);
    assert.equal(new URL(`/a/${written}/b`, "http://x.test").pathname, `/a/${written}/b`);
  }
  for (const name of ["", ".", "..", undefined, null, 7, {}]) {
    assert.throws(() => segment(name, "A name"), { name: "TypeError", message: /^A name must be a name, not / });
  }
});

Deno.test("request: objects are written as JSON has them, and nothing else is taken for one", () => {
  class Order {
    amount = 2;
  }
  const at = new Date(0);
  const rows: [value: unknown, json: string][] = [
    [{}, "{}"],
    [
      { at, not: NaN, none: undefined, list: [null, undefined] },
      `{"at":"${at.toJSON()}","not":null,"list":[null,null]}`,
    ],
    [new Order(), `{"amount":2}`],
    [{ toJSON: () => ({ total: 3 }) }, `{"total":3}`],
    [Object.assign(Object.create(null), { bare: "ż" }), `{"bare":"ż"}`],
    [new Proxy({ reactive: true }, {}), `{"reactive":true}`],
  ];
  for (const [value, json] of rows) assert.equal(jsonOf(value, "It"), json);
  const form = new FormData();
  form.set("name", "x");
  const cycle: Record<string, unknown> = {};
  cycle.cycle = cycle;
  for (
    const value of [undefined, null, 1, "{}", true, [], [{}], at, () => ({}), new Map(), form, new URLSearchParams()]
  ) {
    assert.throws(() => jsonOf(value, "It"), { name: "TypeError", message: /^It must be an object such as / });
  }
  for (const value of [{ large: 1n }, cycle]) assert.throws(() => jsonOf(value, "It"), TypeError);
});
