/** CRUD, ledger and firing of triggers. Expressions: server/schedule/timetable. Ticks: test/schedule. */
import assert from "node:assert/strict";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const CRONS = "/account/crons.json";
const at = (id: number, rest = "") => `/account/crons/${id}${rest}.json`;
const json = (cron: Record<string, unknown>) => ({ json: { cron } });

const addFlow = async (ask: Ask, code: string, more: Record<string, unknown> = {}) =>
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name: code, code, ...more } } }));
const add = async (ask: Ask, cron: Record<string, unknown> = {}) =>
  made(await ask("POST", CRONS, json({ target_code: "watch", schedule: "0 9 * * *", ...cron })));

const KEYS = (
  "id name kind target_code input schedule webhook record timezone active overlap catch_up " +
  "max_failures department_id author_id sentence next_run_at last_run_at last_status failures paused_reason lock_version " +
  "created_at updated_at obstacle webhook_url next_times"
).split(" ");

inAccount("crons: create", async ({ ask, play }) => {
  await addFlow(ask, "watch");
  const row = (name: string, cron: Record<string, unknown>, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: CRONS,
    sent: json({ kind: "flow", target_code: "watch", schedule: "0 9 * * MON-FRI", ...cron }),
    status: 201,
    body,
  });
  await play([
    {
      ...row("201 with the whole trigger, as the specification sends it", { active: true }, {
        kind: "flow",
        target_code: "watch",
        schedule: "0 9 * * MON-FRI",
        active: true,
        name: null,
        timezone: "UTC",
        overlap: "skip",
        catch_up: 3600,
        max_failures: 10,
        sentence: "At 09:00, Monday through Friday",
        last_run_at: null,
        last_status: null,
        failures: 0,
        paused_reason: null,
        lock_version: 0,
      }),
      then({ body }) {
        assert.deepEqual(Object.keys(body), KEYS);
        assert.equal(body.next_times.length, 5);
        assert.equal(body.next_times[0], body.next_run_at);
        for (const time of body.next_times) {
          assert.match(time, /T09:00:00\.000\+00:00$/);
          assert.ok(![0, 6].includes(new Date(time).getUTCDay()), time);
        }
      },
    },
    row("in a zone, with everything said", {
      name: "Mornings",
      timezone: "Europe/Warsaw",
      overlap: "queue",
      catch_up: 0,
      max_failures: null,
      active: false,
    }, {
      name: "Mornings",
      timezone: "Europe/Warsaw",
      overlap: "queue",
      catch_up: 0,
      max_failures: null,
      active: false,
      next_run_at: null,
      next_times: [],
    }),
    row("either day is enough, and the sentence says so", { schedule: "30 6 1,15 * SUN" }, {
      sentence: "At 06:30, on day 1 and 15 of the month, or on Sunday",
    }),
    row("other keys are ignored, as are those that the server writes", {
      id: 77,
      next_run_at: "2020-01-01T00:00:00Z",
      failures: 5,
      paused_reason: "x",
      nonsense: {},
    }, { failures: 0, paused_reason: null, next_run_at: /T09:00/ }),
  ]);
});

inAccount("crons: what is refused", async ({ server, ask, play }) => {
  await addFlow(ask, "watch");
  const stranger = await addAccount(server);
  await addFlow(as(ask, stranger.token), "theirs");
  const fields: [name: string, cron: Record<string, unknown>, body: Record<string, RegExp>][] = [
    ["another kind", { kind: "mail" }, { kind: /^is not included in the list$/ }],
    ["no flow", { target_code: null }, { target_code: /blank/ }],
    ["a blank flow", { target_code: " " }, { target_code: /blank/ }],
    ["an unknown flow", { target_code: "nothing" }, { target_code: /^must exist$/ }],
    ["another account's flow", { target_code: "theirs" }, { target_code: /^must exist$/ }],
    ["no schedule", { schedule: null }, { schedule: /blank/ }],
    ["a blank schedule", { schedule: " " }, { schedule: /blank/ }],
    ["four fields", { schedule: "* * * *" }, { schedule: /must have five fields/ }],
    ["seconds", { schedule: "0 * * * * *" }, { schedule: /must have five fields/ }],
    ["a nickname", { schedule: "@daily" }, { schedule: /must have five fields/ }],
    ["the last day", { schedule: "0 0 L * *" }, { schedule: /^has a day of the month that cannot be read: L$/ }],
    ["a minute of 60", { schedule: "60 * * * *" }, { schedule: /^has a minute that is not 0 to 59: 60$/ }],
    ["30 February", { schedule: "0 0 30 2 *" }, { schedule: /^names a day that never comes$/ }],
    ["an unknown zone", { timezone: "Europe/Nowhere" }, { timezone: /is not the name of a time zone/ }],
    ["an offset for a zone", { timezone: "+02:00" }, { timezone: /is not the name of a time zone/ }],
    ["an unknown overlap", { overlap: "wait" }, { overlap: /^is not included in the list$/ }],
    ["a window below zero", { catch_up: -1 }, { catch_up: /at least 0/ }],
    ["no failures", { max_failures: 0 }, { max_failures: /at least 1/ }],
    ["a blank name", { name: " " }, { name: /blank/ }],
    ["active as a text", { active: "true" }, { active: /boolean/ }],
    ["an unknown department", { department_id: 999_999 }, { department_id: /must exist/ }],
  ];
  await play(fields.map(([name, cron, body]) => ({
    name,
    method: "POST",
    path: CRONS,
    sent: json({ target_code: "watch", schedule: "0 9 * * *", ...cron }),
    status: 422,
    body,
  })));
  const { id } = await add(ask);
  await play(
    fields.filter(([name]) => !/^no (flow|schedule)$/.test(name)).map(([name, cron, body]) => ({
      name: `update: ${name}`,
      method: "PATCH",
      path: at(id),
      sent: json(cron),
      status: 422,
      body,
    })),
  );
  await play([
    { name: "no wrapper", method: "POST", path: CRONS, sent: { json: {} }, status: 400 },
    { name: "and nothing is changed", method: "GET", path: at(id), status: 200, body: { lock_version: 0 } },
  ]);
});

inAccount("crons: update", async ({ ask, play }) => {
  await addFlow(ask, "watch");
  await addFlow(ask, "other");
  const { id, next_run_at } = await add(ask);
  await play([
    {
      name: "a name leaves the times alone",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "Nine", target_code: "other" }),
      status: 200,
      body: { name: "Nine", target_code: "other", next_run_at, lock_version: 1 },
    },
    {
      name: "another schedule has other times and another description",
      method: "PATCH",
      path: at(id),
      sent: json({ schedule: "0 10 * * *" }),
      status: 200,
      body: { next_run_at: /T10:00:00/, sentence: "At 10:00", lock_version: 2 },
    },
    {
      name: "another zone has other times",
      method: "PATCH",
      path: at(id),
      sent: json({ timezone: "Asia/Tokyo" }),
      status: 200,
      body: { next_run_at: /T01:00:00/, sentence: "At 10:00" },
    },
    {
      name: "not active: no times",
      method: "PATCH",
      path: at(id),
      sent: json({ active: false }),
      status: 200,
      body: { active: false, next_run_at: null, next_times: [] },
    },
    {
      name: "a schedule may change meanwhile",
      method: "PATCH",
      path: at(id),
      sent: json({ schedule: "0 11 * * *", timezone: "UTC" }),
      status: 200,
      body: { active: false, next_run_at: null, sentence: "At 11:00" },
    },
    {
      name: "active again: from its next time on",
      method: "PATCH",
      path: at(id),
      sent: json({ active: true }),
      status: 200,
      body: { next_run_at: /T11:00:00/ },
    },
    {
      name: "a stale lock_version is 409 with the trigger as it is",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "Stale", lock_version: 1 }),
      status: 409,
      body: { current: { name: "Nine", lock_version: 6 } },
    },
    {
      name: "a fresh one is taken",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "Fresh", lock_version: 6 }),
      status: 200,
      body: { name: "Fresh", lock_version: 7 },
    },
    { name: "delete", method: "DELETE", path: at(id), status: 204 },
    { name: "it is gone", method: "GET", path: at(id), status: 404, body: { error: "Trigger not found" } },
    { name: "with its ledger", method: "GET", path: at(id, "/runs"), status: 404 },
  ]);
});

inAccount("crons: lists", async ({ ask, play }) => {
  await addFlow(ask, "watch");
  await addFlow(ask, "other", { name: "Żółw orders" });
  const late = await add(ask, { schedule: "59 23 31 12 *", name: "50% of stock", timezone: "America/New_York" });
  const soon = await add(ask, { schedule: "* * * * *", target_code: "other" });
  const off = await add(ask, { active: false, name: "ΟΔΌΣ Ä" });
  const list = (name: string, query: string, ids: number[]): Scenario => ({
    name,
    method: "GET",
    path: `${CRONS}?${query}`,
    status: 200,
    body: ids.map((id) => ({ id })),
    headers: { "x-total-count": /^\d$/ },
  });
  await play([
    list("by number", "", [late.id, soon.id, off.id]),
    list("the newest first", "sort=-id", [off.id, soon.id, late.id]),
    list("by their next time; those that have none come last", "sort=next_run_at", [soon.id, late.id, off.id]),
    list("of one flow", "target_code=other", [soon.id]),
    list("active ones", "active=true", [late.id, soon.id]),
    list("by words: in the name", "q=OF STOCK", [late.id]),
    list("by words: folded like other names, in either form of Unicode", `q=${encodeURIComponent("οδός a\u0308")}`, [
      off.id,
    ]),
    list("by words: a wildcard stands for itself", "q=50%25", [late.id]),
    list("by words: in the sentence", "q=every minute", [soon.id]),
    list("by words: the time zone", "q=new york", [late.id]),
    list("by words: the flow's code", "q=watc", [late.id, off.id]),
    list("by words: the flow's name", "q=ŻÓŁW", [soon.id]),
    list("by words and state", "q=watc&active=false", [off.id]),
    list("one of several pages", "per_page=1&page=2", [soon.id]),
  ]);
});

inAccount("crons: fire by hand, and the ledger", async ({ server, ask, play }) => {
  await addFlow(ask, "watch", { fields: { program: [{ type: "return", data: { woken: "{input.cron_id}" } }] } });
  const { id } = await add(ask, { active: false });
  const fired: string[] = [];
  await inTurn([1, 2], async () => {
    const { status, body } = await ask("POST", at(id, "/fire"));
    assert.deepEqual([status, body.status], [200, "pending"]);
    fired.push(body.flow_process_id);
    await untilEnded(ask, body.flow_process_id);
  });
  await play([
    {
      name: "the flow got the trigger's input",
      method: "GET",
      path: `/connect/flow_processes/${fired[0]}.json`,
      status: 200,
      body: { trigger: "cron", status: "finished", data: { woken: id }, input: { kind: "cron", cron_id: id } },
    },
    {
      name: "runs: the newest first, with their ends before any tick",
      method: "GET",
      path: at(id, "/runs"),
      status: 200,
      body: fired.toReversed().map((flow_process_id) => ({
        flow_process_id,
        state: "ran",
        by_hand: true,
        reason: "by hand",
        outcome: "finished",
        slots: 1,
        due_until: null,
      })),
      headers: { "x-total-count": "2" },
    },
    {
      name: "or the oldest first, in pages",
      method: "GET",
      path: `${at(id, "/runs")}?sort=due_at&per_page=1`,
      status: 200,
      body: [{ flow_process_id: fired[0] }],
    },
    {
      name: "the trigger has its last run",
      method: "GET",
      path: at(id),
      status: 200,
      body: { last_status: "finished", last_run_at: /^20/, active: false, lock_version: 0 },
    },
  ]);
  await server.tick();
  const [row] = await server.sql`select outcome from cron_runs where flow_process_id = ${fired[1] ?? ""}`;
  assert.equal(row?.outcome, "finished", "and the tick writes them down");
  const { id: flow_id } = (await ask("GET", "/connect/flows.json")).body[0];
  await ask("PATCH", `/connect/flows/${flow_id}.json`, { json: { flow: { active: false } } });
  await play([{
    name: "a flow that is not active is 422, and nothing is noted",
    method: "POST",
    path: at(id, "/fire"),
    status: 422,
    body: { target_code: /^is not active$/ },
  }]);
  await ask("DELETE", `/connect/flows/${flow_id}.json?force=true`);
  await play([{
    name: "one that is gone, too",
    method: "POST",
    path: at(id, "/fire"),
    status: 422,
    body: { target_code: /^must exist$/ },
  }, {
    name: "the ledger has the two",
    method: "GET",
    path: at(id, "/runs"),
    status: 200,
    headers: { "x-total-count": "2" },
  }]);
});

const untilEnded = (ask: Ask, run: string): Promise<void> =>
  until(async () => {
    const { body } = await ask("GET", `/connect/flow_processes/${run}.json`);
    return body.status === "finished";
  }, "the run has ended");

inAccount("crons: departments hide them", async ({ ask, play }) => {
  await addFlow(ask, "watch");
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [own, other] = [await department("Own"), await department("Other")];
  await addFlow(ask, "own", { department_id: own });
  const mine = await add(ask, { department_id: own });
  const hidden = await add(ask, { department_id: other });
  const { token } = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
  const gone = (method: Scenario["method"], path: string, sent: Record<string, unknown> = {}): Scenario => ({
    name: `${method} ${path.replace(/\d+/, ":id")} is 404`,
    method,
    path,
    sent: { token, ...sent },
    status: 404,
  });
  await play([
    {
      name: "its own is listed",
      method: "GET",
      path: CRONS,
      sent: { token },
      status: 200,
      body: [{ id: mine.id }],
      headers: { "x-total-count": "1" },
    },
    { name: "and its runs", method: "GET", path: at(mine.id, "/runs"), sent: { token }, status: 200, body: [] },
    gone("GET", at(hidden.id)),
    gone("PATCH", at(hidden.id), json({ name: "Mine" })),
    gone("DELETE", at(hidden.id)),
    gone("GET", at(hidden.id, "/runs")),
    gone("POST", at(hidden.id, "/fire")),
    gone("POST", at(hidden.id, "/resume")),
    {
      name: "a flow that it does not see is none",
      method: "POST",
      path: CRONS,
      sent: { token, ...json({ target_code: "watch", schedule: "0 9 * * *", department_id: own }) },
      status: 422,
      body: { target_code: /^must exist$/ },
    },
    {
      name: "a manager does not move it out of their departments",
      method: "POST",
      path: CRONS,
      sent: { token, ...json({ target_code: "own", schedule: "0 9 * * *" }) },
      status: 422,
      body: { department_id: /name one of your/ },
    },
  ]);
});
