/** The ledger rows of due times, with a clock that the tests set. */
import assert from "node:assert/strict";
import { inTurn } from "../stage/scenario.ts";
import { type Entry, onSharedDatabase, timeOf } from "./schedule_stage.ts";

const onStage = onSharedDatabase();

const short = (entries: readonly Entry[]) => entries.map(({ due, state }) => `${due} ${state}`);

onStage(
  "ran: started once in its minute, with the trigger's input and key, and the ledger learns how it ended",
  async (stage) => {
    const { flows, cron, tick, ledger, sql } = stage;
    const id = await cron({ schedule: "*/5 * * * *" });
    assert.deepEqual(await tick("2026-11-21 09:59:59"), { claimed: 0, started: 0, settled: 0 });
    assert.deepEqual(await tick("2026-11-21 10:00:00"), { claimed: 1, started: 1, settled: 0 });
    assert.deepEqual(await tick("2026-11-21 10:00:40"), { claimed: 0, started: 0, settled: 1 });
    const [run] = flows.calls;
    assert.equal(flows.calls.length, 1);
    const { id: run_id, ...rest } = run ?? {};
    assert.match(run_id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const [{ account_id } = { account_id: 0 }] = await sql<{ account_id: number }[]>`select account_id from crons`;
    assert.deepEqual(rest, {
      account_id,
      flow_code: "watch",
      input: { kind: "cron", cron_id: id },
      trigger: "cron",
      user_id: null,
      author: { id: null, of: "trigger" },
      cron_id: id,
      trigger_data: {
        kind: "cron",
        cron_id: id,
        due_at: "2026-11-21T10:00:00+00:00",
        due_date: "2026-11-21",
        timezone: "UTC",
      },
      idempotency_key: `cron:${id}:2026-11-21T10:00Z`,
    });
    const [entry, ...others] = await ledger(id);
    assert.deepEqual(others, []);
    assert.deepEqual(entry, {
      due: "10:00",
      state: "ran",
      reason: null,
      slots: 1,
      due_until: null,
      flow_process_id: run_id,
      outcome: "finished",
      started_at: "2026-11-21T10:00:00.000+00:00",
    });
    const [row] =
      await sql`select next_run_at, last_run_at, last_run_id, last_status, failures, lock_version from crons`;
    assert.deepEqual(row && { ...row }, {
      next_run_at: "2026-11-21T10:05:00.000+00:00",
      last_run_at: "2026-11-21T10:00:00.000+00:00",
      last_run_id: run_id,
      last_status: "finished",
      failures: 0,
      lock_version: 0,
    });
  },
);

onStage("late: found after its minute, within the catch-up window", async (stage) => {
  const id = await stage.cron({ schedule: "0 * * * *" });
  await stage.tick("2026-11-21 10:59:00");
  const [entry] = await stage.ledger(id);
  assert.deepEqual([entry?.state, entry?.reason], [
    "late",
    "not started in time, but within the catch-up window of 60 minutes",
  ]);
  assert.equal(stage.flows.calls.length, 1);
});

onStage("missed: older than the window, or not in its minute where there is no window", async (stage) => {
  const old = await stage.cron({ schedule: "0 10 * * *" });
  const strict = await stage.cron({ schedule: "30 11 * * *", first: "2026-11-21 11:30", catch_up: 0 });
  await stage.tick("2026-11-21 11:31:01");
  assert.deepEqual(short(await stage.ledger(old)), ["10:00 missed"]);
  assert.deepEqual(short(await stage.ledger(strict)), ["11:30 missed"]);
  assert.match((await stage.ledger(strict))[0]?.reason ?? "", /older than the catch-up window of 0 seconds/);
  assert.equal(stage.flows.calls.length, 0);
});

onStage("three hours down: one late run, the others missed, each with its row", async (stage) => {
  const hourly = await stage.cron({ schedule: "0 * * * *", first: "2026-11-21 11:00" });
  const minutely = await stage.cron({ schedule: "* * * * *", first: "2026-11-21 10:31" });
  assert.equal((await stage.tick("2026-11-21 13:30:20")).started, 2);
  assert.deepEqual(short(await stage.ledger(hourly)), ["11:00 missed", "12:00 missed", "13:00 late"]);
  const rows = await stage.ledger(minutely);
  assert.equal(rows.length, 180);
  assert.deepEqual(short(rows.slice(-2)), ["13:29 missed", "13:30 ran"]);
  assert.ok(rows.slice(0, -1).every(({ state, reason, slots }) => state === "missed" && reason && slots === 1));
  await stage.tick("2026-11-21 13:31:00");
  assert.equal((await stage.ledger(minutely)).length, 181, "and then it goes on");
});

onStage("a minutely trigger after a year: bounded rows that account for every minute", async (stage) => {
  const id = await stage.cron({ timezone: "Europe/Warsaw", first: "2025-11-21 10:00" });
  await stage.tick("2026-11-21 10:00:10");
  const rows = await stage.ledger(id);
  const [older] = rows;
  assert.equal(rows.length, 201);
  assert.equal(rows.reduce((sum, { slots }) => sum + slots, 0), 365 * 24 * 60 + 1);
  assert.deepEqual([older?.state, older?.due_until], ["missed", "2026-11-21T06:40:00.000+00:00"]);
  assert.deepEqual(short(rows.slice(-1)), ["10:00 ran"]);
});

onStage("clock jumps: forward and back, and nothing is started twice", async (stage) => {
  const id = await stage.cron({});
  await inTurn([
    "2026-11-21 10:00:00",
    "2026-11-21 10:01:00",
    // Set back by ten minutes: nothing is due until the clock has passed the last due time again.
    "2026-11-21 09:51:00",
    "2026-11-21 10:00:30",
    "2026-11-21 10:01:30",
    "2026-11-21 10:02:00",
    // Set forward by a day, and back.
    "2026-11-22 10:00:00",
    "2026-11-21 10:03:00",
    "2026-11-22 09:59:00",
    "2026-11-22 10:01:00",
  ], stage.tick);
  const [keys, runs] = [stage.flows.calls.map(({ idempotency_key }) => idempotency_key), stage.flows.runs];
  assert.equal(new Set(keys).size, keys.length, "no key twice");
  assert.equal(runs.size, 5);
  const rows = await stage.ledger(id);
  assert.equal(rows.reduce((sum, { slots }) => sum + slots, 0), 24 * 60 + 2, "every minute once");
});

onStage(
  "clock jumps: a slot that the ledger has is never claimed again, even where the next time was set back",
  async (stage) => {
    const id = await stage.cron({});
    await stage.tick("2026-11-21 10:00:00");
    await stage.sql`update crons set next_run_at = '2026-11-21T10:00:00Z'`;
    await stage.tick("2026-11-21 10:00:30");
    assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran"]);
    assert.equal(stage.flows.calls.length, 1);
  },
);

onStage("overlap skip: the flow still runs, and the ledger says so", async (stage) => {
  const { flows } = stage;
  const id = await stage.cron({});
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  await stage.tick("2026-11-21 10:01:00");
  await flows.end(flows.calls[0]?.id ?? "", "finished");
  await stage.tick("2026-11-21 10:02:00");
  const rows = await stage.ledger(id);
  assert.deepEqual(short(rows), ["10:00 ran", "10:01 skipped", "10:02 ran"]);
  assert.equal(rows[1]?.reason, "the run before has not ended");
  assert.deepEqual(rows.map(({ outcome }) => outcome), ["finished", null, null]);
});

onStage("overlap allow: started beside it", async (stage) => {
  const id = await stage.cron({ overlap: "allow" });
  stage.flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00", "2026-11-21 10:02:00"], stage.tick);
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran", "10:01 ran", "10:02 ran"]);
  assert.equal(stage.flows.runs.size, 3);
});

onStage("overlap queue: one waits, the next is skipped, and the one that waited runs late", async (stage) => {
  const { flows } = stage;
  const id = await stage.cron({ overlap: "queue" });
  flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00", "2026-11-21 10:02:00"], stage.tick);
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran", "10:01 queued", "10:02 skipped"]);
  await flows.end(flows.calls[0]?.id ?? "", "finished");
  await stage.tick("2026-11-21 10:02:30");
  assert.equal(flows.calls.at(-1)?.idempotency_key, `cron:${id}:2026-11-21T10:01Z`);
  const rows = await stage.ledger(id);
  assert.deepEqual(short(rows), ["10:00 ran", "10:01 late", "10:02 skipped"]);
  assert.deepEqual(rows.map(({ reason }) => reason), [
    null,
    "waited for the run before",
    "one already waits for the run before",
  ]);
  await stage.tick("2026-11-21 10:03:00");
  assert.deepEqual(short(await stage.ledger(id)).at(-1), "10:03 queued", "now that one is before it");
});

onStage("overlap queue: what waits is not started once the trigger is stopped", async (stage) => {
  const id = await stage.cron({ overlap: "queue" });
  stage.flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00"], stage.tick);
  await stage.sql`update crons set active = false, next_run_at = null`;
  await stage.tick("2026-11-21 10:02:00");
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran", "10:01 skipped"]);
  assert.equal(stage.flows.calls.length, 1);
});

interface Health {
  active: boolean;
  failures: number;
  paused_reason: string | null;
  next_run_at: string | null;
  last_status: string | null;
}

onStage("failures in a row pause the trigger and say why; a success begins anew", async (stage) => {
  const { flows, sql } = stage;
  await stage.cron({ max_failures: 3 });
  const health = async () => {
    const [row] = await sql<Health[]>`select active, failures, paused_reason, next_run_at, last_status from crons`;
    return row;
  };
  flows.ends = "error";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00"], stage.tick);
  flows.ends = "finished";
  await inTurn(["2026-11-21 10:02:00", "2026-11-21 10:02:30"], stage.tick);
  assert.equal((await health())?.failures, 0);
  flows.ends = "error";
  await inTurn(["2026-11-21 10:03:00", "2026-11-21 10:04:00", "2026-11-21 10:05:00"], stage.tick);
  assert.deepEqual([(await health())?.failures, (await health())?.active], [2, true]);
  await stage.tick("2026-11-21 10:05:30");
  assert.deepEqual({ ...await health() }, {
    active: false,
    failures: 3,
    paused_reason: "3 failures in a row; the last one: no answer",
    next_run_at: null,
    last_status: "error",
  });
  await stage.tick("2026-11-21 10:06:00");
  assert.equal(flows.calls.length, 6, "it stays paused");
});

onStage("failures: never paused where max_failures is null; a cancelled run is none", async (stage) => {
  const { flows, sql } = stage;
  await stage.cron({ max_failures: null });
  await stage.cron({ max_failures: 1 });
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  const [first, second] = flows.calls.toSorted((a, b) => (a.cron_id ?? 0) - (b.cron_id ?? 0));
  await flows.end(first?.id ?? "", "error", "no");
  await flows.end(second?.id ?? "", "cancelled");
  await stage.tick("2026-11-21 10:00:30");
  const rows = await sql`select active, failures, last_status from crons order by id`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { active: true, failures: 1, last_status: "error" },
    { active: true, failures: 0, last_status: "cancelled" },
  ]);
});

onStage("a flow that is gone is skipped and a failure; one that is not active is skipped and none", async (stage) => {
  const { sql } = stage;
  const gone = await stage.cron({ target_code: "nothing", max_failures: 2 });
  const off = await stage.cron({ max_failures: 1 });
  await sql`update flows set active = false`;
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00", "2026-11-21 10:02:00"], stage.tick);
  const of_gone = await stage.ledger(gone);
  assert.deepEqual(short(of_gone), ["10:00 skipped", "10:01 skipped"]);
  assert.equal(of_gone[0]?.reason, "there is no flow nothing");
  const of_off = await stage.ledger(off);
  assert.deepEqual(short(of_off), ["10:00 skipped", "10:01 skipped", "10:02 skipped"]);
  assert.equal(of_off[0]?.reason, "the flow watch is not active");
  const rows = await sql`select active, failures, paused_reason from crons order by id`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { active: false, failures: 2, paused_reason: "2 failures in a row; the last one: there is no flow nothing" },
    { active: true, failures: 0, paused_reason: null },
  ]);
  assert.equal(stage.flows.calls.length, 0);
});

onStage("a zone that this machine does not know pauses the trigger", async (stage) => {
  const id = await stage.cron({ timezone: "Moon/Tranquility" });
  await stage.tick("2026-11-21 10:00:00");
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 skipped"]);
  const [row] = await stage.sql`select active, paused_reason from crons`;
  assert.equal(row?.active, false);
  assert.match(row?.paused_reason, /^timezone is not the name of a time zone/);
});

onStage("a run whose end was never recorded is lost after two hours, and the trigger goes on", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 * * * *" });
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  await sql`update cron_runs set created_at = now() - interval '3 hours'`;
  await stage.tick("2026-11-21 10:30:00");
  assert.equal((await stage.ledger(id))[0]?.outcome, null, "the engine has it still");
  flows.wait = () => Promise.resolve(undefined);
  await stage.tick("2026-11-21 11:00:00");
  const rows = await stage.ledger(id);
  assert.deepEqual([rows[0]?.outcome, rows[0]?.reason, rows[1]?.state], ["error", "its end was never recorded", "ran"]);
});

onStage("sweep: the ledger is kept for 90 days", async (stage) => {
  const id = await stage.cron({});
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00"], stage.tick);
  await stage.sql`update cron_runs set created_at = now() - interval '91 days' where due_at = ${
    timeOf("2026-11-21 10:00")
  }`;
  await stage.schedules.sweep();
  assert.deepEqual(short(await stage.ledger(id)), ["10:01 ran"]);
});
