/** What a run tells of its steps: what an `if` compared, what a call sent and got, and which program it executed. */
import assert from "node:assert/strict";
import { made } from "../stage/people.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

// deno-lint-ignore no-explicit-any -- a test states what it expects
const step = (process: any, place: string) => process.steps.find((step: any) => step.place === place);

inTeam("step records: an if tells the values that it compared, up to the one that decided", async ({ run }) => {
  const given = (id: string, condition: unknown) => ({ type: "if", id, condition, then: [] });
  const { process } = await run([
    { type: "mutation", set: { price: "4.7", limit: 4.5, note: null } },
    given("line", "{price} > {limit} and {note} is empty"),
    given("tree", {
      any: [{ left: "{input.list}", operator: "contains", right: "z" }, { not: "{price} > 9" }, "{limit} exists"],
    }),
    given("long", { left: "{input.text}", operator: "eq", right: "{input.many}" }),
    given("many", { any: Array.from({ length: 30 }, (_, n) => ({ left: n, operator: "eq", right: 29 })) }),
    { type: "mutation", set: { other: 1 } },
  ], { list: ["a", "b"], text: `${"x".repeat(499)}😀`, many: Array.from({ length: 600 }, () => 1) });
  assert.deepEqual(step(process, "line").compared, [
    { left: "4.7", operator: "gt", right: 4.5, holds: true },
    { left: null, operator: "empty", holds: true },
  ]);
  assert.deepEqual(
    step(process, "tree").compared,
    [
      { left: ["a", "b"], operator: "contains", right: "z", holds: false },
      { left: "4.7", operator: "gt", right: "9", holds: false },
    ].map((one) => one.right === "9" ? { ...one, right: 9 } : one),
  );
  assert.deepEqual(step(process, "long").compared, [
    { left: `${"x".repeat(499)}\ufffd…`, operator: "eq", right: "a list of 600 items", holds: false, shortened: true },
  ]);
  const many = step(process, "many").compared;
  assert.deepEqual([many.length, many[0].left, many[19]], [20, 10, {
    left: 29,
    operator: "eq",
    right: 29,
    holds: true,
  }]);
  assert.equal(step(process, "step_2").compared, undefined);
});

inTeam(
  "step records: a call tells its request, each attempt and the answer's headers, without the secret",
  async (team) => {
    const { ask, api, run } = team;
    const path = `/shaky_${crypto.randomUUID()}`;
    const secret = "s3cret value/+";
    for (
      const [code, auth] of [["by_query", { type: "query", name: "key" }], ["by_bearer", { type: "bearer" }]] as const
    ) {
      const methods = { get: { method: "GET", path: "/{path}", query: { q: "{q}", again: "{again}" } } };
      const connector = { code, name: code, url: api.origin, secret_token: secret, fields: { auth, methods } };
      made(await ask("POST", "/connect/connectors.json", { json: { connector } }));
    }
    api.answers.set(path, (call) => {
      const headers = {
        "x-echo": `it was ${secret}`,
        "x-long": "y".repeat(400),
        "set-cookie": "a=b",
        "retry-after": "0",
        ...call > 2 && Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`x-${n}`, "z".repeat(200)])),
      };
      return call % 3 === 0 ? Response.json({ call }, { headers }) : new Response("down", { status: 503, headers });
    });
    const call = (connector_code: string, params: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
      type: "connector",
      id: connector_code,
      connector_code,
      method: "get",
      params: { path: path.slice(1), ...params },
      on_error: "continue",
      ...more,
    });
    const retry = { attempts: 3, delay: 0, on: ["5xx"] };
    const { process } = await run([
      call("by_query", { q: 1, again: secret }, { retry }),
      call("by_bearer", { q: "x".repeat(2_000), again: null }),
      call("by_none", {}),
    ]);
    const { call: first, attempts } = step(process, "by_query");
    assert.equal(first.method, "GET");
    assert.equal(first.url, `${api.origin}${path}?q=1&again=[redacted]&key=[redacted]`);
    assert.equal(attempts, 3);
    assert.deepEqual(first.attempts.map(({ status }: { status: number }) => status), [503, 503, 200]);
    assert.deepEqual(first.attempts.map(({ error }: { error: string | null }) => error), [
      "by_query answered 503 Service Unavailable",
      "by_query answered 503 Service Unavailable",
      null,
    ]);
    for (const { started_at, ms } of first.attempts) assert.ok(!Number.isNaN(Date.parse(started_at)) && ms >= 0);
    const started = first.attempts.map(({ started_at }: { started_at: string }) => started_at);
    assert.deepEqual(started.toSorted(), started);
    assert.equal(first.headers["x-echo"], "it was [redacted]");
    assert.equal(first.headers["x-long"], `${"y".repeat(300)}…`);
    assert.ok(!("set-cookie" in first.headers), "a credential");
    assert.ok(JSON.stringify(first.headers).length < 2_500, "all headers together are bounded");
    assert.equal(first.shortened, true);
    const { call: second } = step(process, "by_bearer");
    assert.equal(second.url.length, 1_001, "an address is bounded");
    assert.deepEqual([second.attempts.length, second.attempts[0].status], [1, 503]);
    assert.equal(step(process, "by_none").call, undefined, "nothing was sent");
    assert.ok(!JSON.stringify([first, second]).includes("s3cret"));
  },
);

inTeam("step records: an attempt without an answer says why", async ({ api, run }) => {
  const path = `/slow_${crypto.randomUUID()}`;
  const late = Promise.withResolvers<Response>();
  api.answers.set(path, (call) => call > 1 ? Response.json(1) : late.promise);
  const { process } = await run([{
    type: "connector",
    id: "slow",
    connector_code: "api",
    method: "get",
    params: { path: path.slice(1) },
    timeout: 1,
    retry: { attempts: 2, delay: 0, on: ["timeout"] },
  }]);
  late.resolve(Response.json(0));
  const [first, second] = step(process, "slow").call.attempts;
  assert.deepEqual([first.status, second.status, second.error], [null, 200, null]);
  assert.match(first.error, /within 1 s|longer than 1 s/);
  assert.ok(first.ms >= 900, "the time of the attempt");
});

inTeam(
  "step records: the program of a run is readable after a change and after the deletion of its flow",
  async (team) => {
    const { ask, addFlow, server } = team;
    const flow = await addFlow([{ type: "return", data: 1 }]);
    const run = async () =>
      (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body.flow_process_id;
    const program = (id: string) => ask("GET", `/connect/flow_processes/${id}/program.json`);
    const versions = async () =>
      (await server.sql`select version from flow_versions where flow_id = ${flow.id} order by version`)
        .map(({ version }) => version);
    const first = await run();
    await ask("PATCH", `/connect/flows/${flow.id}.json`, {
      json: { flow: { fields: { program: [{ type: "return", data: 2 }] } } },
    });
    const second = await run();
    assert.equal((await ask("DELETE", `/connect/flows/${flow.id}.json`)).status, 204);
    const age = async (hours: number) =>
      await server.sql`
      update flow_versions
      set dropped_at = now() - make_interval(hours => ${hours})
      where flow_id = ${flow.id}
    `;
    await server.sweep();
    for (const [id, version] of [[first, 1], [second, 2]] as const) {
      const { status, body } = await program(id);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.version, body.runs_as, body.program], [version, "author", [{
        type: "return",
        data: version,
      }]]);
      assert.equal(body.author_id, (await ask("GET", "/account/me.json")).body.user.id);
    }
    const stranger = await ask("GET", `/connect/flow_processes/${crypto.randomUUID()}/program.json`);
    assert.deepEqual([stranger.status, stranger.body.error], [404, "Flow process not found"]);
    // The runs are kept for 14 days. A run may start a moment after the change.
    await age(14 * 24);
    await server.sweep();
    assert.deepEqual(await versions(), [1, 2]);
    await age(16 * 24);
    await server.sweep();
    assert.deepEqual(await versions(), []);
  },
);
