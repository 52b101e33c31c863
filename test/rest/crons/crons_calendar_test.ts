/** The ledger by day and at a glance, schedules before they are saved, and runs by hand with another input. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const HOUR_MS = 3_600_000;

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
