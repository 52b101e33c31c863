/** What needs attention (`problems.json`), the runs of the last day (`activity.json`), and `counts.json`. */
import assert from "node:assert/strict";
import { lowestId } from "../../../server/database/uuid_v7.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Stage } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const PROBLEMS = "/account/problems.json";
const ACTIVITY = "/account/activity.json";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Run {
  flow_code: string;
  status: "finished" | "error" | "cancelled";
  ago_ms: number;
  error?: string;
  failed_steps?: number;
  department_id?: number;
  cron_id?: number;
  retry_of?: string;
}

let count = 0;

/** Writes a run that has ended. @returns its id */
async function addRun({ server: { sql } }: Stage, account: number, run: Run): Promise<string> {
  const at = new Date(Date.now() - run.ago_ms);
  const id = lowestId(at.getTime()).replace(/0000-0000-0+$/, `7000-8000-${(++count).toString(16).padStart(12, "0")}`);
  await sql`
    insert into flow_processes (
      id, account_id, department_id, flow_id, flow_version, flow_code, trigger, status, cron_id, retry_of, attempts, input,
      error, steps, failed_steps, started_at, finished_at
    )
    values (
      ${id}, ${account}, ${run.department_id ?? null}, 1, 1, ${run.flow_code}, 'manual', ${run.status},
      ${run.cron_id ?? null}, ${run.retry_of ?? null}, 1, '{}', ${run.error ?? null}, '[]', ${run.failed_steps ?? 0},
      ${at}, ${at}
    )
  `;
  return id;
}

const accountOf = async (ask: Ask): Promise<number> => (await ask("GET", "/account/me.json")).body.account.id;

inAccount(
  "problems: failed runs by flow and triggers in trouble, with what the caller may do about them",
  async (stage) => {
    const { ask, server: { sql } } = stage;
    const account = await accountOf(ask);
    const add = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
    const [d1, d2] = [
      (await add("/account/departments.json", { department: { name: "D1" } })).id,
      (await add("/account/departments.json", { department: { name: "D2" } })).id,
    ];
    const flow = async (code: string, department_id: number) =>
      (await add("/connect/flows.json", {
        flow: { name: `Flow ${code}`, code, department_id, fields: { program: [] } },
      })).code;
    const cron = async (
      target_code: string,
      department_id: number,
      fields: Record<string, unknown>,
    ): Promise<number> => {
      const { id } = await add("/account/crons.json", { cron: { target_code, schedule: "0 0 1 1 *", department_id } });
      await sql`update crons set ${sql(fields)} where id = ${id}`;
      return id;
    };
    const ago = (minutes: number) => minutes * MINUTE_MS;
    const [a, b] = [await flow("a", d1), await flow("b", d2)];
    const step = { error: "each.3.rates: The connector answered with status 502", failed_steps: 1 };
    await addRun(stage, account, { flow_code: a, status: "error", ago_ms: ago(50), department_id: d1, ...step });
    const latest = await addRun(stage, account, {
      flow_code: a,
      status: "error",
      ago_ms: ago(40),
      department_id: d1,
      ...step,
    });
    const other = await addRun(stage, account, {
      flow_code: b,
      status: "error",
      ago_ms: ago(30),
      department_id: d2,
      error: "rates: no step",
    });
    const gone = await addRun(stage, account, {
      flow_code: "gone",
      status: "error",
      ago_ms: ago(20),
      department_id: d1,
    });
    const repeated = await addRun(stage, account, { flow_code: "done", status: "error", ago_ms: ago(10) });
    await addRun(stage, account, { flow_code: "done", status: "finished", ago_ms: ago(9), retry_of: repeated });
    await addRun(stage, account, { flow_code: "fine", status: "cancelled", ago_ms: ago(8) });
    const old = await addRun(stage, account, { flow_code: "old", status: "error", ago_ms: 10 * DAY_MS });
    const paused = await cron(a, d1, {
      active: false,
      failures: 5,
      paused_reason: "Paused after 5 failures",
      last_status: "error",
      last_run_at: new Date(Date.now() - ago(5)),
    });
    const run = await addRun(stage, account, {
      flow_code: "job",
      status: "error",
      ago_ms: ago(4),
      cron_id: paused,
      ...step,
    });
    const failing = await cron(b, d2, {
      failures: 1,
      last_status: "error",
      last_run_at: new Date(Date.now() - ago(4)),
      last_run_id: run,
    });
    await cron(a, d1, { last_status: "finished" });

    const { status, body } = await ask("GET", PROBLEMS);
    assert.equal(status, 200);
    const row = (kind: string, id: unknown, rest: Record<string, unknown>) => ({ kind, id: String(id), ...rest });
    const dated = body.map(({ at, ...problem }: Record<string, unknown>) => {
      assert.match(String(at), /^\d{4}-.*\+00:00$/);
      return problem;
    });
    const message = step.error;
    assert.deepEqual(dated, [
      row("trigger", failing, {
        name: "b",
        flow_code: "b",
        run_id: run,
        step: "each.3.rates",
        message,
        count: 1,
        action: "open",
      }),
      row("trigger", paused, {
        name: "a",
        flow_code: "a",
        run_id: null,
        step: null,
        message: "Paused after 5 failures",
        count: 5,
        action: "resume",
      }),
      row("run", gone, {
        name: "gone",
        flow_code: "gone",
        run_id: gone,
        step: null,
        message: "The flow failed",
        count: 1,
        action: "retry",
      }),
      row("run", other, {
        name: "Flow b",
        flow_code: "b",
        run_id: other,
        step: null,
        message: "rates: no step",
        count: 1,
        action: "retry",
      }),
      row("run", latest, {
        name: "Flow a",
        flow_code: "a",
        run_id: latest,
        step: "each.3.rates",
        message,
        count: 2,
        action: "retry",
      }),
    ]);
    const ids = async (query = "", token?: string) => {
      const { status, body } = await ask("GET", PROBLEMS + query, { ...token && { token } });
      assert.equal(status, 200);
      return body.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await ids("?days=14"), [...dated.map(({ id }: { id: string }) => id), old]);
    assert.deepEqual(await ids("?per_page=2"), [String(failing), String(paused)]);
    const user = await addPerson(ask, "user", { department_ids: [d1], without_department: false });
    assert.deepEqual(await ids("", user.token), [String(paused), gone, latest], "of its department");
    const mine = (await ask("GET", PROBLEMS, { token: user.token })).body;
    assert.deepEqual(mine.map(({ action }: { action: string }) => action), ["open", "retry", "retry"]);
    const reading = await addToken(ask, { scopes: ["overview:read"] });
    const read = (await ask("GET", PROBLEMS, { token: reading })).body;
    assert.deepEqual(new Set(read.map(({ action }: { action: string }) => action)), new Set(["open"]));
    const stranger = await addAccount(stage.server);
    assert.deepEqual(await ids("", stranger.token), []);
    const guest = await addPerson(ask, "guest");
    await inTurn([PROBLEMS, ACTIVITY], async (path) => {
      assert.equal((await ask("GET", path, { token: guest.token })).status, 403);
      assert.equal((await ask("GET", path, { token: null })).status, 401);
    });
    assert.equal((await ask("GET", `${PROBLEMS}?days=15`)).status, 400);
  },
);

inAccount("problems: an app whose last save did not compile, until one does", async ({ ask }) => {
  const fields = { name: "Broken", app_engine: "svelte", css_engine: "none", source_code: "<p>fine</p>" };
  const { id } = made(await ask("POST", "/platform/apps.json", { json: { app: fields } }));
  const save = async (source_code: string, name?: string) =>
    (await ask("PATCH", `/platform/apps/${id}.json`, { json: { app: { source_code, name } } })).status;
  const listed = async (options = {}) =>
    (await ask("GET", PROBLEMS, options)).body.filter(({ kind }: { kind: string }) => kind === "compile");
  assert.deepEqual([await save("{#if"), await save("<p>{#each</p>")], [422, 422]);
  const [problem, ...others] = await listed();
  assert.equal(others.length, 0);
  const { at: _, message, ...rest } = problem;
  assert.match(message, /^1:\d+ /);
  assert.deepEqual(rest, {
    kind: "compile",
    id,
    name: "Broken",
    flow_code: null,
    run_id: null,
    step: null,
    count: 2,
    action: "open",
  });
  const user = await addPerson(ask, "user");
  const token = await addToken(ask, { user_setting_id: user.id });
  assert.deepEqual(await listed({ token }), [], "who may not change apps");
  assert.equal(await save("<p>fine</p>", "Renamed"), 200);
  assert.equal((await listed()).length, 1, "a save of an unchanged source compiles nothing");
  assert.equal(await save("<p>better</p>"), 200);
  assert.deepEqual(await listed(), []);
});

inAccount("activity: the runs of 24 hours in 96 slots", async (stage) => {
  const { ask } = stage;
  const account = await accountOf(ask);
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const read = async (token?: string) => {
    const { status, body } = await ask("GET", ACTIVITY, { ...token && { token } });
    assert.equal(status, 200);
    assert.deepEqual([body.minutes, body.started.length, body.failed.length], [15, 96, 96]);
    return body;
  };
  const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);
  const { from } = await read();
  const at = Date.parse(from);
  assert.ok(at % (15 * MINUTE_MS) === 0 && Math.abs(Date.now() - at - DAY_MS) < 60 * MINUTE_MS);
  const now = Date.now();
  const in_slot = (slot: number, minute: number) => now - (at + (slot * 15 + minute) * MINUTE_MS);
  const run = (slot: number, minute: number, fields: Partial<Run> = {}) =>
    addRun(stage, account, { flow_code: "f", status: "finished", ago_ms: in_slot(slot, minute), ...fields });
  await run(20, 0);
  await run(20, 14, { status: "error", department_id: d1 });
  await run(21, 0, { status: "error", department_id: d2 });
  await run(-8, 5);
  const body = await read();
  // A quarter of an hour may have begun in the meantime.
  const moved = (Date.parse(body.from) - at) / (15 * MINUTE_MS);
  assert.deepEqual(body.started.slice(20 - moved, 22 - moved), [2, 1]);
  assert.deepEqual(body.failed.slice(20 - moved, 22 - moved), [1, 1]);
  assert.deepEqual([sum(body.started), sum(body.failed)], [3, 2]);
  const user = await addPerson(ask, "user", { department_ids: [d1], without_department: false });
  const seen = await read(user.token);
  assert.deepEqual([sum(seen.started), sum(seen.failed)], [1, 1]);
  const stranger = await addAccount(stage.server);
  assert.equal(sum((await as(ask, stranger.token)("GET", ACTIVITY)).body.started), 0);
});

inAccount("counts: what the caller sees of each kind", async (stage) => {
  const { ask } = stage;
  const COUNTS = "/account/counts.json";
  const add = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const [d1, d2] = [
    (await add("/account/departments.json", { department: { name: "D1" } })).id,
    (await add("/account/departments.json", { department: { name: "D2" } })).id,
  ];
  for (const department_id of [d1, d2, null]) {
    await add("/connect/flows.json", {
      flow: { name: `Flow of ${department_id}`, department_id, fields: { program: [] } },
    });
  }
  await add("/platform/dbs.json", { db: { name: "Rates", department_id: d2, schema: { fields: { rate: "number" } } } });
  const read = async (token?: string) => {
    const { status, body } = await ask("GET", COUNTS, { ...token && { token } });
    assert.equal(status, 200);
    return body;
  };
  const people = (await ask("GET", "/account/user_settings.json")).body.length;
  const none = { apps: 0, connectors: 0, crons: 0, runs_in_progress: 0 };
  assert.deepEqual(await read(), { ...none, dbs: 1, flows: 3, user_settings: people, departments: 2 });
  const user = await addPerson(ask, "user", { department_ids: [d1], without_department: false });
  const hidden = { user_settings: null, departments: null };
  assert.deepEqual(await read(user.token), { ...none, ...hidden, dbs: 0, flows: 1 }, "of its department");
  const manager = await addPerson(ask, "manager", { department_ids: [d2], without_department: true });
  const seen = { dbs: 1, flows: 2, user_settings: people + 2, departments: 2 };
  assert.deepEqual(await read(manager.token), { ...none, ...seen });
  const token = await addToken(ask, { scopes: ["overview:read", "flows:read"] });
  const nothing = { apps: null, dbs: null, connectors: null, crons: null, runs_in_progress: null };
  assert.deepEqual(await read(token), { ...nothing, ...hidden, flows: 3 }, "what the token may list");
  const stranger = await addAccount(stage.server);
  const theirs = await read(stranger.token);
  assert.deepEqual(theirs, { ...none, dbs: 0, flows: 0, user_settings: 1, departments: 0 });
  const guest = await addPerson(ask, "guest");
  assert.equal((await ask("GET", COUNTS, { token: guest.token })).status, 403);
});
