/** Inspecting, cancelling and repeating runs. */
import assert from "node:assert/strict";
import { lowestId } from "../../server/database/uuid_v7.ts";
import { newest } from "../../server/domains/flow_processes/newest.ts";
import { ADMIN_TOKEN } from "../stage/harness.ts";
import { addPerson, made } from "../stage/people.ts";
import { follow } from "../stage/followers.ts";
import { onStage } from "./flow_stage.ts";
import { inTurn } from "../stage/scenario.ts";
import { until } from "../stage/until.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "1000" });

const PATH = "/connect/flow_processes";
const call = (path: string, more = {}) => ({
  type: "connector",
  id: "call",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});
const names = (rows: { id: string }[]) => rows.map(({ id }) => id);

inTeam(
  "processes: by user, input and time; counted by how they ended, also after their deletion",
  async ({ ask, server, addFlow, play }) => {
    const good = await addFlow([{ type: "return", data: 1 }]);
    const bad = await addFlow([{ type: "fail", message: "No stock" }]);
    const run = async (flow: { id: number }, input: Record<string, unknown>) =>
      (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input } })).body.flow_process_id as string;
    const [one, two] = [await run(good, { base: "EUR", body: { id: 7 } }), await run(bad, { base: "USD" })];
    await until(async () => (await ask("GET", `${PATH}.json?status=error`)).body.length === 1, "both have ended");
    const list = async (query: string) => names((await ask("GET", `${PATH}.json?${query}`)).body);
    const { user } = (await ask("GET", "/account/me.json")).body;
    assert.deepEqual(await list(`user_id=${user.id}`), [two, one]);
    assert.deepEqual(await list(`user_id=${user.id + 100_000}`), []);
    assert.deepEqual(await list("input=base%3DEUR"), [one]);
    assert.deepEqual(await list("input=body.id%3D7&status=finished"), [one]);
    assert.deepEqual(await list("input=base%3DE"), [], "a whole value");
    assert.deepEqual(await list("status=error&input=base%3DUSD&per_page=1"), [two]);
    assert.deepEqual(await list("cron_id=1"), []);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    assert.deepEqual(await list(`from=${tomorrow}`), []);
    assert.deepEqual(await list(`to=${tomorrow}`), [two, one]);
    assert.deepEqual(await list(`input=base%3DEUR&from=${tomorrow}`), []);
    assert.deepEqual(await list(`input=base%3DEUR&to=${tomorrow}&after=${two}`), [one]);
    assert.deepEqual(await list(`input=base%3DEUR&after=${one}`), []);
    await play([{ name: "an input without a value", method: "GET", path: `${PATH}.json?input=base`, status: 400 }]);

    const count = async (query: string) => {
      const { body } = await ask("GET", `/connect/flow_process_outcomes.json?${query}`);
      const sum = (key: string) => body.reduce((all: number, one: Record<string, number>) => all + (one[key] ?? 0), 0);
      return [body.length, sum("finished"), sum("error"), sum("cancelled")];
    };
    assert.deepEqual(await count("by=hour"), [48, 1, 1, 0]);
    assert.deepEqual(await count(`flow_code=${bad.code}&timezone=Europe/Warsaw`), [31, 0, 1, 0]);
    assert.deepEqual((await ask("GET", "/connect/flow_process_outcomes.json?timezone=Mars")).status, 422);
    const old = lowestId(Date.now() - 20 * 86_400_000);
    await server.sql`
      update flow_processes set id = ${old}, finished_at = now() - interval '20 days' where id = ${two}
    `;
    await server.sweep();
    assert.deepEqual(await list(""), [one]);
    assert.deepEqual([await count("by=day"), await count("by=month")], [[31, 1, 1, 0], [13, 1, 1, 0]]);
    assert.deepEqual(await count(`user_id=${user.id}`), [31, 1, 0, 0], "deleted runs have no user");
  },
);

inTeam(
  "processes: the newest first, by flow, status and trigger, in pages",
  async ({ ask, api, addFlow, addApp, play }) => {
    const good = await addFlow([{ type: "return", data: 1 }]);
    const bad = await addFlow([call("missing")]);
    const app = await addApp(good.code);
    const run = async (flow: { id: number }) =>
      (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body.flow_process_id as string;
    const [one, two, three] = [await run(good), await run(bad), await run(good)];
    const acted = (await ask("POST", `/platform/apps/${app}/action/go`, { json: {} })).body.flow_process_id as string;
    let answer = () => {};
    api.answers.set("/held", () => new Promise((resolve) => answer = () => resolve(Response.json(1))));
    const held = await run(await addFlow([call("held")]));
    const all = [held, acted, three, two, one];
    const list = async (query = "") => {
      const { body, headers } = await ask("GET", `${PATH}.json${query}`);
      return { ids: names(body), total: headers.get("x-total-count"), body };
    };
    assert.deepEqual((await list()).ids, all);
    const { body: [first] } = await list("?status=pending");
    assert.deepEqual([first.id, first.status, first.finished_at], [held, "pending", null]);
    assert.ok(first.started_at);
    await until(async () => (await ask("GET", `${PATH}/${held}.json`)).body.steps.length === 1, "its step is seen");
    const { body: { steps: [going_on] } } = await ask("GET", `${PATH}/${held}.json`);
    assert.deepEqual([going_on.place, going_on.status, going_on.input.params], ["call", "running", { path: "held" }]);
    assert.deepEqual((await list("?status=error")).ids, [two]);
    const { started, failed } = (await ask("GET", "/account/activity.json")).body;
    const sum = (counts: number[]) => counts.reduce((all, one) => all + one);
    assert.deepEqual([sum(started), sum(failed)], [5, 1], "with those in progress");
    const [problem] = (await ask("GET", "/account/problems.json")).body;
    assert.deepEqual([problem.run_id, problem.step, problem.message.startsWith("call: ")], [two, "call", true]);
    assert.deepEqual((await list("?status=finished")).ids, [acted, three, one]);
    assert.deepEqual((await list(`?flow_code=${good.code}`)).ids, [acted, three, one]);
    assert.deepEqual((await list("?trigger=action")).ids, [acted]);
    assert.deepEqual(await list("?per_page=2&page=2&count=true").then(({ ids, total }) => [ids, total]), [
      [three, two],
      "5",
    ]);
    assert.deepEqual((await list(`?per_page=2&after=${three}`)).ids, [two, one]);
    assert.equal((await list(`?per_page=2&after=${three}`)).total, "5", "from wherever it is read");
    answer();
    await until(async () => (await list("?status=pending")).ids.length === 0, "it ends");
    assert.deepEqual((await list("?per_page=2&page=2")).ids, [three, two]);
    await play([
      { name: "an unknown status", method: "GET", path: `${PATH}.json?status=odd`, status: 400 },
      { name: "after and page", method: "GET", path: `${PATH}.json?page=2&after=${one}`, status: 400 },
      { name: "an id that is none", method: "GET", path: `${PATH}/x.json`, status: 404 },
      {
        name: "another account's",
        method: "GET",
        path: `${PATH}/${one}.json`,
        sent: { token: ADMIN_TOKEN },
        status: 404,
      },
      { name: "an ended run is not cancelled", method: "POST", path: `${PATH}/${one}/cancel.json`, status: 409 },
      {
        name: "another account's is not cancelled",
        method: "POST",
        path: `${PATH}/${one}/cancel.json`,
        sent: { token: ADMIN_TOKEN },
        status: 404,
      },
      {
        name: "a run without a failed step is not taken up there",
        method: "POST",
        path: `${PATH}/${one}/retry.json`,
        sent: { json: { from: "failed_step" } },
        status: 409,
      },
    ]);
  },
);

inTeam("processes: a cancelled run stops at once, and nothing comes after", async ({ ask, api, addFlow, addApp }) => {
  api.answers.set(
    "/stuck",
    (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response()))),
  );
  const each = { type: "for_each", id: "each", items: [1], steps: [call("stuck")] };
  const { code } = await addFlow([each, { ...call("after"), id: "after" }]);
  const app = await addApp(code);
  const { flow_process_id: id } = (await ask("POST", `/platform/apps/${app}/action/go`, { json: {} })).body;
  await until(() => api.count("/stuck") > 0, "it is called");
  const { body } = await ask("POST", `${PATH}/${id}/cancel.json`);
  assert.deepEqual([body.status, body.error, body.failed_steps], ["cancelled", "Cancelled", 0]);
  assert.deepEqual(
    body.steps.map(({ place, status }: { place: string; status: string }) => [place, status]),
    [["each", "cancelled"], ["each.0.call", "cancelled"]],
  );
  await inTurn(["failed_step", "failed_items"], async (from) => {
    assert.equal((await ask("POST", `${PATH}/${id}/retry.json`, { json: { from } })).status, 409, from);
  });
  const told = (await ask("GET", `/platform/apps/${app}/action/go/status?flow_process_id=${id}`)).body;
  assert.deepEqual([told.status, told.error], ["error", "Cancelled"]);
  assert.equal(api.count("/after"), 0);
});

inTeam(
  "processes: a repetition from the failed step takes over what was done before it",
  async ({ ask, api, addFlow }) => {
    const [first, second] = [`a_${crypto.randomUUID()}`, `b_${crypto.randomUUID()}`];
    api.answers.set(`/${first}`, (n) => Response.json({ n }));
    let up = false;
    api.answers.set(`/${second}`, () => up ? Response.json({ up }) : new Response("down", { status: 500 }));
    const flow = await addFlow([
      call(first),
      { type: "mutation", set: { n: "{json_object.n}" } },
      { ...call(second), id: "second" },
      { type: "return", data: ["{n}", "{json_object.up}", "{input.word}"] },
    ]);
    const failed = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input: { word: "w" } } })).body;
    assert.match(failed.error, /^second: /);
    up = true;
    const again = made(
      await ask("POST", `${PATH}/${failed.flow_process_id}/retry.json`, { json: { from: "failed_step" } }),
    );
    assert.deepEqual([again.status, again.data, again.retry_of], ["finished", [1, true, "w"], failed.flow_process_id]);
    assert.deepEqual([api.count(`/${first}`), api.count(`/${second}`)], [1, 2]);
    const whole = made(await ask("POST", `${PATH}/${failed.flow_process_id}/retry.json`));
    assert.deepEqual([whole.data, api.count(`/${first}`)], [[2, true, "w"], 2]);
  },
);

inTeam("processes: who may see them is who may see their flow", async ({ ask, api, addFlow }) => {
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Ops" } } }));
  const flow = await addFlow([], { department_id: department.id });
  const { flow_process_id: id } = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
  const inside = await addPerson(ask, "user", { department_ids: [department.id] });
  const outside = await addPerson(ask, "user", { without_department: true });
  const seen = async (token: string) => [
    (await ask("GET", `${PATH}/${id}.json`, { token })).status,
    names((await ask("GET", `${PATH}.json`, { token })).body).includes(id),
    (await ask("POST", `${PATH}/${id}/retry.json`, { token })).status,
  ];
  assert.deepEqual(await seen(inside.token), [200, true, 201]);
  assert.deepEqual(await seen(outside.token), [404, false, 404]);
  const held = Promise.withResolvers<Response>();
  api.answers.set("/held_inside", () => held.promise);
  const slow = await addFlow([call("held_inside")], { department_id: department.id });
  const pending = (await ask("POST", `/connect/flows/${slow.id}/run.json`, { json: {} })).body.flow_process_id;
  const whilePending = async (token: string) => [
    (await ask("GET", `${PATH}/${pending}.json`, { token })).status,
    (await ask("GET", `${PATH}/${pending}/program.json`, { token })).status,
    names((await ask("GET", `${PATH}.json`, { token })).body).includes(pending),
  ];
  assert.deepEqual(await whilePending(inside.token), [200, 200, true]);
  assert.deepEqual(await whilePending(outside.token), [404, 404, false]);
  assert.equal((await ask("POST", `${PATH}/${pending}/cancel.json`, { token: outside.token })).status, 404);
  held.resolve(Response.json({}));
  const guest = await addPerson(ask, "guest");
  assert.equal((await ask("GET", `${PATH}.json`, { token: guest.token })).status, 403);
});

inTeam(
  "processes: a follower is told of each that begins and ends, and of one with its steps",
  async ({ ask, admin, server, api, addFlow }) => {
    const authorization = `Bearer ${admin.token}`;
    await using all = await follow(server, `${PATH}/changes`, { authorization });
    assert.equal(all.status, 200);
    await all.tells(1);
    let answer = () => {};
    api.answers.set("/told", () => new Promise((resolve) => answer = () => resolve(Response.json({ n: 1 }))));
    const flow = await addFlow([call("told")]);
    const { flow_process_id: id } = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
    await all.tells(2);
    await using one = await follow(server, `${PATH}/changes?id=${id}`, { authorization });
    await one.tells(1);
    answer();
    await one.ended;
    assert.deepEqual(one.told.map(({ data }) => data.status).at(-1), "finished");
    assert.deepEqual(one.told.at(-1)?.data.steps.map((step: { place: string }) => step.place), ["call"]);
    await until(() => all.told.some(({ data }) => data.id === id && data.status === "finished"), "its end is told");
    assert.deepEqual(all.told.map(({ event }) => event).slice(0, 2), ["ready", "process"]);
    const refused = await ask("GET", `${PATH}/changes?id=0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55`);
    assert.equal(refused.status, 404);
    assert.equal((await ask("GET", `${PATH}/changes`, { token: null })).status, 401);
  },
);

inTeam("processes: runs older than 14 days are swept away", async ({ ask, addFlow, server }) => {
  const flow = await addFlow([]);
  const run = async () => (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body.flow_process_id;
  const finished_at = new Date(Date.now() - 15 * 24 * 3_600_000);
  const [old, fresh] = [await run(), await run()];
  // The id of a run that started 15 days ago.
  const then = (Date.now() - 15 * 24 * 3_600_000).toString(16).padStart(12, "0");
  const aged = `${then.slice(0, 8)}-${then.slice(8)}${old.slice(13)}`;
  await server.sql`update flow_processes set id = ${aged}, finished_at = ${finished_at} where id = ${old}`;
  await server.sweep();
  assert.equal((await ask("GET", `${PATH}/${aged}.json`)).status, 404);
  assert.equal((await ask("GET", `${PATH}/${fresh}.json`)).status, 200);
});

inTeam("processes: a list of more than 10,000 runs links to its next page without being counted", async (team) => {
  const { addFlow, server, admin: { token } } = team;
  const flow = await addFlow([]);
  const now = Date.now().toString(16).padStart(12, "0").replace(/^(.{8})(.{4})$/, "$1-$2");
  await server.sql`
    insert into flow_processes
      (id, account_id, flow_id, flow_version, flow_code, trigger, status, attempts, input, steps, started_at, finished_at)
    select
      (${`${now}-7000-8000-`} || lpad(to_hex(f.account_id * 100000 + n), 12, '0'))::uuid,
      f.account_id, f.id, 1, f.code, 'manual', 'finished', 1, '{}', '[]', now(), now()
    from flows f, generate_series(1, 10001) n
    where f.id = ${flow.id}
  `;
  const list = async (query: string) => {
    // Without the proof that every list is counted.
    const { body, headers } = await server.request("GET", `${PATH}.json?${query}`, { token });
    return { ids: names(body), link: headers.get("link"), total: headers.get("x-total-count") };
  };
  const first = await list("per_page=2");
  assert.deepEqual([first.total, first.ids.length], [null, 2]);
  assert.match(first.link ?? "", /^<[^>]*[?&]page=2>; rel="next"$/);
  const behind = await list(`per_page=2&after=${first.ids.at(-1)}`);
  assert.match(behind.link ?? "", new RegExp(`^<[^>]*after=${behind.ids.at(-1)}>; rel="next"$`));
  const last = await list(`per_page=500&page=21`);
  assert.deepEqual([last.ids.length, last.link], [1, null], "the last page links to none");
  assert.equal((await list("per_page=2&count=true")).total, "10001");
  const uncounted = await list(`flow_code=rare&count=false`);
  assert.deepEqual(uncounted, { ids: [], link: null, total: null }, "nor is a short list, if it need not be");
  assert.equal((await list(`flow_code=${flow.code}&per_page=2&count=true`)).total, "10001");
  assert.deepEqual((await list(`flow_code=${flow.code}&per_page=2&page=2`)).ids.length, 2);

  // Runs of a flow, user or trigger are read in their own index, not among those of others.
  await server.sql`analyze flow_processes`;
  const values = { flow_code: "rare", user_id: 7, cron_id: 7, trigger: "action" } as const;
  for (const owner of ["flow_code", "user_id", "cron_id", "trigger"] as const) {
    const { where, order } = newest(server.sql, owner, values[owner]);
    const plan = await server.sql<{ "QUERY PLAN": string }[]>`
      explain select status from flow_processes where account_id = ${1} and ${where} ${order} limit ${50}
    `;
    const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
    assert.match(text, new RegExp(`using flow_processes_${owner.replace(/_.*/, "")} `), text);
    assert.doesNotMatch(text, /Filter|Sort/, text);
  }
});
