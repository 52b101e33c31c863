/** Checks, dry runs and tests of one step. */
import assert from "node:assert/strict";
import { addDb } from "../stage/db.ts";
import { addPerson, made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const call = (id: string, more = {}) => ({
  type: "connector",
  id,
  connector_code: "api",
  method: "get",
  params: { path: id },
  ...more,
});
type Rendered = { path: string; place: string | null; value: unknown; error: string | null };
const byPath = (rendered: Rendered[]) => Object.fromEntries(rendered.map(({ path, value }) => [path, value]));

inTeam("check: templates are filled with the values of the last run, and nothing is called", async (team) => {
  const { ask, addFlow, api } = team;
  api.answers.set("/rates", () => Response.json({ mid: 4.5, list: [1, 2] }));
  const program = [
    { type: "mutation", set: { base: "EUR", text: "{base}!" } },
    call("rates", { params: { path: "rates", note: "{text}" } }),
    { type: "for_each", items: "{json_object.list}", steps: [{ type: "mutation", id: "each", set: { n: "{item}" } }] },
    {
      type: "if",
      condition: "{json_object.mid} > 5",
      then: [{ type: "return", data: "{steps.rates.status}" }],
    },
    {
      type: "return",
      data: { mid: "{json_object.mid}", base: "{base}", none: "{input.none}", sum: "{= $sum(json_object.list) }" },
    },
  ];
  const { id } = await addFlow(program);
  const check = async (json = {}) => (await ask("POST", `/connect/flows/${id}/check.json`, { json })).body;
  const before = await check();
  assert.equal(before.run_id, null, "without a run the names are still looked for");
  assert.equal(byPath(before.rendered)["fields.program.4.data.base"], "EUR");
  const run = (await ask("POST", `/connect/flows/${id}/run.json`, { json: { input: { base: "USD" } } })).body;
  const calls = api.calls.length;

  const { run_id, errors, warnings, rendered, scope } = await check();
  assert.deepEqual(scope, []);
  const begun = await check({ program: [program[0], { type: "return", id: "end", data: "{ba" }], step: "end" });
  assert.deepEqual(Object.keys(begun.errors), ["fields.program.1.data"]);
  assert.ok(
    begun.scope.some(({ path, value }: { path: string; value: unknown }) => path === "base" && value === "USD"),
  );
  const seen = await check({ step: "each" });
  const values = Object.fromEntries(
    seen.scope.map(({ path, value }: { path: string; value: unknown }) => [path, value]),
  );
  assert.deepEqual([values.item, values.index, values["steps.rates.body.mid"], values["input.base"]], [
    2,
    1,
    4.5,
    "USD",
  ]);
  const unused = { "fields.program.1.params": ["has note, which the method get does not use"] };
  assert.deepEqual([run_id, errors, warnings], [run.flow_process_id, {}, unused]);
  assert.deepEqual(byPath(rendered), {
    "fields.program.0.set.text": "USD!",
    "fields.program.1.params.note": "USD!",
    "fields.program.2.items": [1, 2],
    "fields.program.2.steps.0.set.n": 2,
    ...Object.fromEntries(
      rendered.filter(({ path }: Rendered) => path.startsWith("fields.program.3.condition"))
        .map(({ path, value }: Rendered) => [path, value]),
    ),
    "fields.program.3.then.0.data": 200,
    "fields.program.4.data.mid": 4.5,
    "fields.program.4.data.base": "USD",
    "fields.program.4.data.none": null,
    "fields.program.4.data.sum": 3,
  });
  const at = (path: string) => rendered.find((one: Rendered) => one.path === path);
  assert.equal(at("fields.program.2.steps.0.set.n").place, `${at("fields.program.2.items").place}.1.each`);
  assert.equal(at("fields.program.3.then.0.data").place, null, "a branch that was not taken");
  assert.match(at("fields.program.4.data.none").warnings[0], /input\.none/);

  const proposed = await check({
    program: [call("rates"), call("other"), { type: "return", data: "{nobody} {json_object}" }],
  });
  assert.deepEqual(proposed.errors, {});
  assert.deepEqual(Object.keys(proposed.warnings), ["fields.program.2.data"]);
  const faulty = await check({ program: [{ type: "if", condition: "true", then: [{ type: "connector", metod: 1 }] }] });
  assert.ok(faulty.errors["fields.program.0.then.0.metod"], JSON.stringify(faulty));
  assert.deepEqual(faulty.rendered, []);
  const broken = await check({ program: [{ type: "code", source: "export default (" }] });
  assert.match(broken.errors["fields.program.0.source"][0], /^1:/, "as a save compiles it");
  const long = await check({ program: [{ type: "mutation", set: { a: "x".repeat(3_000), b: "{a}" } }] });
  assert.deepEqual([long.rendered[0].value.length, long.rendered[0].shortened], [2_001, true]);
  assert.equal(api.calls.length, calls, "nothing was called");
  const user = await addPerson(ask, "user");
  assert.equal((await ask("POST", `/connect/flows/${id}/check.json`, { token: user.token, json: {} })).status, 403);
  const other = await addFlow([]);
  const strange = await ask("POST", `/connect/flows/${other.id}/check.json`, { json: { run_id } });
  assert.equal(strange.status, 404, "a run of another flow");
});

inTeam("check: the secret of a connector appears nowhere", async ({ ask, addFlow, api }) => {
  const secret = "sk-very-secret-0815";
  const connector = {
    code: "shop",
    name: "Shop",
    url: api.origin,
    secret_token: secret,
    fields: { auth: { type: "bearer" }, methods: { get: { method: "GET", path: "/echo" } } },
  };
  made(await ask("POST", "/connect/connectors.json", { json: { connector } }));
  api.answers.set("/echo", () => Response.json({ echo: api.calls.at(-1)?.headers.get("authorization") }));
  const { id } = await addFlow([
    { type: "connector", id: "shop", connector_code: "shop", method: "get" },
    { type: "return", data: "{steps.shop.body.echo}" },
  ]);
  await ask("POST", `/connect/flows/${id}/run.json`, { json: {} });
  assert.match(api.calls.at(-1)?.headers.get("authorization") ?? "", new RegExp(secret));
  for (
    const [path, json] of [
      ["check", {}],
      ["run", { dry_run: true }],
      ["test_step", { step: "shop" }],
    ] as const
  ) {
    const { status, body } = await ask("POST", `/connect/flows/${id}/${path}.json`, { json });
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(!JSON.stringify(body).includes(secret), path);
  }
});

inTeam("dry run: calls are answered with what is given or recorded, records do not change", async (team) => {
  const { ask, addFlow, api } = team;
  const { code: db } = await addDb(ask, { fields: { n: "integer" } });
  api.answers.set("/rates", () => Response.json({ n: 1 }));
  const program = [
    call("rates"),
    { type: "record", id: "save", action: "create", db_code: db, data: { n: "{json_object.n}" } },
    { type: "record", id: "all", action: "list", db_code: db },
    { type: "wait", id: "rest", seconds: 86_400 },
    { type: "code", id: "twice", source: "export default ({ json_object }) => json_object.n * 2" },
    {
      type: "return",
      data: {
        twice: "{steps.twice.body}",
        saved: "{steps.save.body.n}",
        all: "{steps.all.body.length}",
        id: "{run.id}",
      },
    },
  ];
  const { id } = await addFlow(program);
  const dry = async (more = {}) =>
    (await ask("POST", `/connect/flows/${id}/run.json`, { json: { dry_run: true, ...more } })).body;
  const calls = api.calls.length;
  const unknown = await dry();
  assert.deepEqual([unknown.status, unknown.steps.length], ["error", 1]);
  assert.match(unknown.error, /^rates: has no answer/);
  const given = await dry({ answers: { rates: { body: { n: 7 } } } });
  assert.deepEqual([given.status, given.data], ["finished", {
    twice: 14,
    saved: 7,
    all: 0,
    id: given.flow_process_id,
  }]);
  assert.equal((await ask("GET", `/connect/flow_processes/${given.flow_process_id}.json`)).status, 404);
  const failing = await dry({ answers: { rates: { error: "503 Service Unavailable", status: 503 } } });
  assert.deepEqual([failing.status, failing.error], ["error", "rates: 503 Service Unavailable"]);
  assert.equal(failing.steps[0].http_status, 503);
  const refused = await dry({ answers: { rates: { body: { n: "no number" } } } });
  assert.match(refused.error, /^save: .*n/, "a record is checked as in a run");
  assert.equal(api.calls.length, calls);

  await ask("PATCH", `/connect/flows/${id}.json`, {
    json: { flow: { fields: { program: program.filter(({ type }) => type !== "wait") } } },
  });
  const real = (await ask("POST", `/connect/flows/${id}/run.json`, { json: {} })).body;
  assert.deepEqual([real.data.saved, real.data.all, real.steps], [1, 1, undefined]);
  api.answers.set("/rates", () => Response.json({ n: 2 }));
  await ask("POST", `/connect/flows/${id}/run.json`, { json: {} });
  assert.equal((await dry()).data.saved, 2, "the latest run's answer");
  const first = await dry({ run_id: real.flow_process_id });
  assert.deepEqual([first.data.saved, first.data.all], [1, 2], "that run's answer, and the records of now");
  assert.equal(api.calls.length, calls + 2);
  assert.equal((await ask("GET", `/platform/dbs/${db}/records.json`)).body.length, 2);
  const entries = await ask("GET", "/account/audit.json?object=record");
  assert.equal(entries.body.length, 2, "what is rolled back is not in the audit log");
});

inTeam("test_step: one step is executed as the viewer, with given values or those of a run", async (team) => {
  const { ask, addFlow, api } = team;
  const { code: db } = await addDb(ask, { fields: { n: "integer" } });
  api.answers.set("/rates", () => Response.json({ n: 1 }));
  const program = [
    { type: "mutation", id: "start", set: { base: "EUR" } },
    call("rates", { retry: { attempts: 3, delay: 100 }, params: { path: "{base}" } }),
    {
      type: "if",
      id: "high",
      condition: "{json_object.n} > 0",
      then: [{ type: "mutation", id: "in", set: { x: "{base}" } }],
    },
    { type: "record", id: "save", action: "create", db_code: db, data: { n: "{json_object.n}" } },
  ];
  const { id } = await addFlow(program);
  const test = async (json: Record<string, unknown>, token?: string) =>
    await ask("POST", `/connect/flows/${id}/test_step.json`, { json, ...token && { token } });
  assert.deepEqual((await test({ step: "start", values: { input: { base: "CHF" } } })).body.output, { base: "CHF" });
  api.answers.set("/USD", () => Response.json({ n: 3 }));
  const called = (await test({ step: "rates", values: { base: "USD" } })).body;
  assert.deepEqual([called.status, called.output, called.steps[0].http_status], ["finished", { n: 3 }, 200]);
  const missing = (await test({ step: "rates", values: { base: "NONE" } })).body;
  assert.deepEqual([missing.status, missing.steps[0].attempts], ["error", 1], "no second attempt");
  assert.match(missing.error, /404/);
  const branch = (await test({ step: "high", values: { json_object: { n: 1 }, base: "EUR" } })).body;
  assert.deepEqual(branch.steps.map(({ place }: { place: string }) => place), ["high", "in"]);
  const saved = (await test({ step: "save", values: { json_object: { n: 5 } } })).body;
  assert.equal(saved.output.n, 5);
  assert.equal((await ask("GET", `/platform/dbs/${db}/records.json`)).body.length, 1, "its change is made");

  api.answers.set("/EUR", () => Response.json({ n: 9 }));
  const run = (await ask("POST", `/connect/flows/${id}/run.json`, { json: {} })).body;
  const of_run = (await test({ step: "save", run_id: run.flow_process_id })).body;
  assert.equal(of_run.output.n, 9, "the values of the run");
  const proposed = (await test({ step: "now", program: [{ type: "return", id: "now", data: "{user.role}" }] })).body;
  assert.equal(proposed.output, "admin");

  const refusals = [
    [await test({ step: "nobody" }), "step"],
    [await test({ step: "w", program: [{ type: "wait", id: "w", seconds: 1 }] }), "step"],
    [await test({ step: "start", program: [{ type: "retrn" }] }), "fields.program.0.type"],
  ] as const;
  for (const [{ status, body }, field] of refusals) assert.deepEqual([status, Object.keys(body)], [422, [field]]);
  const user = await addPerson(ask, "user");
  assert.equal((await test({ step: "start" }, user.token)).status, 403);
  const entries = (await ask("GET", "/account/audit.json?object=flow&action=test_step")).body;
  assert.deepEqual(
    entries.map(({ object_id, after }: { object_id: string; after: unknown }) => [object_id, after]),
    ["save", "save", "rates", "rates"].map((step) => [
      `${id}`,
      { step, type: step === "save" ? "record" : "connector" },
    ]),
    "steps with effects only, newest first",
  );
});

inTeam("test_step, dry run: the viewer's reach holds, not that of the author alone", async ({ ask, addFlow }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const db = { name: "Notes", code: "notes", schema: { fields: { n: "integer" } }, department_id: d2 };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const { id } = await addFlow([{ type: "record", id: "all", action: "list", db_code: "notes" }], {
    department_id: d1,
  });
  const manager = await addPerson(ask, "manager", { department_ids: [d1], without_department: false });
  for (const [path, json] of [["test_step", { step: "all" }], ["run", { dry_run: true }]] as const) {
    const test = async (token?: string) =>
      (await ask("POST", `/connect/flows/${id}/${path}.json`, { json, ...token && { token } })).body;
    assert.equal((await test()).status, "finished", path);
    assert.match((await test(manager.token)).error, /Database notes not found/, path);
  }
});

inTeam("dry run: sub-flows and people are not asked; recorded answers stand in for them", async ({ ask, addFlow }) => {
  const called = await addFlow([{ type: "return", data: { n: "{input.n|plus:1}" } }]);
  const { id } = await addFlow([
    { type: "flow", id: "sub", flow_code: called.code, input: { n: "{input.n}" } },
    { type: "approval", id: "boss", question: "Go on with {steps.sub.body.n}?", roles: ["admin"] },
    { type: "return", data: ["{steps.sub.body.n}", "{steps.boss.body.choice}"] },
  ]);
  const dry = async (answers: Record<string, unknown>) =>
    (await ask("POST", `/connect/flows/${id}/run.json`, { json: { input: { n: 1 }, dry_run: true, answers } })).body;
  assert.match((await dry({})).error, /^sub: has no answer/);
  const half = await dry({ sub: { body: { n: 2 } } });
  assert.match(half.error, /^boss: has no answer/);
  assert.equal(half.steps[1].input.question, "Go on with 2?");
  const whole = await dry({ sub: { body: { n: 2 } }, boss: { body: { choice: "approve" } } });
  assert.deepEqual(whole.data, [2, "approve"]);
  assert.deepEqual((await ask("GET", "/connect/flow_processes.json")).body, [], "no run was started");
  assert.deepEqual((await ask("GET", "/connect/approvals.json")).body, [], "nobody was asked");
});

inTeam("check: templates are filled with the values of a run that waits", async ({ ask, addFlow, inspect }) => {
  const { id } = await addFlow([
    { type: "mutation", set: { price: 0, bike: "" } },
    { type: "approval", question: "Quote {price} for {bike}?", roles: ["admin"] },
  ]);
  const input = { price: 150, bike: "Bike 7" };
  const run_id = (await ask("POST", `/connect/flows/${id}/run.json`, { json: { input } })).body.flow_process_id;
  await until(async () => (await inspect(run_id)).status === "waiting", "the run waits");
  const { body } = await ask("POST", `/connect/flows/${id}/check.json`, { json: { run_id } });
  assert.equal(body.run_id, run_id);
  assert.equal(byPath(body.rendered)["fields.program.1.question"], "Quote 150 for Bike 7?");
  const other = await addFlow([]);
  assert.equal((await ask("POST", `/connect/flows/${other.id}/check.json`, { json: { run_id } })).status, 404);
});

inTeam("dry run: answers are for steps of the program, and for dry runs only", async ({ ask, addFlow, api }) => {
  const calls = api.calls.length;
  const { id } = await addFlow([{ type: "for_each", id: "each", items: [1], steps: [call("rates")] }]);
  const refused = async (path: string, json: unknown) => {
    const { status, body } = await ask("POST", `/connect/flows/${id}/${path}.json`, { json });
    assert.equal(status, 422, JSON.stringify(body));
    return Object.keys(body);
  };
  const run = async (json: Record<string, unknown>) => await refused("run", json);
  assert.deepEqual(await run({ answers: { rates: { body: 1 } } }), ["answers"]);
  assert.deepEqual(await run({ dry_run: true, answers: { rates: { boddy: 1 } } }), ["answers.rates.boddy"]);
  assert.deepEqual(await run({ dry_run: true, answers: { "each.0.none": {} } }), ["answers.each.0.none"]);
  assert.deepEqual(await refused("check", { step: "none" }), ["step"]);
  const answers = { "each.0.rates": { body: 1 } };
  assert.equal((await ask("POST", `/connect/flows/${id}/run.json`, { json: { dry_run: true, answers } })).status, 200);
  assert.equal(api.calls.length, calls);
});

inTeam("dry run: the data of a fail step is answered as by a run", async ({ ask, addFlow }) => {
  const { id } = await addFlow([{ type: "fail", message: "{input.why}", data: { code: 7 } }]);
  for (const dry_run of [false, true]) {
    const of = async (input: Record<string, unknown>) => {
      const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input, dry_run } });
      return [body.status, body.error, body.data];
    };
    assert.deepEqual(await of({ why: "It rains" }), ["error", "It rains", { code: 7 }]);
    assert.deepEqual(await of({}), ["error", "The flow failed", { code: 7 }], "null is no message");
  }
});

inTeam("check: conditions of loops and parts of a transform see the names inside of them", async ({ ask, addFlow }) => {
  const { id } = await addFlow([
    {
      type: "repeat",
      id: "rounds",
      while: "{left} > 1",
      collect: "{left|upper}",
      steps: [{ type: "mutation", set: { left: "{= 3 - index }" } }],
    },
    { type: "transform", from: ["a", "b"], where: "{item} exists", map: "{index}:{item}" },
  ]);
  const { rendered } = (await ask("POST", `/connect/flows/${id}/check.json`, { json: {} })).body;
  const values = rendered.filter(({ path }: Rendered) => !path.includes("steps")).map((
    { path, value, warnings }: Rendered & { warnings: string[] },
  ) => [path.replace("fields.program.", ""), value, warnings]);
  assert.deepEqual(values, [
    ["0.while.left", 1, []],
    ["0.collect", "1", []],
    ["1.where.left", "b", []],
    ["1.map", "1:b", []],
  ]);
});
