/** The ledger by day and at a glance, schedules before they are saved, and runs by hand with another input. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const HOUR_MS = 3_600_000;

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

inAccount("crons: due times by day and at a glance, a run by hand with an input", async ({ server, ask, play }) => {
  const program = [{ type: "return", data: "{input.base}" }];
  made(
    await ask("POST", "/connect/flows.json", { json: { flow: { name: "Watch", code: "watch", fields: { program } } } }),
  );
  const cron = { target_code: "watch", schedule: "0 9 * * *", timezone: "Pacific/Auckland" };
  const { id } = made(await ask("POST", "/account/crons.json", { json: { cron } }));
  const now = Date.now();
  const rows = [[1, "ran", "finished"], [2, "ran", "error"], [30, "skipped", null], [31, "missed", null]] as const;
  for (const [hours, state, outcome] of rows) {
    await server.sql`
      insert into cron_runs (cron_id, account_id, due_at, state, outcome, taken_at, started_at)
      select id, account_id, ${new Date(now - hours * HOUR_MS)}, ${state}, ${outcome}, now(), now()
      from crons
      where id = ${id}
    `;
  }
  const { body: days } = await ask("GET", `/account/crons/${id}/days.json`);
  assert.equal(days.length, 91);
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland", dateStyle: "short" });
  const dayOf = (hours: number) =>
    days.find(({ day }: { day: string }) => day === format.format(now - hours * HOUR_MS));
  assert.ok(dayOf(1).ran >= 1 && dayOf(2).failed === 1 && dayOf(30).skipped === 1 && dayOf(31).missed === 1);
  const { body: [slots] } = await ask("GET", `/account/cron_slots.json?ids=${id},999999`);
  assert.deepEqual(slots.slots.map(({ state }: { state: string }) => state), ["missed", "skipped", "failed", "ran"]);
  assert.equal(slots.next_times.length, 5);
  const expected = new Array(96).fill(0);
  const minutes = (Date.parse(slots.next_times[0]) - now) / 60_000;
  assert.equal(slots.ahead.length, 96);
  assert.equal(sum(slots.ahead), 1, "09:00 comes once in 24 hours");
  expected[Math.floor(minutes / 15)] = 1;
  assert.ok(slots.ahead.indexOf(1) - expected.indexOf(1) >= -1 && slots.ahead.indexOf(1) <= expected.indexOf(1));
  const often = { target_code: "watch", schedule: "*/5 * * * *" };
  const { id: frequent } = made(await ask("POST", "/account/crons.json", { json: { cron: often } }));
  const { body: [dense] } = await ask("GET", `/account/cron_slots.json?ids=${frequent}`);
  assert.deepEqual(new Set(dense.ahead), new Set([3]));
  assert.equal(sum(dense.ahead), 288);
  await ask("PATCH", `/account/crons/${frequent}.json`, { json: { cron: { active: false } } });
  assert.deepEqual((await ask("GET", `/account/cron_slots.json?ids=${frequent}`)).body[0].ahead, []);
  const runs = async (query: string) =>
    (await ask("GET", `/account/crons/${id}/runs.json?${query}`)).body.map(({ state }: { state: string }) => state);
  assert.deepEqual(await runs("irregular=true"), ["ran", "skipped", "missed"]);
  const { from, to } = dayOf(30);
  assert.ok((await runs(`from=${from.replace("+", "%2B")}&to=${to.replace("+", "%2B")}`)).includes("skipped"));

  const fired = await ask("POST", `/account/crons/${id}/fire.json`, { json: { input: { base: "EUR" } } });
  const path = `/connect/flow_processes/${fired.body.flow_process_id}.json`;
  await until(async () => (await ask("GET", path)).body.status === "finished", "it ends");
  assert.equal((await ask("GET", path)).body.data, "EUR");

  const read = (query: string) => `/account/cron_schedule.json?${query}`;
  await play([
    {
      name: "a time that clocks skip",
      method: "GET",
      path: read("schedule=30+2+*+*+*&timezone=Europe/Warsaw&from=2027-03-27T00:00:00Z&count=3"),
      status: 200,
      body: {
        sentence: "At 02:30",
        next_times: [
          "2027-03-27T01:30:00.000+00:00",
          "2027-03-28T01:00:00.000+00:00",
          "2027-03-29T00:30:00.000+00:00",
        ],
      },
    },
    {
      name: "both faults at once",
      method: "GET",
      path: read("schedule=61+*+*+*+*&timezone=Mars"),
      status: 422,
      body: { schedule: /minute/, timezone: /time zone/ },
    },
  ]);
});
