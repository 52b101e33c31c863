/** From a claim to a run: processes that die in between, triggers that are stopped, accounts with too many runs. */
import assert from "node:assert/strict";
import { invalid } from "../../server/errors.ts";
import { LEASE_S } from "../../server/schedule/ledger/start_rows.ts";
import { on_postgres } from "../stage/harness.ts";
import { inTurn } from "../stage/scenario.ts";
import { until } from "../stage/until.ts";
import { type Entry, noFlow, onSharedDatabase, timeOf, tooMany } from "./schedule_stage.ts";

const onStage = onSharedDatabase();

const short = (entries: readonly Entry[]) => entries.map(({ due, state }) => `${due} ${state}`);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

onStage("a start that failed is tried again in the next tick, as the same run with the same key", async (stage) => {
  const { flows } = stage;
  const id = await stage.cron({ schedule: "0 * * * *" });
  const tried: (string | undefined)[] = [];
  flows.before = ({ id, idempotency_key }) => {
    tried.push(`${id} ${idempotency_key}`);
    if (tried.length === 1) throw new Error("the connection was lost");
  };
  assert.deepEqual(await stage.tick("2026-11-21 10:00:00"), { claimed: 1, started: 0, settled: 0 });
  assert.equal((await stage.ledger(id))[0]?.started_at, null);
  assert.deepEqual(await stage.tick("2026-11-21 10:01:00"), { claimed: 0, started: 1, settled: 0 });
  assert.equal(tried.length, 2);
  assert.equal(tried[0], tried[1]);
  const [entry] = await stage.ledger(id);
  assert.deepEqual([entry?.state, entry?.reason, entry?.started_at], [
    "late",
    "claimed in time, and could not be started at once",
    "2026-11-21T10:01:00.000+00:00",
  ]);
});

onStage(
  "a process that died between commit and start: another one starts the run when its time is up",
  async (stage) => {
    const { flows, sql } = stage;
    const id = await stage.cron({ schedule: "0 * * * *" });
    // The process hangs at the start of the run and never marks the row.
    const dead = stage.another();
    const began = Promise.withResolvers<void>();
    flows.before = () => {
      began.resolve();
      return new Promise(() => {});
    };
    stage.at("2026-11-21 10:00:00");
    void dead.tick();
    await began.promise;
    flows.before = undefined;
    const run = (await stage.ledger(id))[0]?.flow_process_id;
    await stage.tick(`2026-11-21 10:01:00`);
    assert.equal(flows.calls.length, 0, "it may be at work still");
    await stage.tick(`2026-11-21 10:0${LEASE_S / 60}:01`);
    assert.deepEqual(flows.calls.map(({ id, idempotency_key }) => [id, idempotency_key]), [
      [run, `cron:${id}:2026-11-21T10:00Z`],
    ]);
    assert.equal((await sql`select count(*) from cron_runs`)[0]?.count, 1);
  },
);

onStage("a process that died after the start and before it told: the run is not made again", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 * * * *" });
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  await sql`update cron_runs set started_at = null`;
  await stage.tick("2026-11-21 10:10:00");
  assert.deepEqual([flows.calls.length, flows.runs.size], [2, 1]);
  const [entry] = await stage.ledger(id);
  assert.equal(entry?.started_at, "2026-11-21T10:10:00.000+00:00");
});

onStage("the same, and the trigger was stopped meanwhile: the ledger does not say that nothing ran", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 * * * *" });
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  await sql`update cron_runs set started_at = null`;
  await sql`update crons set active = false, next_run_at = null`;
  await stage.tick("2026-11-21 10:10:00");
  const [entry] = await stage.ledger(id);
  assert.equal(flows.calls.length, 1);
  assert.ok(entry?.state !== "skipped" && entry?.started_at && entry.flow_process_id === flows.calls[0]?.id);
});

onStage("what could not be started for a day is given up: after that its key is forgotten", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 10 * * *" });
  flows.before = () => {
    throw new Error("away");
  };
  await stage.tick("2026-11-21 10:00:00");
  await sql`update cron_runs set created_at = now() - interval '24 hours'`;
  flows.before = undefined;
  await stage.tick("2026-11-22 09:00:00");
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 missed"]);
  assert.equal(flows.calls.length, 0);
});

onStage("a trigger that is deleted or switched off after its claim is not started", async (stage) => {
  const { flows, sql } = stage;
  const ids: number[] = [];
  await inTurn(numbers(400), async () => void ids.push(await stage.cron({ schedule: "0 * * * *" })));
  const stopped = Promise.withResolvers<void>();
  let first = true;
  flows.before = async () => {
    if (first) {
      first = false;
      await sql`delete from crons where id % 2 = 0`;
      await sql`update crons set active = false, next_run_at = null`;
      stopped.resolve();
    }
    await stopped.promise;
  };
  const { claimed, started } = await stage.tick("2026-11-21 10:00:00");
  assert.equal(claimed, 400);
  assert.ok(started < 200, `${started} were in hand`);
  const rows = await sql<{ state: string; reason: string | null; count: number }[]>`
    select state, reason, count(*) from cron_runs group by 1, 2
  `;
  const skipped = rows.find(({ state }) => state === "skipped");
  assert.equal(skipped?.reason, "the trigger was stopped before the run started");
  assert.equal(rows.reduce((sum, { count }) => sum + count, 0), 200, "the deleted ones' rows are gone");
  assert.ok((skipped?.count ?? 0) > 50);
});

onStage("a trigger that is off, or gone, is not claimed", async (stage) => {
  const [off, gone] = [await stage.cron({}), await stage.cron({})];
  await stage.sql`update crons set active = false where id = ${off}`;
  await stage.sql`delete from crons where id = ${gone}`;
  assert.deepEqual(await stage.tick("2026-11-21 10:00:00"), { claimed: 0, started: 0, settled: 0 });
});

onStage("a flow that refuses to start: skipped, with its words, and a failure", async (stage) => {
  const id = await stage.cron({ max_failures: 2 });
  stage.flows.before = () => {
    throw noFlow();
  };
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00", "2026-11-21 10:02:00"], stage.tick);
  const rows = await stage.ledger(id);
  assert.deepEqual(rows.map(({ state, reason, flow_process_id }) => [state, reason, flow_process_id]), [
    ["skipped", "the flow watch could not be started: flow_code does not exist", null],
    ["skipped", "the flow watch could not be started: flow_code does not exist", null],
  ]);
  const [row] = await stage.sql`select active, failures, paused_reason, last_status from crons`;
  assert.deepEqual([row?.active, row?.failures, row?.last_status], [false, 2, "skipped"]);
  assert.match(row?.paused_reason, /^2 failures in a row; the last one: the flow watch could not be started/);
});

onStage("a flow that is switched off while a run waits in its queue: skipped, and no failure", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ overlap: "queue", max_failures: 1 });
  flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00"], stage.tick);
  flows.before = () => {
    throw invalid({ flow_code: ["is not active"] });
  };
  await flows.end(flows.calls[0]?.id ?? "", "finished");
  await sql`update crons set next_run_at = '2026-11-21 11:00Z'`;
  await stage.tick("2026-11-21 10:02:00");
  assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran", "10:01 skipped"]);
  const [row] = await sql`select active, failures, paused_reason, last_status, last_run_id from crons`;
  assert.deepEqual(row && { ...row }, {
    active: true,
    failures: 0,
    paused_reason: null,
    last_status: "skipped",
    last_run_id: null,
  });
});

onStage("a run that nobody knows any more has failed: the trigger counts it, and pauses", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 10 * * *", max_failures: 1 });
  flows.ends = "never";
  await stage.tick("2026-11-21 10:00:00");
  flows.forget();
  await sql`update cron_runs set created_at = now() - interval '3 hours'`;
  await Promise.all([stage.tick("2026-11-21 13:00:00"), stage.another().tick()]);
  const [entry] = await stage.ledger(id);
  assert.deepEqual([entry?.outcome, entry?.reason], ["error", "its end was never recorded"]);
  const [row] = await sql`select active, failures, last_status, paused_reason from crons`;
  assert.deepEqual(row && { ...row }, {
    active: false,
    failures: 1,
    last_status: "error",
    paused_reason: "1 failure in a row; the last one: its end was never recorded",
  });
});

onStage("a schedule that is closed while it settles takes nothing that it does not let go of", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 10 * * *" });
  flows.before = () => {
    throw new Error("away");
  };
  await stage.tick("2026-11-21 10:00:00");
  flows.before = undefined;
  const closed = stage.another();
  stage.at("2026-11-21 10:01:00");
  const ticking = closed.tick();
  await Promise.all([ticking, closed.close()]);
  const [row] = await sql`select started_at, taken_at from cron_runs where cron_id = ${id}`;
  assert.ok(row?.started_at || row?.taken_at === null, "another one need not wait for it");
});

onStage("an account that has too many runs waits for the next tick; others do not", async (stage) => {
  const { flows } = stage;
  const crowded = await stage.account();
  const free = await stage.account();
  await inTurn(numbers(200), () => stage.cron({ account_id: crowded, schedule: "0 * * * *" }));
  await inTurn(numbers(20), () => stage.cron({ account_id: free, schedule: "0 * * * *" }));
  let let_in = 10;
  flows.before = ({ account_id }) => {
    if (account_id === crowded && let_in-- <= 0) throw tooMany();
  };
  assert.equal((await stage.tick("2026-11-21 10:00:00")).started, 30);
  let_in = 1_000;
  assert.equal((await stage.tick("2026-11-21 10:00:30")).started, 190);
  const [states] = await stage.sql`select count(*) filter (where state = 'ran') as ran, count(*) from cron_runs`;
  assert.deepEqual({ ...states }, { ran: 220, count: 220 });
  assert.equal(flows.runs.size, 220);
});

onStage("accounts take turns: one with few triggers does not wait for one with many", async (stage) => {
  const [many, few] = [await stage.account(), await stage.account()];
  await inTurn(numbers(300), () => stage.cron({ account_id: many }));
  await inTurn(numbers(5), () => stage.cron({ account_id: few }));
  await stage.tick("2026-11-21 10:00:00");
  const last = stage.flows.calls.findLastIndex(({ account_id }) => account_id === few);
  // Two batches of 64 are started at the same time.
  assert.ok(last < 128, `the last one of five was started as number ${last}`);
});

onStage("two schedules at once: no slot twice, none left out", async (stage) => {
  await inTurn(numbers(600), () => stage.cron({ schedule: "* * * * *" }));
  const all = [stage.schedules, stage.another(), stage.another()];
  stage.at("2026-11-21 10:00:00");
  await Promise.all(all.map((one) => one.tick()));
  const { calls, runs } = stage.flows;
  assert.deepEqual([calls.length, runs.size], [600, 600]);
  const [row] = await stage.sql`select count(*), count(started_at) as started from cron_runs`;
  assert.deepEqual({ ...row }, { count: 600, started: 600 });
});

onStage("by hand: whatever else goes on, in the ledger, and for no pause", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 * * * *", max_failures: 1 });
  const [{ account_id } = { account_id: 0 }] = await sql<{ account_id: number }[]>`select account_id from crons`;
  const fire = () =>
    stage.schedules.fire({
      account_id,
      cron_id: id,
      target_code: "watch",
      author_id: null,
      timezone: "UTC",
      input: null,
      kind: "flow",
    });
  flows.ends = "error";
  stage.at("2026-11-21 09:30:15");
  const [first, second] = [await fire(), await fire()];
  assert.notEqual(first.id, second.id);
  await stage.tick("2026-11-21 09:31:00");
  const [row] = await sql`select active, failures, last_status, last_run_at from crons`;
  assert.deepEqual(row && { ...row }, {
    active: true,
    failures: 0,
    last_status: "error",
    last_run_at: "2026-11-21T09:30:15.000+00:00",
  });
  stage.at("2026-11-21 10:00:00");
  await fire();
  await stage.tick("2026-11-21 10:00:00");
  const at_ten = await sql`select state, by_hand from cron_runs where due_at = ${
    timeOf("2026-11-21 10:00")
  } order by id`;
  assert.deepEqual(at_ten.map(({ state, by_hand }) => [state, by_hand]), [["ran", true], ["ran", false]]);
});

onStage("by hand: a process that dies before the run is stored leaves the input of that moment", async (stage) => {
  const { flows, sql } = stage;
  const id = await stage.cron({ schedule: "0 * * * *" });
  const [{ account_id } = { account_id: 0 }] = await sql<{ account_id: number }[]>`select account_id from crons`;
  flows.before = () => {
    throw new Error("the process dies");
  };
  stage.at("2026-11-21 09:30:15");
  const firing = { account_id, cron_id: id, target_code: "watch", author_id: null, timezone: "UTC" };
  await assert.rejects(
    stage.schedules.fire({ ...firing, input: { base: "EUR" }, kind: "flow" }),
    /the process dies/,
  );
  flows.before = undefined;
  await sql`update crons set input = '{"base": "USD"}' where id = ${id}`;
  await stage.tick("2026-11-21 09:35:00");
  assert.deepEqual(flows.calls.at(-1)?.input, { base: "EUR" });
  const [row] = await sql`select payload from cron_runs where cron_id = ${id} and started_at is not null`;
  assert.deepEqual(row?.payload, null, "it is not kept beside the run's");
});

onStage("by hand: a refusal is told, and the ledger has it as skipped", async (stage) => {
  const id = await stage.cron({});
  const [{ account_id } = { account_id: 0 }] = await stage.sql<{ account_id: number }[]>`select account_id from crons`;
  stage.flows.before = () => {
    throw tooMany();
  };
  await assert.rejects(
    stage.schedules.fire({
      account_id,
      cron_id: id,
      target_code: "watch",
      author_id: null,
      timezone: "UTC",
      input: null,
      kind: "flow",
    }),
    /Too many runs wait/,
  );
  const [entry] = await stage.ledger(id);
  assert.deepEqual([entry?.state, entry?.reason], ["skipped", "by hand: Too many runs wait"]);
});

onStage("a tick asked for while one is at work is one more round after it", async (stage) => {
  await stage.cron({ schedule: "0 10 * * *" });
  await stage.cron({ schedule: "1 10 * * *", first: "2026-11-21 10:01" });
  stage.flows.before = () => stage.at("2026-11-21 10:01:00");
  stage.at("2026-11-21 10:00:00");
  const rounds = await Promise.all([stage.schedules.tick(), stage.schedules.tick(), stage.schedules.tick()]);
  assert.deepEqual(rounds.map(({ started }) => started), [1, 1, 1]);
  assert.equal(rounds[1], rounds[2]);
});

// On the embedded database transactions take turns, so none finds a row locked.
if (on_postgres) {
  onStage("a trigger that another process has locked is overdue after the tick, and logged", async (stage) => {
    const id = await stage.cron({ schedule: "* * * * *" });
    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const frozen = stage.sql.begin(async (tx) => {
      await tx`select id from crons where id = ${id} for update`;
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    assert.deepEqual(await stage.tick("2026-11-21 10:00:00"), { claimed: 0, started: 0, settled: 0, overdue: 1 });
    over.resolve();
    await frozen;
    const find = () => stage.logged.find((line) => line.includes("triggers are overdue"));
    await until(() => find() !== undefined, "it is logged");
    const line = JSON.parse(find() ?? "{}");
    assert.deepEqual([line.level, line.count, line.oldest_cron], ["warn", 1, id]);
    assert.deepEqual(await stage.tick("2026-11-21 10:00:30"), { claimed: 1, started: 1, settled: 0 });
    assert.deepEqual(short(await stage.ledger(id)), ["10:00 ran"]);
  });
}
