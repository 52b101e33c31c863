import assert from "node:assert/strict";
import { errorOf, type Reply, standIn } from "../../test/stage/stand_in.ts";
import { createAction } from "./action.js";

const APP = { id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", name: "Rates", db_code: null };
const ADDRESS = `/platform/apps/${APP.id}/action/rate`;
const STATUS = `${ADDRESS}/status?flow_process_id=p%2F1`;
const PENDING = { json: { flow_process_id: "p/1", status: "pending" } };
const FINISHED = { json: { flow_process_id: "p/1", status: "finished", data: { rate: 4.2 } } };
const FAILED = { json: { flow_process_id: "p/1", status: "error", error: "The bank is closed" } };

const times = (count: number, reply: Reply) => Array<Reply>(count).fill(reply);

/** An action that records its pauses, in whole milliseconds, instead of waiting. */
function hurried() {
  const pauses: number[] = [];
  const action = createAction(APP, (ms, signal) => {
    pauses.push(Math.round(ms));
    signal.throwIfAborted();
    return Promise.resolve();
  });
  return { action, pauses };
}

Deno.test("action: a flow that ends within the request returns its data", async () => {
  await using server = standIn(FINISHED);
  const { action, pauses } = hurried();
  assert.deepEqual(await action("rate", { currency: "EUR" }), { rate: 4.2 });
  assert.deepEqual(server.asked.map(({ method, path, body }) => [method, path, body]), [
    ["POST", ADDRESS, { currency: "EUR" }],
  ]);
  assert.deepEqual(pauses, []);
});

Deno.test("action: while it is pending it is asked for with growing pauses, and not called again", async () => {
  await using server = standIn(PENDING, ...times(9, PENDING), FINISHED);
  const { action, pauses } = hurried();
  assert.deepEqual(await action("rate"), { rate: 4.2 });
  assert.deepEqual(pauses, [250, 375, 563, 844, 1266, 1898, 2848, 4271, 5000, 5000]);
  assert.deepEqual(server.asked.map(({ method, path, body }) => [method, path, body]), [
    ["POST", ADDRESS, {}],
    ...Array(10).fill(["GET", STATUS, undefined]),
  ]);
});

Deno.test("action: a poll's answer may omit fields that the call's answer had", async () => {
  await using _ = standIn(PENDING, { json: { status: "pending" } }, { json: { status: "finished", data: null } });
  assert.equal(await hurried().action("rate"), null);
});

Deno.test("action: a flow without data resolves to undefined", async () => {
  await using _ = standIn({ json: { flow_process_id: "p", status: "finished" } });
  assert.equal(await hurried().action("rate"), undefined);
});

const ENDINGS: [name: string, replies: Reply[], error: Partial<Awaited<ReturnType<typeof errorOf>>>][] = [
  ["a flow that fails at once", [FAILED], { message: "The bank is closed", status: 200, code: "action_failed" }],
  ["a flow that fails later", [PENDING, PENDING, FAILED], { message: "The bank is closed", code: "action_failed" }],
  ["a flow that fails without a word", [{ json: { flow_process_id: "p/1", status: "error", error: null } }], {
    message: "The action failed",
  }],
  ["a poll without a login", [PENDING, { status: 401, json: { error: "No", code: "unauthorized" } }], { status: 401 }],
  ["a process that is gone", [PENDING, PENDING, { status: 404, json: { error: "No", code: "not_found" } }], {
    status: 404,
  }],
  ["a server that breaks", [PENDING, { status: 500, json: { error: "No", code: "internal_error" } }], { status: 500 }],
  ["six polls in a row that get nothing", [PENDING, PENDING, ...times(6, "unreachable")], { code: "network" }],
  ["an unknown state", [PENDING, { json: { status: "cancelled" } }], { status: 200, code: "bad_answer" }],
];

for (const [name, replies, error] of ENDINGS) {
  Deno.test(`action: ${name} ends the waiting, and the process is named`, async () => {
    await using server = standIn(...replies);
    const thrown = await errorOf(hurried().action("rate"));
    assert.deepEqual({ ...thrown, ...error, flow_process_id: "p/1" }, thrown);
    assert.equal(server.asked.filter(({ method }) => method === "POST").length, 1);
  });
}

Deno.test("action: the call itself is never repeated", async () => {
  const replies: Reply[] = [
    "unreachable",
    "cut",
    { status: 503, json: { error: "x", code: "unavailable" }, headers: { "retry-after": "0" } },
    { status: 429, json: { error: "x", code: "too_many_requests" }, headers: { "retry-after": "0" } },
    { status: 502, text: "" },
    ...[null, [], {}, { status: "cancelled" }, "finished"].map((json): Reply => ({ json })),
  ];
  for (const reply of replies) {
    await using server = standIn(reply);
    const { action, pauses } = hurried();
    await errorOf(action("rate"));
    assert.equal(server.asked.length, reply === "unreachable" ? 0 : 1, JSON.stringify(reply));
    assert.deepEqual(pauses, []);
  }
});

Deno.test("action: polls that fail temporarily are repeated, not before Retry-After", async () => {
  await using _ = standIn(
    PENDING,
    "unreachable",
    { status: 503, json: { error: "x", code: "unavailable" }, headers: { "retry-after": "7" } },
    { status: 429, json: { error: "x", code: "too_many_requests" }, headers: { "retry-after": "0" } },
    { status: 504, text: "<h1>Gateway timeout</h1>" },
    "cut",
    PENDING,
    ...times(5, "unreachable"),
    FINISHED,
  );
  const { action, pauses } = hurried();
  assert.deepEqual(await action("rate"), { rate: 4.2 });
  assert.deepEqual(pauses.slice(0, 5), [250, 375, 7000, 844, 1266]);
});

Deno.test("action: an input that cannot be sent is refused before any request", async () => {
  await using server = standIn();
  const rows: [call: () => Promise<unknown>, message: RegExp][] = [
    [() => createAction(APP)(".."), /^An action's name must be a name/],
    [() => createAction(APP)(""), /^An action's name must be a name/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => createAction(APP)(), /^An action's name must be a name/],
    // @ts-expect-error -- params must not be an array
    [() => createAction(APP)("rate", [1]), /^An action's params must be an object/],
    // @ts-expect-error -- params must not be FormData
    [() => createAction(APP)("rate", new FormData()), /^An action's params must be an object/],
    // @ts-expect-error -- params must not be a text
    [() => createAction(APP)("rate", "EUR"), /^An action's params must be an object/],
    [() => createAction(APP)("rate", {}, { timeout: 0 }), /^timeout must be/],
    [() => createAction(APP)("rate", {}, { timeout: NaN }), /^timeout must be/],
  ];
  for (const [call, message] of rows) {
    await assert.rejects(call, { name: "TypeError", message });
  }
  assert.equal((await errorOf(createAction(null)("rate"))).code, "no_app");
  assert.deepEqual(server.asked, []);
});

Deno.test("action: names and ids are encoded", async () => {
  await using server = standIn(PENDING, FINISHED);
  await hurried().action("a/b?c#ł", {});
  assert.deepEqual(server.asked.map(({ path }) => path), [
    `/platform/apps/${APP.id}/action/a%2Fb%3Fc%23%C5%82`,
    `/platform/apps/${APP.id}/action/a%2Fb%3Fc%23%C5%82/status?flow_process_id=p%2F1`,
  ]);
});
