/** Runs that wait for a person's answer. */
import assert from "node:assert/strict";
import { addPerson, made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "0" });
const LIST = "/connect/approvals.json";

const approval = (more: Record<string, unknown>) => ({
  type: "approval",
  id: "ok",
  question: "Pay {input.sum} EUR?",
  ...more,
});

async function start({ ask, addFlow }: Team, program: unknown, more: Record<string, unknown> = {}) {
  const { id } = await addFlow(program, more);
  const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input: { sum: 4000 } } });
  return body.flow_process_id as string;
}

const reaches = ({ inspect }: Team, id: string, status: string) =>
  until(async () => (await inspect(id)).status === status, `the run is ${status}`);

inTeam("approvals: those whom the step names see the question; the first answer counts", async (team) => {
  const { ask, inspect, server } = team;
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Pay" } } }));
  const [named, member, manager, other] = await Promise.all([
    addPerson(ask, "user"),
    addPerson(ask, "user", { department_ids: [department.id] }),
    addPerson(ask, "manager"),
    addPerson(ask, "user"),
  ]);
  const form = { note: { required: true }, days: { type: "number" }, urgent: { type: "boolean" } };
  const who = { users: [named.id], departments: [department.id], roles: ["manager"] };
  const id = await start(team, [approval({ ...who, form, choices: ["yes", "no"] }), {
    type: "return",
    data: "{steps.ok.body}",
  }]);
  await reaches(team, id, "waiting");
  const list = async (token: string) => (await ask("GET", LIST, { token })).body;
  for (const { token } of [named, member, manager]) assert.equal((await list(token)).length, 1);
  assert.deepEqual(await list(other.token), []);
  const [waiting] = await list(named.token);
  assert.deepEqual([waiting.question, waiting.choices, waiting.flow_process_id], ["Pay 4000 EUR?", ["yes", "no"], id]);
  assert.equal((await inspect(id)).steps[0].begun.awaits, waiting.id);
  const path = `/connect/approvals/${waiting.id}.json`;
  const answer = (token: string, json: unknown) => ask("POST", path, { token, json });
  assert.equal((await answer(other.token, { choice: "yes" })).status, 404);
  const refused = await answer(named.token, { choice: "maybe", values: { days: "3", more: 1 } });
  assert.deepEqual([refused.status, refused.body], [422, {
    choice: ["must be one of yes, no"],
    "values.days": ["must be a number"],
    "values.more": ["is not a known field"],
    "values.note": ["can't be blank"],
  }]);
  for (const note of ["half \ud800", "nul \0"]) {
    const { status, body } = await answer(named.token, { choice: "yes", values: { note } });
    assert.deepEqual([status, Object.keys(body)], [422, ["values.note"]]);
  }
  const values = { note: "Fine", days: 3, urgent: true };
  const [first, second] = await Promise.all([
    answer(named.token, { choice: "yes", values }),
    answer(member.token, { choice: "yes", values }),
  ]);
  assert.deepEqual([first.status, second.status].toSorted(), [200, 409]);
  await reaches(team, id, "finished");
  const by = first.status === 200 ? named.id : member.id;
  const { data, steps } = await inspect(id);
  assert.deepEqual([data.choice, data.values, data.answered_by.id, data.timed_out], ["yes", values, by, false]);
  assert.equal(steps[0].output.choice, "yes", "the journal has it");
  assert.deepEqual(await list(named.token), []);
  const entries = await server.sql`
    select user_id, after from audit_entries where object = 'approval' and object_id = ${waiting.id}
  `;
  assert.deepEqual([entries.length, entries[0]?.user_id, entries[0]?.after.choice], [1, by, "yes"]);
});

inTeam("approvals: a question is closed when its run goes on without an answer", async (team) => {
  const { ask, inspect } = team;
  const asks = approval({ roles: ["admin"] });
  const id = await start(team, [
    {
      type: "for_each",
      id: "items",
      items: ["fails", "asks"],
      at_once: 2,
      on_error: "continue",
      steps: [{
        type: "if",
        condition: "{item} == 'fails'",
        then: [{ type: "wait", seconds: 1 }, { type: "fail", message: "No" }],
        else: [asks],
      }],
    },
    { ...asks, id: "told", on_error: "continue", ask: [{ type: "fail", message: "Nobody can be told" }] },
    { type: "wait", id: "later", seconds: 3600 },
  ]);
  const isLater = ({ place, status }: { place: string; status: string }) => place === "later" && status === "waiting";
  const questions = new Set<string>();
  await until(async () => {
    for (const { id } of (await ask("GET", LIST)).body) questions.add(id);
    return (await inspect(id)).steps.some(isLater);
  }, "the run waits at its last step");
  assert.deepEqual((await ask("GET", LIST)).body, []);
  for (const question of questions) {
    assert.equal(
      (await ask("POST", `/connect/approvals/${question}.json`, { json: { choice: "approve" } })).status,
      409,
    );
  }
  assert.ok(questions.size >= 1);
});

inTeam("approvals: everyone with the signed link, on a page without a login", async (team) => {
  const { api, ask, addFlow, inspect, server } = team;
  api.answers.set("/tell", () => Response.json("told"));
  const tell = {
    type: "connector",
    connector_code: "api",
    method: "post",
    params: { path: "tell", body: "{approval.url}" },
  };
  const { code: flow_code } = await addFlow([
    { ...tell, params: { path: "tell", body: "{input.url}" } },
    { type: "return", data: "{input}" },
  ]);
  const kept = [
    { type: "mutation", set: { kept: "{approval.url}" } },
    { type: "flow", flow_code, input: { url: "{approval.url}" } },
  ];
  const id = await start(team, [
    approval({ link: true, ask: [tell, ...kept], form: { note: { label: "A note" }, sure: { type: "boolean" } } }),
    tell,
    { type: "return", data: ["{steps.ok.body.choice}", "{steps.ok.body.values}", "{steps.ok.body.answered_by}"] },
  ]);
  const isTold = ({ type, status }: { type: string; status: string }) => type === "flow" && status === "finished";
  await until(async () => {
    const { status, steps } = await inspect(id);
    return status === "waiting" && steps.some(isTold);
  }, "the run waits for the answer");
  const [url, again] = api.calls.filter(({ path }) => path === "/tell").map(({ body }) => new URL(JSON.parse(body)));
  assert.ok(url);
  assert.equal(again?.href, url.href);
  const page = await server.request("GET", `${url.pathname}${url.search}`, { token: null });
  assert.equal(page.status, 200);
  assert.match(page.body, /Pay 4000 EUR\?[^]*name="value\.note"[^]*value="approve"[^]*value="reject"/);
  const token = url.searchParams.get("token") ?? "";
  const [, signature = ""] = token.split(".");
  const proveHidden = async () => {
    const runs = (await ask("GET", "/connect/flow_processes.json")).body;
    assert.equal(runs.length, 2);
    for (const run of runs) assert.ok(!JSON.stringify(await inspect(run.id)).includes(signature), run.flow_code);
  };
  await proveHidden();
  assert.match(JSON.stringify(await inspect(id)), /token=[0-9a-f-]+\.\[redacted\]/);
  const send = (fields: Record<string, string>) =>
    server.request("POST", "/approval", {
      token: null,
      raw: new URLSearchParams(fields),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const forged = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;
  assert.equal((await server.request("GET", `/approval?token=${forged}`, { token: null })).status, 404);
  assert.equal((await send({ token: forged, choice: "approve" })).status, 404);
  assert.equal((await send({ token, choice: "perhaps" })).status, 422);
  const long = await send({ token, choice: "approve", "value.note": "x".repeat(10_001) });
  assert.deepEqual([long.status, />A note is too long [^<]*10000/.test(long.body)], [422, true], long.body);
  const full = await send({ token, choice: "perhaps", "value.note": "я".repeat(10_000) });
  assert.deepEqual([full.status, full.body.includes("я".repeat(10_000))], [422, true], "a long text is kept");
  const huge = await send({ token, choice: "approve", "value.note": "x".repeat(3_000_000) });
  assert.deepEqual([huge.status, huge.headers.get("content-type")?.split(";")[0]], [413, "text/html"]);
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`field_${index}`, ""]));
  const crowded = await send({ token, choice: "approve", ...many });
  assert.deepEqual([crowded.status, /at most 2000 fields/.test(crowded.body)], [413, true]);
  const thanks = await send({ token, choice: "reject", "value.note": "<b>no</b>" });
  assert.deepEqual([thanks.status, /Thank you/.test(thanks.body)], [200, true]);
  assert.equal((await send({ token, choice: "approve" })).status, 404, "it is answered");
  await reaches(team, id, "finished");
  const { data } = await inspect(id);
  assert.deepEqual(data, ["reject", { note: "<b>no</b>", sure: false }, null]);
  assert.equal(api.count("/tell"), 3, "the question is told once by each step that tells it");
  await proveHidden();
});

inTeam(
  "approvals: without an answer in time, the branch is executed, or the step fails; an end closes it",
  async (team) => {
    const { ask, inspect, server } = team;
    const late = { type: "return", data: "late" };
    const goes_on = { type: "wait", id: "after", seconds: 3600 };
    const [branch, fails, cancelled, held] = [
      await start(team, [approval({ roles: ["admin"], on_timeout: [late] })]),
      await start(team, [approval({ roles: ["admin"] })]),
      await start(team, [approval({ roles: ["admin"] })]),
      await start(team, [approval({ roles: ["admin"], on_timeout: [goes_on] })]),
    ];
    for (const id of [branch, fails, cancelled, held]) await reaches(team, id, "waiting");
    const listed = (await ask("GET", LIST)).body;
    assert.equal(listed.length, 4);
    await ask("POST", `/connect/flow_processes/${cancelled}/cancel.json`);
    const left = (await ask("GET", LIST)).body;
    assert.deepEqual(left.map((one: { flow_process_id: string }) => one.flow_process_id), [branch, fails, held]);
    await server.sql`
    update flow_waits
    set steps = regexp_replace(steps::text, '"until":"[^"]*"', '"until":"2020-01-31T09:00:00.000+00:00"')::json, wake_at = now()
    where run_id in (${branch}, ${fails}, ${held})
  `;
    await server.sweep();
    await reaches(team, branch, "finished");
    await reaches(team, fails, "error");
    assert.equal((await inspect(branch)).data, "late");
    assert.equal((await inspect(fails)).error, "ok: nobody has answered in time");
    await until(async () => (await inspect(held)).steps.some(({ id }: { id: string }) => id === "after"), "it goes on");
    const question = listed.find((one: { flow_process_id: string }) => one.flow_process_id === held);
    assert.equal(
      (await ask("POST", `/connect/approvals/${question.id}.json`, { json: { choice: question.choices[0] } })).status,
      409,
    );
    await server
      .sql`update flow_approvals set expires_at = now() - interval '1 minute' where run_id in (${branch}, ${fails})`;
    await server.sweep();
    const open = await server.sql`
      select from flow_approvals where run_id in (${branch}, ${fails}, ${cancelled}) and audience <> '{}'
    `;
    assert.equal(open.length, 0, "the index of open questions has none of them");
    const { status, body } = await ask("POST", "/connect/flows.json", {
      json: { flow: { name: "Nobody", fields: { program: [approval({})] } } },
    });
    assert.deepEqual([status, body], [422, { "fields.program.0.roles": ["can't be blank: nobody may answer"] }]);
  },
);

inTeam(
  "approvals: a run names whom it asks; what no active user may answer is a warning and a problem",
  async (team) => {
    const { ask, addFlow } = team;
    const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Pay" } } }));
    const [away, user] = [await addPerson(ask, "user", { name: "Ann" }), await addPerson(ask, "user")];
    await ask("PATCH", `/account/user_settings/${away.id}.json`, { json: { user_setting: { active: false } } });
    const asked = async (id: string, token?: string) =>
      (await ask("GET", `/connect/approvals/asked.json?flow_process_id=${id}`, { token })).body;
    const problems = async (token?: string) =>
      (await ask("GET", "/account/problems.json", { token })).body.filter(({ kind }: { kind: string }) =>
        kind === "approval"
      );
    const who = { roles: ["manager"], users: [away.id], departments: [department.id] };
    const id = await start(team, [approval(who)]);
    await reaches(team, id, "waiting");
    const [question] = await asked(id, user.token);
    const { roles, users, departments, answerable } = question;
    assert.deepEqual({ roles, users, departments, answerable }, {
      roles: ["manager"],
      users: [{ id: away.id, name: "Ann", active: false }],
      departments: [{ id: department.id, name: "Pay" }],
      answerable: false,
    });
    const [problem] = await problems();
    assert.deepEqual([problem.run_id, problem.step, problem.message], [id, "ok", "Nobody may answer: Pay 4000 EUR?"]);
    assert.deepEqual(await problems(user.token), [], "admins can do something about it");
    const saved = await addFlow([approval(who)]);
    assert.deepEqual(Object.keys(saved.warnings), ["fields.program.0.roles"]);
    const both = await addFlow([{ ...approval({ roles: ["admin"] }), id: "first" }, {
      ...approval(who),
      id: "second",
    }]);
    assert.deepEqual(Object.keys(both.warnings), ["fields.program.1.roles"]);
    const { warnings } = (await ask("POST", `/connect/flows/${saved.id}/check.json`, { json: {} })).body;
    assert.match(warnings["fields.program.0.roles"][0], /leaves nobody who may answer/);

    // A manager who does not see the flow's department may not answer; one who does, may.
    const second = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Ship" } } }));
    await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
    await addPerson(ask, "manager", { department_ids: [second.id], without_department: false });
    assert.equal((await asked(id))[0].answerable, false);
    await addPerson(ask, "manager", { without_department: true });
    assert.equal((await asked(id))[0].answerable, true);
    assert.deepEqual(await problems(), []);
    assert.deepEqual((await ask("GET", `/connect/flows/${saved.id}.json`)).body.warnings, {});

    await ask("POST", `/connect/flow_processes/${id}/cancel.json`);
    assert.deepEqual(await asked(id), []);
  },
);

inTeam("approvals: waiting runs that a user does not see hide none of its questions", async (team) => {
  const { ask, server } = team;
  const [own, other] = await Promise.all(
    ["Pay", "Ship"].map(async (name) =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } }))
    ),
  );
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  const user = await addPerson(ask, "user", { department_ids: [own.id], without_department: false });
  const id = await start(team, [approval({ roles: ["admin"] })], { department_id: own.id });
  await reaches(team, id, "waiting");
  // As many later runs as one answer looks at, in the other department.
  const { count } = await server.sql`
    insert into flow_waits
      (run_id, account_id, department_id, flow_id, flow_version, flow_code, trigger, attempts, started_at, wake_at,
        awaits, head, steps)
    select
      ('ffffffff-ffff-7fff-8fff-' || lpad(n::text, 12, '0'))::uuid, account_id, ${other.id}, flow_id, flow_version,
      flow_code, trigger, attempts, started_at, now() + interval '1 day', array[gen_random_uuid()], head, steps
    from flow_waits, generate_series(1, 500) n
    where run_id = ${id}
  `;
  assert.equal(count, 500);
  const { body } = await ask("GET", "/connect/approvals/asked.json", { token: user.token });
  assert.deepEqual(body.map(({ place }: { place: string }) => place), ["ok"]);
  await server.sql`delete from flow_waits where run_id::text like 'ffffffff-ffff-%'`;
});
