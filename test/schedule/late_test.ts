/** Late starts, ends between ticks, pauses while a trigger is due, deletions during a tick. */
import assert from "node:assert/strict";
import { inTurn } from "../stage/scenario.ts";
import { type Entry, onSharedDatabase, type Stage, tooMany } from "./schedule_stage.ts";
import { until } from "../stage/until.ts";

const onStage = onSharedDatabase();

const short = (entries: readonly Entry[]) => entries.map(({ due, state }) => `${due} ${state}`);
const TOO_OLD = "not started in time, nor within its catch-up window and 2 hours";

const healthOf = async ({ sql }: Stage) => {
  const [row] = await sql`select active, next_run_at, failures, last_status, paused_reason from crons`;
  return row && { ...row };
};

onStage("overlap queue: what has waited for days, with nobody there, is missed", async (stage) => {
  const { flows, tick, ledger } = stage;
  const id = await stage.cron({ overlap: "queue", catch_up: 60 });
  flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:01:00"], tick);
  assert.deepEqual(short(await ledger(id)), ["10:00 ran", "10:01 queued"]);
  await flows.end(flows.calls[0]?.id ?? "", "finished");
  await stage.sql`update crons set next_run_at = '2026-11-30 10:00Z'`;
  await tick("2026-11-23 10:05:00");
  const [, queued] = await ledger(id);
  assert.deepEqual([queued?.state, queued?.reason, queued?.flow_process_id], ["missed", TOO_OLD, null]);
  assert.equal(flows.calls.length, 1);
});

onStage("what waits for a run of hours is started after it", async (stage) => {
  const { flows, tick, ledger } = stage;
  const id = await stage.cron({ overlap: "queue", catch_up: 0, schedule: "*/30 * * * *" });
  flows.ends = "never";
  await inTurn(["2026-11-21 10:00:00", "2026-11-21 10:30:00"], tick);
  await flows.end(flows.calls[0]?.id ?? "", "finished");
  await tick("2026-11-21 11:55:00");
  const entries = await ledger(id);
  assert.deepEqual(short(entries).slice(0, 2), ["10:00 ran", "10:30 late"]);
  assert.equal(flows.calls[1]?.id, entries[1]?.flow_process_id);
});

onStage("a claimed slot that cannot be started for hours is missed; one that the engine has is not", async (stage) => {
  const { flows, tick, ledger, sql } = stage;
  const full = await stage.cron({ catch_up: 60, schedule: "0 10 * * *" });
  const started = await stage.cron({ catch_up: 60, schedule: "0 10 * * *" });
  flows.ends = "never";
  flows.before = ({ cron_id }) => {
    if (cron_id === full) throw tooMany();
  };
  await tick("2026-11-21 10:00:00");
  // As if the process had died before it marked the row as started.
  await sql`update cron_runs set started_at = null where cron_id = ${started}`;
  await tick("2026-11-21 11:59:00");
  assert.deepEqual(short(await ledger(full)), ["10:00 ran"], "tried again, and again");
  await sql`update cron_runs set started_at = null where cron_id = ${started}`;
  flows.before = undefined;
  const calls = flows.calls.length;
  await tick("2026-11-22 06:00:00");
  const [missed] = await ledger(full);
  assert.deepEqual([missed?.state, missed?.reason, missed?.flow_process_id], ["missed", TOO_OLD, null]);
  const [ran] = await ledger(started);
  assert.deepEqual([ran?.state, Boolean(ran?.started_at), Boolean(ran?.flow_process_id)], ["late", true, true]);
  assert.equal(flows.calls.length, calls);
});

onStage("a pause at a moment that is due: the ledger has it as skipped, with the reason", async (stage) => {
  const { flows, tick, ledger } = stage;
  const id = await stage.cron({ max_failures: 1 });
  flows.ends = "error";
  await tick("2026-11-21 10:00:00");
  assert.deepEqual((await healthOf(stage))?.failures, 0);
  await inTurn(["2026-11-21 10:01:00", "2026-11-21 10:02:00"], tick);
  const entries = await ledger(id);
  assert.deepEqual(short(entries), ["10:00 ran", "10:01 skipped"]);
  const paused_reason = "1 failure in a row; the last one: no answer";
  assert.equal(entries[1]?.reason, paused_reason);
  assert.deepEqual(await healthOf(stage), {
    active: false,
    next_run_at: null,
    failures: 1,
    last_status: "error",
    paused_reason,
  });
  assert.equal(flows.calls.length, 1);
});

onStage("ends are counted in a moment, without a tick", async (stage) => {
  const { flows, schedules } = stage;
  const id = await stage.cron({ max_failures: 1 });
  flows.ends = "error";
  await stage.tick("2026-11-21 10:00:00");
  schedules.noteEnd(id);
  schedules.noteEnd(id);
  await until(async () => (await healthOf(stage))?.failures === 1, "the failure is counted");
  const { active, next_run_at } = await healthOf(stage) ?? {};
  assert.deepEqual([active, next_run_at], [false, null], "nothing was due");
});

onStage(
  "triggers are deleted while their runs' ends are noted: neither waits for the other for ever",
  async (stage) => {
    const { flows, sql, cron, tick } = stage;
    const complaints: string[] = [];
    await inTurn([0, 1, 2, 3], async () => {
      const ids: number[] = [];
      await inTurn(Array.from({ length: 60 }), async () => void ids.push(await cron({ overlap: "allow" })));
      flows.ends = "never";
      const from = flows.calls.length;
      await tick("2026-11-21 10:00:00");
      await inTurn(flows.calls.slice(from), ({ id = "" }) => flows.end(id, "finished"));
      const complain = (error: Error) => void complaints.push(error.message);
      const ticking = tick("2026-11-21 10:00:30").catch(complain);
      const reversed = ids.toReversed();
      const deleting = [0, 1, 2].map((lane) =>
        inTurn(
          reversed.filter((_, index) => index % 3 === lane),
          (id) => sql`delete from crons where id = ${id}`.catch(complain),
        )
      );
      await Promise.all([ticking, ...deleting]);
      await sql`delete from crons`;
    });
    assert.deepEqual(complaints, []);
  },
);

onStage("catch_up 0: a due time that could not be started within its minute is missed, never late", async (stage) => {
  const { flows } = stage;
  const strict = await stage.cron({ catch_up: 0, schedule: "0 10 * * *" });
  const claimed_late = await stage.cron({ catch_up: 0, schedule: "1 10 * * *", first: "2026-11-21 10:01" });
  flows.before = () => {
    throw tooMany();
  };
  await stage.tick("2026-11-21 10:00:00");
  flows.before = undefined;
  assert.equal((await stage.ledger(strict))[0]?.started_at, null);
  await stage.tick("2026-11-21 10:02:00");
  assert.deepEqual((await stage.ledger(strict)).map(({ due, state }) => `${due} ${state}`), ["10:00 missed"]);
  assert.deepEqual((await stage.ledger(claimed_late)).map(({ due, state }) => `${due} ${state}`), ["10:01 missed"]);
  assert.equal(flows.calls.length, 0);
});

onStage("overlap: a repeated run of a trigger counts as its run", async (stage) => {
  const id = await stage.cron({ schedule: "* * * * *" });
  await stage.tick("2026-11-21 10:00:00");
  await stage.tick("2026-11-21 10:00:30");
  const [row] = await stage.sql<{ account_id: number }[]>`select account_id from crons where id = ${id}`;
  const repeated = crypto.randomUUID();
  await stage.schedules.noteRepeated({ account_id: row?.account_id ?? 0, cron_id: id }, repeated);
  await stage.tick("2026-11-21 10:01:00");
  const states = (await stage.ledger(id)).map(({ due, state, reason }) => `${due} ${state} ${reason}`);
  assert.deepEqual(states, [
    "10:00 ran null",
    "10:00 ran a run was repeated",
    "10:01 skipped the run before has not ended",
  ]);
});
