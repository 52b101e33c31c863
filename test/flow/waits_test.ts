/** Runs that wait: rows of PostgreSQL, woken when they are due, without a slot or a trace in Deno KV meanwhile. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";
import { on_postgres, type TestServer } from "../stage/harness.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "0" });
const PATH = "/connect/flow_processes";

const get = (path: string, more: Record<string, unknown> = {}) => ({
  type: "connector",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});
const wait = (seconds: unknown, id = "pause") => ({ type: "wait", id, seconds });

async function start({ ask, addFlow }: Team, program: unknown, input: Record<string, unknown> = {}) {
  const { id } = await addFlow(program);
  const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.flow_process_id as string;
}

const reaches = ({ inspect }: Team, id: string, status: string) =>
  until(async () => (await inspect(id)).status === status, `the run is ${status}`);

/** As if the moments for which a run waits had passed. */
const makeDue = async ({ sql }: TestServer, id: string) =>
  void await sql`
    update flow_waits
    set
      steps = regexp_replace(steps::text, '"until":"[^"]*"', '"until":"2020-01-31T09:00:00.000+00:00"', 'g')::json,
      wake_at = now()
    where run_id = ${id}
      and wake_at is not null
  `;

/** Whether a statement waits for a lock. */
async function isBlocked({ sql }: TestServer, statement: string): Promise<boolean> {
  const rows = await sql`
    select
    from pg_stat_activity
    where datname = current_database()
      and wait_event_type = 'Lock'
      and query ~ ${statement}
  `;
  return rows.length > 0;
}

/** Keys of a run in Deno KV. */
async function keysOf({ data_dir }: TestServer, id: string): Promise<number> {
  using kv = await Deno.openKv(`${data_dir}/kv.sqlite3`);
  const all = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key);
  return all.filter((key) => /^flow_(runs|steps)$/.test(String(key[0])) && key.includes(id)).length;
}

inTeam("waits: a run waits for an hour as a row, and goes on with what it had", async (team) => {
  const { ask, api, server, inspect } = team;
  api.answers.set("/before", (n) => Response.json({ n }));
  const id = await start(team, [
    { type: "mutation", set: { word: "x" } },
    get("before"),
    wait("{input.s}"),
    get("after", { on_error: "continue" }),
    { type: "return", data: ["{steps.step_2.body.n}", "{word}", "{steps.pause.body.until}", "{run.started_at}"] },
  ], { s: 3600, large: "x".repeat(50_000) });
  await reaches(team, id, "waiting");
  await until(async () => await keysOf(server, id) === 0, "it has left Deno KV");
  const waiting = await inspect(id);
  assert.deepEqual(
    waiting.steps.map(({ place, status }: { place: string; status: string }) => [place, status]),
    [["step_1", "finished"], ["step_2", "finished"], ["pause", "waiting"]],
  );
  assert.ok(Date.parse(waiting.wake_at) > Date.now() + 3_500_000, "in an hour");
  for (const filter of ["", "?status=waiting"]) {
    const { body, headers } = await ask("GET", `${PATH}.json${filter}`);
    assert.deepEqual([body.map((run: { id: string }) => run.id), headers.get("x-total-count")], [[id], "1"], filter);
  }
  for (const status of ["pending", "finished"]) {
    assert.deepEqual((await ask("GET", `${PATH}.json?status=${status}`)).body, []);
  }
  await server.sweep();
  assert.equal((await inspect(id)).status, "waiting", "it is not due");
  await makeDue(server, id);
  await Promise.all([server.sweep(), server.sweep()]);
  await reaches(team, id, "finished");
  const ended = await inspect(id);
  assert.deepEqual(ended.data.slice(0, 2), [1, "x"]);
  assert.equal(ended.data[2], "2020-01-31T09:00:00.000+00:00");
  assert.equal(ended.wake_at, null);
  assert.deepEqual([api.count("/before"), api.count("/after")], [1, 1]);
  await until(async () => (await server.sql`select from flow_waits where run_id = ${id}`).length === 0, "the row goes");
  await until(async () => await keysOf(server, id) === 0, "nothing is left in Deno KV");
});

inTeam(
  "waits: an item that waits when its loop is decided ends there, also when the run is woken later",
  async (team) => {
    const { api, addFlow, ask, inspect, server } = team;
    const { code: flow_code } = await addFlow([wait(3600)]);
    const items = {
      type: "for_each",
      id: "items",
      items: ["fails", "waits", "calls"],
      at_once: 3,
      on_error: "continue",
      steps: [{
        type: "switch",
        value: "{item}",
        cases: {
          fails: [wait(1, "short"), { type: "fail", message: "No" }],
          waits: [wait(3600, "long"), get("paid")],
          calls: [{ type: "flow", id: "called", flow_code, on_error: "catch", catch: [get("caught")] }],
        },
      }],
    };
    const id = await start(team, [items, wait(3600, "later"), { type: "return", data: "{steps.items.error}" }]);
    const statuses = async () =>
      Object.fromEntries(
        (await inspect(id)).steps.map(({ place, status }: { place: string; status: string }) => [place, status]),
      );
    await until(async () => (await statuses()).later === "waiting", "the run goes on after the loop");
    const left = { "items.1.long": "cancelled", "items.2.called": "cancelled" };
    assert.partialDeepStrictEqual(await statuses(), { items: "error", ...left });
    const called = async () => (await ask("GET", `${PATH}.json?flow_code=${flow_code}`)).body[0].status;
    await until(async () => await called() === "cancelled", "the run that it has called is cancelled");
    await makeDue(server, id);
    await server.sweep();
    await reaches(team, id, "finished");
    assert.partialDeepStrictEqual(await inspect(id), { data: "No" });
    assert.partialDeepStrictEqual(await statuses(), left);
    assert.deepEqual([api.count("/paid"), api.count("/caught")], [0, 0]);
  },
);

inTeam("waits: one that is due soon is woken by a timer; a moment that has passed is not waited for", async (team) => {
  const { inspect, addFlow, ask } = team;
  const id = await start(team, [
    { type: "wait", until: "2020-01-31" },
    { type: "repeat", while: "{index} < 2", steps: [wait(0.05)] },
    wait("{input.short}", "last"),
  ], { short: "0.01" });
  await reaches(team, id, "finished");
  const { steps, ms } = await inspect(id);
  assert.deepEqual(steps.map(({ place }: { place: string }) => place), [
    "step_1",
    "step_2",
    "step_2.0.pause",
    "step_2.1.pause",
    "step_2.2.pause",
    "last",
  ]);
  assert.ok(ms >= 0);
  const failures = [
    [wait("{input.no}"), /seconds is no number/],
    [wait("{input.long}"), /more than 30 days/],
    [{ type: "wait", id: "pause", until: "tomorrow{input.no}" }, /no moment/],
    [{ type: "wait", id: "pause", until: "2026-11-31" }, /no moment/],
    [{ type: "wait", id: "pause", until: "2026-02-30T00:00:00Z" }, /no moment/],
    [{ type: "wait", id: "pause", until: "2999-01-01T00:00:00+01:00" }, /more than 30 days ahead/],
  ] as const;
  for (const [step, error] of failures) {
    const failed = await start(team, [step], { long: 3_000_000 });
    await reaches(team, failed, "error");
    assert.match((await inspect(failed)).error, error);
  }
  const flow = { name: "Wrong", fields: { program: [{ type: "wait" }, { type: "wait", seconds: 1, until: "x" }] } };
  const refused = await ask("POST", "/connect/flows.json", { json: { flow } });
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /program\.0\.seconds.*program\.1\.until/);
  await addFlow([]);
});

inTeam("waits: several at once, each item on its own; the limit of ten minutes is for work alone", async (team) => {
  const { api, server, inspect } = team;
  api.answers.set("/item", () => Response.json("called"));
  const id = await start(team, [
    {
      type: "for_each",
      id: "each",
      items: [0.02, 3600, 0.04, 7200],
      at_once: 2,
      collect: true,
      steps: [get("item"), wait("{item}"), { type: "mutation", id: "done", set: { all: "{index}" } }],
    },
  ]);
  const places = async () =>
    (await inspect(id)).steps.filter(({ status }: { status: string }) => status === "waiting")
      .map(({ place }: { place: string }) => place);
  await until(async () => (await places()).join() === "each.1.pause,each.3.pause", "the long ones wait");
  await server.sql`
    update flow_waits set head = jsonb_set(head::jsonb, '{begun_at}', to_jsonb((head->>'begun_at')::float8 - 86400000))::json
    where run_id = ${id}
  `;
  await makeDue(server, id);
  await server.sweep();
  await reaches(team, id, "finished");
  const { data } = await inspect(id);
  assert.deepEqual(data.map(({ item, body }: { item: number; body: unknown }) => [item, body]), [
    [0.02, { all: 0 }],
    [3600, { all: 1 }],
    [0.04, { all: 2 }],
    [7200, { all: 3 }],
  ]);
  assert.equal(api.count("/item"), 4);
});

inTeam("waits: a run that waits is cancelled at once", async (team) => {
  const { ask, server, inspect } = team;
  const each = { type: "for_each", id: "each", items: [1], steps: [{ ...wait(86_400), id: "pause" }] };
  const id = await start(team, [{ type: "mutation", set: { a: 1 } }, each], { word: "w" });
  await reaches(team, id, "waiting");
  const { status, body } = await ask("POST", `${PATH}/${id}/cancel.json`);
  assert.deepEqual([status, body.status, body.error, body.input], [200, "cancelled", "Cancelled", { word: "w" }]);
  assert.deepEqual(
    body.steps.map((
      { place, status, error }: { place: string; status: string; error: string },
    ) => [place, status, error]),
    [["step_1", "finished", null], ["each", "cancelled", "Cancelled"], ["each.0.pause", "cancelled", "Cancelled"]],
  );
  assert.equal(body.failed_steps, 0);
  assert.equal((await ask("POST", `${PATH}/${id}/cancel.json`)).status, 409);
  assert.equal((await server.sql`select from flow_waits where run_id = ${id}`).length, 0);
  await server.sweep();
  assert.equal((await inspect(id)).status, "cancelled");
  const again = await ask("POST", `${PATH}/${id}/retry.json`);
  assert.ok(["pending", "waiting"].includes(again.body.status), again.body.status);
  await reaches(team, again.body.id, "waiting");
});

if (on_postgres) {
  inTeam("waits: a run that is cancelled while it begins to wait does not wait", async (team) => {
    const { ask, server } = team;
    const id = await server.sql.begin(async (sql) => {
      // Rows can be read and locked, and not inserted.
      await sql`lock table flow_waits in share row exclusive mode`;
      const id = await start(team, [wait(86_400)]);
      await until(() => isBlocked(server, "insert into flow_waits"), "the run begins to wait");
      assert.equal((await ask("POST", `${PATH}/${id}/cancel.json`)).status, 200);
      return id;
    });
    await reaches(team, id, "cancelled");
    assert.equal((await server.sql`select from flow_waits where run_id = ${id}`).length, 0);
  });
}

inTeam("waits: the sweep leaves what a run needs that has waited for long", async (team) => {
  const { server: { sql, sweep } } = team;
  const id = await start(team, [wait(86_400)]);
  await reaches(team, id, "waiting");
  const old = "01800000-0000-7000-8000-000000000001";
  const count = async () => {
    const [row] = await sql`
      select
        (select count(*)::int from flow_values where run_id = ${old})
          + (select count(*)::int from flow_effects where run_id = ${old})
          + (select count(*)::int from flow_claims where run_id = ${old}) as count
    `;
    return row?.count;
  };
  await sql`
    insert into flow_waits
    select r.*
    from flow_waits w
    cross join json_populate_record(w, ${JSON.stringify({ run_id: old })}::text::json) r
    where w.run_id = ${id}
  `;
  await sql`insert into flow_values (run_id, place, value) values (${old}, 'input', '{}')`;
  await sql`insert into flow_effects (run_id, place, output) values (${old}, 'a', '{}')`;
  await sql`insert into flow_claims (run_id, attempts) values (${old}, 1)`;
  await sweep();
  assert.equal(await count(), 3);
  await sql`delete from flow_waits where run_id = ${old}`;
  await sweep();
  assert.equal(await count(), 0);
});

// The embedded database has one connection, so nothing happens between the search and the update there.
if (on_postgres) {
  inTeam("waits: a run that another process wakes is not made due again", async (team) => {
    const { ask, server: { sql, sweep } } = team;
    const id = await start(team, [{ type: "approval", id: "ask", question: "Go on?", roles: ["admin"] }]);
    await reaches(team, id, "waiting");
    const { body: [approval] } = await ask("GET", "/connect/approvals.json");
    const woken = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const waking = sql.begin(async (tx) => {
      await tx`update flow_waits set wake_at = null, attempts = attempts + 1 where run_id = ${id}`;
      locked.resolve();
      await woken.promise;
    });
    await locked.promise;
    const answering = ask("POST", `/connect/approvals/${approval.id}.json`, { json: { choice: "approve" } });
    await until(() => isBlocked(team.server, "update flow_waits"), "the answer has found the run");
    woken.resolve();
    await waking;
    assert.equal((await answering).status, 200);
    await sweep();
    const [row] = await sql`select wake_at, attempts from flow_waits where run_id = ${id}`;
    assert.deepEqual({ ...row }, { wake_at: null, attempts: 2 });
  });

  inTeam(
    "waits: a run that a takeover is claiming is not woken before the takeover finds that it waits",
    async (team) => {
      const { ask, server } = team;
      const { sql, sweep } = server;
      const id = await start(team, [{ type: "approval", id: "ask", question: "Go on?", roles: ["admin"] }]);
      await reaches(team, id, "waiting");
      await until(async () => await keysOf(server, id) === 0, "it has left Deno KV");
      const { body: [approval] } = await ask("GET", "/connect/approvals.json");
      const [row] = await sql<{ head: { account_id: number } }[]>`select head from flow_waits where run_id = ${id}`;
      assert.ok(row);
      // As if the process that suspended it had died before it removed the run from Deno KV.
      using kv = await Deno.openKv(`${server.data_dir}/kv.sqlite3`);
      const left = JSON.stringify({ ...row.head, owner: "a process that has died" });
      await kv.set(["flow_runs", row.head.account_id, id], new TextEncoder().encode(left));
      const seen = Promise.withResolvers<void>();
      const claimed = Promise.withResolvers<void>();
      const holding = sql.begin(async (tx) => {
        await tx`insert into flow_claims (run_id, attempts) values (${id}, 1)`;
        claimed.resolve();
        await seen.promise;
      });
      await claimed.promise;
      const sweeping = sweep();
      await until(() => isBlocked(server, "insert into flow_claims"), "the takeover is claiming the run");
      assert.equal(
        (await ask("POST", `/connect/approvals/${approval.id}.json`, { json: { choice: "approve" } })).status,
        200,
      );
      seen.resolve();
      await holding;
      await sweeping;
      await reaches(team, id, "finished");
      await until(async () => (await sql`select from flow_waits where run_id = ${id}`).length === 0, "its row is gone");
      await until(async () => await keysOf(server, id) === 0, "it has left Deno KV again");
    },
  );
}

inTeam("waits: each row is compared with what it awaits once, by an index, in case a process died", async (team) => {
  const { addFlow, inspect, server: { sql, sweep } } = team;
  const child = await addFlow([wait(86_400)]);
  const sub = { type: "flow", id: "sub", flow_code: child.code };
  const id = await start(team, [sub, { type: "return", data: "{steps.sub.body}" }]);
  await reaches(team, id, "waiting");
  const below = (await inspect(id)).steps[0].begun.awaits;
  await reaches(team, below, "waiting");
  // As if the end had been recorded while the parent began to wait, by a process that died then.
  await sql`
    insert into flow_processes (
      id, account_id, flow_id, flow_version, flow_code, trigger, status, attempts, input, data, steps, started_at, finished_at
    )
    select
      run_id, account_id, flow_id, flow_version, flow_code, trigger, 'finished', attempts, '{}', '"below"', '[]', now(), now()
    from flow_waits
    where run_id = ${below}
  `;
  await sql`delete from flow_waits where run_id = ${below}`;
  await sweep();
  assert.equal((await inspect(id)).status, "waiting", "the moment of the second look has not come");
  await sql`update flow_waits set check_after = now() - interval '1 second' where run_id = ${id}`;
  await sweep();
  await reaches(team, id, "finished");
  assert.equal((await inspect(id)).data, "below");

  const other = await start(team, [sub]);
  await reaches(team, other, "waiting");
  await sql`update flow_waits set check_after = now() - interval '1 second' where run_id = ${other}`;
  await sweep();
  const [row] = await sql`select check_after, wake_at is null as awake from flow_waits where run_id = ${other}`;
  assert.deepEqual({ ...row }, { check_after: null, awake: false }, "it is not looked at again");
});
