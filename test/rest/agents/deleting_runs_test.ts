/** Runs that delete records wait for a person, however an agent would begin them. */
import assert from "node:assert/strict";
import { answer, connectAgent } from "../../stage/agents/agent.ts";
import { addPerson, addToken, made, restrictTo } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const onServer = onSharedServer();

const DELETES = { type: "record", id: "gone", action: "delete", db_code: "orders", match: { title: "{input.title}" } };

onServer("agents: a run that deletes records is planned with counts and confirmed once", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token);
  const { call, refused } = agent;
  const schema = { fields: { title: "string" }, indexes: { idx_str_1: "title" } };
  await call("create", { kind: "db", value: { name: "Orders", schema } });
  const titles = ["A", "B", "C"].map((title) => ({ title }));
  await call("create", { kind: "record", db_code: "orders", records: titles });
  const count = async () => (await call("search", { kind: "record", db_code: "orders" })).total;
  const flow = (code: string, program: unknown[], more = {}) =>
    call("create", { kind: "flow", value: { name: code, code, fields: { program }, ...more } });
  const inner = await flow("inner", [{ type: "if", condition: "{input.title} != 0", then: [DELETES] }]);
  const outer = await flow("outer", [{
    type: "flow",
    id: "call",
    flow_code: "inner",
    input: { title: "{input.title}" },
  }]);
  await flow("failing", [{ type: "fail", message: "x" }], { on_failure: "inner" });
  const harmless = await flow("harmless", [{ type: "record", id: "all", action: "list", db_code: "orders" }]);
  assert.notEqual((await call("run", { what: "flow", id: harmless.id })).status, "needs_confirmation");

  const run = { what: "flow", id: outer.id, input: { title: "A" } };
  const asked = await call("run", run);
  assert.equal(asked.status, "needs_confirmation");
  assert.deepEqual(asked.plan, {
    title: "Run the flow outer, which deletes records",
    effects: ["It deletes records of the database orders, which has 3 records"],
  });
  assert.equal((await call("run", { ...run, confirmation: asked.confirmation })).status, "waiting");
  assert.equal(await count(), 3);
  const rehearsed = await call("run", { ...run, id: inner.id, dry_run: true });
  assert.notEqual(rehearsed.status, "needs_confirmation", JSON.stringify(rehearsed));
  assert.ok(rehearsed.steps, JSON.stringify(rehearsed));
  assert.equal(await count(), 3);
  await answer(server, admin.id, asked.confirmation, true);
  const other = { ...run, input: { title: "B" }, confirmation: asked.confirmation };
  assert.equal((await refused("run", other)).status, 404, "another input");
  assert.equal((await refused("run", { ...run, confirmation: "guessed" })).status, 404);
  const confirmed = { ...run, confirmation: asked.confirmation };
  const both = await Promise.all([agent.outcome("run", confirmed), agent.outcome("run", confirmed)]);
  assert.deepEqual(both.map(({ failed }) => failed).sort(), [false, true], "it is used once");
  // On a busy machine the answer may come before the run's end.
  await until(async () => await count() === 2, "the run has deleted its record");
  // Until then, a change of its flows would be asked about.
  const pending = async () => (await ask("GET", "/connect/flow_processes.json?status=pending")).body;
  await until(async () => (await pending()).length === 0, "the run has ended");
  assert.equal((await refused("run", confirmed)).status, 409);

  // Another program than the one of the plan.
  const again = await call("run", run);
  await answer(server, admin.id, again.confirmation, true);
  await call("patch", { kind: "flow", id: inner.id, changes: { fields: { program: [DELETES] } } });
  assert.equal((await refused("run", { ...run, confirmation: again.confirmation })).status, 409);

  const actions = [{ action: "clean", flow_code: "outer" }];
  const value = { name: "Cleaner", app_engine: "html", source_code: "<p>", actions };
  const app = await call("create", { kind: "app", value });
  const action = { what: "action", id: app.id, action: "clean", input: { title: "B" } };
  assert.equal((await call("run", action)).status, "needs_confirmation");
  const schedule = "0 3 * * *";
  const trigger = { kind: "trigger", value: { target_code: "failing", schedule } };
  assert.match((await call("create", trigger)).plan.title, /^Start by a trigger the flow failing/);
  const off = await call("create", { kind: "trigger", value: { target_code: "harmless", schedule } });
  const other_target = { kind: "trigger", id: off.id, changes: { target_code: "outer" } };
  const planned = await call("patch", other_target);
  assert.equal(planned.status, "needs_confirmation");
  await answer(server, admin.id, planned.confirmation, true);
  await ask("PATCH", `/account/crons/${off.id}.json`, { json: { cron: { schedule: "0 4 * * *" } } });
  const late = await refused("patch", { ...other_target, confirmation: planned.confirmation });
  assert.equal(late.status, 409, "the trigger has changed since");
  assert.equal((await call("patch", { kind: "trigger", id: off.id, changes: { name: "Nightly" } })).patched, off.id);
  const found = await call("search", { kind: "trigger", q: "night" });
  assert.deepEqual(found.rows.map(({ id }: { id: number }) => id), [off.id]);
  const sleeping = { kind: "trigger", value: { target_code: "failing", schedule, active: false } };
  assert.equal((await call("create", sleeping)).created, "trigger", "one that is off starts nothing");
  const more = { kind: "flow", id: harmless.id, changes: { fields: { program: [DELETES] } } };
  const change = await call("patch", more);
  assert.deepEqual(change.plan, {
    title: "Let the flow harmless delete records, which triggers start",
    effects: ["It deletes records of the database orders, which has 2 records"],
  });
  await answer(server, admin.id, change.confirmation, true);
  assert.equal((await call("patch", { ...more, confirmation: change.confirmation })).status, "done");
  assert.equal(await count(), 2);
  const fired = await call("run", { what: "trigger", id: off.id, input: { title: "B" } });
  assert.equal(fired.status, "needs_confirmation");
  await answer(server, admin.id, fired.confirmation, false);
  const declined = { what: "trigger", id: off.id, input: { title: "B" }, confirmation: fired.confirmation };
  assert.equal((await refused("run", declined)).status, 403);

  // A token that may not see the database gets no count.
  const token = await addToken(ask, { scopes: ["flows:read", "flows:write"] });
  const narrow = await connectAgent(server, token);
  const unseen = await narrow.call("run", run);
  assert.deepEqual(unseen.plan.effects, ["It deletes records of the database orders"]);
  await Promise.all([agent.close(), narrow.close()]);
});

onServer("agents: another spelling of an id starts nothing, and a plan tells nothing that is hidden", async (stage) => {
  const { server, ask, admin } = stage;
  const [red = 0, blue = 0] = await restrictTo(ask, "Red", "Blue");
  const agent = await connectAgent(server, admin.token);
  const db = { name: "Pay", code: "orders", department_id: red, schema: { fields: { title: "string" } } };
  await agent.call("create", { kind: "db", value: db });
  const program = { fields: { program: [DELETES] }, department_id: red };
  const flow = await agent.call("create", { kind: "flow", value: { name: "Payroll", code: "payroll", ...program } });
  const value = {
    name: "Open",
    app_engine: "html",
    source_code: "<p>",
    public: true,
    department_id: red,
    actions: [{ action: "clean", flow_code: "payroll", public: true }, { action: "tidy", flow_code: "payroll" }],
  };
  const opened = await agent.call("create", { kind: "app", value });
  assert.equal(opened.plan.title, "Let everyone start the flow payroll by an action, which deletes records");
  const app = made(await ask("POST", "/platform/apps.json", { json: { app: value } }));
  const sleeping = { target_code: "payroll", schedule: "0 3 * * *", active: false, department_id: red };
  const trigger = await agent.call("create", { kind: "trigger", value: sleeping });
  for (const id of [`0${flow.id}`, `0000000000${flow.id}`, `${flow.id}.0`, ` ${flow.id}`, `+${flow.id}`]) {
    assert.ok(
      [404, 422].includes((await agent.refused("run", { what: "flow", id, input: { title: "A" } })).status),
      id,
    );
  }
  for (const id of [`0${trigger.id}`, `0000000000${trigger.id}`]) {
    assert.ok([404, 422].includes((await agent.refused("run", { what: "trigger", id })).status), id);
  }
  assert.equal((await agent.refused("run", { what: "action", id: app.id, action: "CLEAN" })).status, 404);
  const upper = await agent.call("run", { what: "action", id: String(app.id).toUpperCase(), action: "clean" });
  assert.equal(upper.status, "needs_confirmation");

  const only_blue = { department_ids: [blue], without_department: false };
  for (const role of ["manager", "guest"] as const) {
    const other = await connectAgent(server, (await addPerson(ask, role, only_blue)).token);
    const refusals = [
      await other.refused("run", { what: "flow", id: flow.id }),
      await other.refused("run", { what: "trigger", id: trigger.id }),
      await other.refused("run", { what: "action", id: app.id, action: "tidy" }),
    ];
    for (const { status } of refusals) assert.ok(status === 404 || role === "guest" && status === 403, `${status}`);
    assert.ok(!JSON.stringify(refusals).includes("payroll"));
    // A public action may be called by everyone: that it deletes is said, and nothing of the flow.
    const { status, plan } = await other.call("run", { what: "action", id: app.id, action: "clean" });
    assert.deepEqual([status, plan], ["needs_confirmation", {
      title: "Run the action clean, which deletes records",
      effects: ["It deletes records of a database that the caller does not see"],
    }]);
    await other.close();
  }
  const narrow = await connectAgent(server, await addToken(ask, { scopes: ["apps:read"] }));
  assert.equal((await narrow.refused("run", { what: "flow", id: flow.id })).status, 403);
  await Promise.all([agent.close(), narrow.close()]);
});

onServer(
  "agents: no change of a flow lets a trigger delete records without a person",
  async ({ server, ask, admin }) => {
    const agent = await connectAgent(server, admin.token);
    const { call } = agent;
    await call("create", { kind: "db", value: { name: "Orders", schema: { fields: { title: "string" } } } });
    const flow = async (code: string, program: unknown[], more = {}) =>
      await call("create", { kind: "flow", value: { name: code, code, fields: { program }, ...more } });
    const patch = (id: number, changes: unknown) => call("patch", { kind: "flow", id, changes });
    const calls = (flow_code: string) => ({ type: "flow", id: "call", flow_code });
    const asks = async (answer: Promise<{ status?: string; plan?: { title: string } }>, code: string) => {
      const { status, plan } = await answer;
      assert.deepEqual([status, plan?.title], [
        "needs_confirmation",
        `Let the flow ${code} delete records, which triggers start`,
      ]);
    };
    const harmless = [{ type: "return", data: 1 }];
    const [leaf, backup] = [await flow("leaf", harmless), await flow("backup", harmless)];
    await flow("middle", [calls("leaf")], { on_failure: "backup" });
    const top = await flow("top", [calls("middle")]);
    const deleting = await flow("deleting", [DELETES]);
    assert.equal(deleting.created, "flow", "no trigger starts it");
    const { id } = await call("create", { kind: "trigger", value: { target_code: "top", schedule: "0 3 * * *" } });

    const program = { fields: { program: [DELETES] } };
    await asks(patch(leaf.id, program), "leaf");
    await asks(patch(backup.id, program), "backup");
    await asks(patch(top.id, { fields: { program: [calls("deleting")] } }), "top");
    await asks(patch(top.id, { on_failure: "deleting" }), "top");
    // A flow takes another one's code.
    assert.equal((await patch(leaf.id, { code: "leaf_before" })).patched, leaf.id);
    await asks(flow("leaf", [DELETES]), "leaf");
    await asks(call("create", { kind: "flow", value: { name: "Leaf", fields: { program: [DELETES] } } }), "leaf");
    await asks(patch(deleting.id, { code: "leaf" }), "leaf");
    assert.equal((await patch(leaf.id, { code: "leaf" })).patched, leaf.id);
    // What a person has allowed may be changed elsewhere, but not the deletion itself.
    const allowed = await patch(leaf.id, program);
    await answer(server, admin.id, allowed.confirmation, true);
    const confirmed = { kind: "flow", id: leaf.id, changes: program, confirmation: allowed.confirmation };
    assert.equal((await call("patch", confirmed)).status, "done");
    assert.equal((await patch(leaf.id, { fields: { program: [DELETES, ...harmless] } })).patched, leaf.id);
    await asks(patch(leaf.id, { fields: { program: [{ ...DELETES, match: { title: "A" } }] } }), "leaf");
    const branch = [{ type: "if", condition: { left: "{input.title}", operator: "exists" }, then: [DELETES] }];
    await asks(patch(leaf.id, { fields: { program: branch } }), "leaf");
    await asks(patch(leaf.id, { fields: { program: [...harmless, DELETES] } }), "leaf");
    await asks(patch(leaf.id, { runs_as: "caller" }), "leaf");
    assert.equal((await patch(leaf.id, { name: "Leaves" })).patched, leaf.id);
    // A trigger that is on is changed: when it starts, and with which input.
    const start = (changes: unknown) => call("patch", { kind: "trigger", id, changes });
    for (const changes of [{ schedule: "* * * * *" }, { input: { title: "A" } }, { timezone: "UTC" }]) {
      assert.equal((await start(changes)).status, "needs_confirmation", JSON.stringify(changes));
    }
    assert.equal((await start({ name: "Nightly" })).patched, id);
    // What a flow gives may decide what its callers delete.
    const clean = [{ type: "flow", id: "which", flow_code: "helper" }, DELETES];
    const helper = await flow("helper", harmless);
    made(await ask("POST", "/connect/flows.json", { json: { flow: { name: "Clean", fields: { program: clean } } } }));
    const cron = { target_code: "clean", schedule: "0 3 * * *" };
    const { id: second } = made(await ask("POST", "/account/crons.json", { json: { cron } }));
    await asks(patch(helper.id, { fields: { program: [{ type: "return", data: "A" }] } }), "helper");
    assert.equal((await patch(helper.id, { name: "Help" })).patched, helper.id);
    await asks(patch(leaf.id, { input: { type: "object", properties: { title: { default: "A" } } } }), "leaf");
    await ask("DELETE", `/account/crons/${second}.json`);
    // Neither do public actions and runs that wait need an agent.
    const late = await flow("late", harmless);
    const waits = await flow("waits", [{ type: "wait", seconds: 3_600 }, calls("late")]);
    const waiting = await call("run", { what: "flow", id: waits.id });
    await asks(patch(late.id, program), "late");
    await call("run", { what: "cancel", id: waiting.flow_process_id });
    const open = await flow("open", harmless);
    const actions = [{ action: "go", flow_code: "open", public: true }];
    const app = { name: "Open", app_engine: "html", source_code: "<p>", public: true, actions };
    made(await ask("POST", "/platform/apps.json", { json: { app } }));
    await asks(patch(open.id, program), "open");
    await call("patch", { kind: "trigger", id, changes: { active: false } });
    assert.equal((await patch(backup.id, program)).patched, backup.id, "no trigger is on");
    await agent.close();
  },
);

onServer("agents: a token has 20 open questions at most, in all of its sessions", async ({ server, ask, admin }) => {
  const token = await addToken(ask, {});
  const [first, second] = [await connectAgent(server, token), await connectAgent(server, token)];
  await first.call("create", { kind: "db", value: { name: "Many", schema: { fields: { a: "string" } } } });
  const records = Array.from({ length: 21 }, (_, n) => ({ a: `${n}` }));
  const { ids } = await first.call("create", { kind: "record", db_code: "many", records });
  const questions: string[] = [];
  for (const [n, id] of ids.slice(0, 20).entries()) {
    const { confirmation } = await (n % 2 ? first : second).call("delete", { kind: "record", db_code: "many", id });
    questions.push(confirmation);
  }
  const last = { kind: "record", db_code: "many", id: ids[20] };
  const third = await connectAgent(server, token);
  assert.equal((await third.refused("delete", last)).status, 409);
  const again = await third.call("delete", { kind: "record", db_code: "many", id: ids[0] });
  assert.equal(again.confirmation, questions[0], "the same question, in another session");
  await answer(server, admin.id, questions[0] ?? "", false);
  assert.equal((await third.call("delete", last)).status, "needs_confirmation");
  await Promise.all([first.close(), second.close(), third.close()]);
});
