/** Openings of app pages: what counts, for whom, and how they are written. */
import assert from "node:assert/strict";
import { createOpeningCounter } from "../../../server/domains/apps/openings/counter.ts";
import { createLog } from "../../../server/log.ts";
import { addPerson, addSession, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();
const LIST = "/platform/apps/openings.json";
const DAY_MS = 86_400_000;
const JS = { name: "Clock", app_engine: "js", source_code: "1", public: true };
const FRAME = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" };

inAccount("openings: pages count by day, and are read for one app or for many", async ({ ask, admin, server }) => {
  const create = async (more = {}) =>
    made(await ask("POST", "/platform/apps.json", { json: { app: { ...JS, ...more } } })).id;
  const [clock, idle] = [await create(), await create({ name: "Idle" })];
  const { cookie } = await addSession(server, admin.id);
  const open = (path: string, headers = {}) => ask("GET", path, { token: null, headers });
  const today = new Date().toISOString().slice(0, 10);
  const etag = (await open(`/a/${clock}`)).headers.get("etag") ?? "";
  assert.equal((await open(`/a/${clock}`, { "if-none-match": etag })).status, 304);
  assert.equal((await open(`/a/${clock}/frame`, { ...FRAME, cookie })).status, 200);
  const uncounted = [
    await open(`/a/${clock}`, { ...FRAME, cookie, "sec-fetch-dest": "document" }),
    await ask("HEAD", `/a/${clock}`, { token: null }),
    await open(`/a/${clock}`, { ...FRAME, cookie }),
    await open(`/a/${clock}`, { "sec-purpose": "prefetch;prerender" }),
    await open(`/a/${clock}`, { purpose: "prefetch" }),
  ];
  assert.deepEqual(
    uncounted.map(({ status }) => status),
    [200, 200, 200, 200, 200],
    "the bar, a look at the headers, a picture in the gallery, and what a browser loads in advance",
  );
  await server.sweep();
  await server.sweep();
  const { body } = await ask("GET", `/platform/apps/${clock}/openings.json`);
  assert.deepEqual([body.app_id, body.total, body.counts.length], [clock, 3, 14]);
  const day = Date.parse(body.first_day) + 13 * 86_400_000;
  // Midnight may pass during the test.
  assert.ok(new Date(day).toISOString().slice(0, 10) >= today);
  await server.sql`
    insert into app_openings (app_id, day, account_id, count)
    select ${clock}, (now() at time zone 'utc')::date - n, account_id, 10 from apps, unnest(array[13, 14, 91]) n
    where id = ${clock}
  `;
  await open(`/a/${clock}`);
  await server.sweep();
  const { body: list } = await ask("GET", `${LIST}?ids=${idle},${clock},${clock},0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55`);
  const [first, second, ...none] = list;
  assert.deepEqual([first.app_id, first.total, first.counts[0], second.app_id, second.total, none], [
    clock,
    14,
    10,
    idle,
    0,
    [],
  ]);
  const [{ days } = { days: 0 }] = await server.sql<{ days: number }[]>`
    select count(*)::int as days from app_openings where app_id = ${clock}
  `;
  assert.ok(days === 3 || days === 4, "what is older than 90 days is swept");
  assert.deepEqual([(await ask("GET", LIST)).body, (await ask("GET", `${LIST}?ids=`)).body], [[], []]);
  const { token } = await addPerson(ask, "guest");
  assert.equal((await as(ask, token)("GET", `${LIST}?ids=${clock}`)).status, 403);
  await inTurn(
    ["?ids=x", "?ids=,", `?ids=${Array(201).fill(clock.replace(/^.{4}/, "0000")).join()}x`],
    async (query) => assert.equal((await ask("GET", LIST + query)).status, 400, query),
  );
  await open(`/a/${clock}`);
  assert.equal((await ask("DELETE", `/platform/apps/${clock}.json`)).status, 204);
  await server.sweep();
  assert.ok(!server.logged.some((line) => line.includes("openings_not_written")), "an app that is deleted meanwhile");
});

inAccount("openings: those that could not be written are kept for the next time", async ({ ask, server }) => {
  const { id } = made(await ask("POST", "/platform/apps.json", { json: { app: JS } }));
  const { sql } = server;
  const total = async () => (await ask("GET", `/platform/apps/${id}/openings.json`)).body.total;
  await ask("GET", `/a/${id}`, { token: null });
  await sql`alter table app_openings rename to away`;
  await assert.rejects(server.sweep());
  await until(() => server.logged.some((line) => line.includes("openings_not_written")), "the failure is logged");
  await sql`alter table away rename to app_openings`;
  await server.sweep();
  assert.equal(await total(), 1);
  const other = createOpeningCounter({ sql, clock: { now: () => new Date() }, log: createLog(() => {}) });
  other.count(id);
  other.count(id);
  await other.close();
  assert.equal(await total(), 3, "a process that stops writes what it has counted");

  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let now = midnight - 5;
  const third = createOpeningCounter({ sql, clock: { now: () => new Date(now) }, log: createLog(() => {}) });
  const countOn = async (ms: number) => {
    const [row] = await sql<{ count: number }[]>`
      select count from app_openings where app_id = ${id} and day = ${new Date(ms).toISOString().slice(0, 10)}::date
    `;
    return row?.count ?? 0;
  };
  const before = await countOn(now);
  third.count(id);
  await until(async () => await countOn(now) === before + 1, "the day's end is a time to write");
  const day = await countOn(midnight);
  now = midnight;
  third.count(id);
  await third.close();
  assert.equal(await countOn(midnight), day + 1);
});
