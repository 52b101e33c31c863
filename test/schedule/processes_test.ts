/** Three real processes on one PostgreSQL, ticking in the same minutes: no slot twice, none left out, fair. */
import assert from "node:assert/strict";
import { migrate } from "../../db/migrate.ts";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { createDatabase, on_postgres } from "../stage/harness.ts";
import { inTurn } from "../stage/scenario.ts";
import { addTriggers, startTicker } from "./tickers.ts";

/** `SCHEDULE_TRIGGERS=10000` is the size that the figures are about. */
const TRIGGERS = Number(Deno.env.get("SCHEDULE_TRIGGERS") ?? 2_000);
const FEW = 5;
const NAMES = ["one", "two", "three"];

Deno.test({
  name: `${TRIGGERS} triggers due in the same minute, three processes, one of which is killed`,
  ignore: !on_postgres,
  async fn() {
    const url = await createDatabase();
    const database = await openDatabase({ database_url: url, data_dir: "" }, createLog(() => {}));
    const { sql } = database;
    try {
      await migrate(sql);
      // One account has nearly all of them; of the others' few, none may come late.
      await addTriggers(sql, [TRIGGERS - 4 * FEW, FEW, FEW, FEW, FEW], "2026-11-21T10:00:00Z");
      await using processes = new AsyncDisposableStack();
      const tickers = await Promise.all(NAMES.map((name) => startTicker(url, name)));
      tickers.forEach((ticker) => processes.use(ticker));
      const minute = (time: string) => Promise.all(tickers.map((ticker) => ticker.tick(`2026-11-21T${time}Z`)));

      const rounds = await minute("10:00:00");
      assert.equal(rounds.reduce((sum, { claimed }) => sum + claimed, 0), TRIGGERS);
      assert.equal(rounds.reduce((sum, { started }) => sum + started, 0), TRIGGERS);
      await proveWhole(sql, TRIGGERS);
      const [late] = await sql<{ place: number }[]>`
        select max(place)::int as place
        from (
          select account_id, row_number() over (partition by process order by n) as place
          from starts
        ) s
        where account_id <> (select min(account_id) from starts)
      `;
      // Each process interleaves what it has claimed: the few come among the first, each lane's share before them.
      assert.ok((late?.place ?? Infinity) <= 4 * 2 * 64, `the last of the few was number ${late?.place}`);

      // Clocks that disagree, and one that goes back.
      await Promise.all(["10:01:00", "10:01:59", "09:58:00"].map((time, i) => tickers[i]?.tick(`2026-11-21T${time}Z`)));
      await proveWhole(sql, 2 * TRIGGERS);

      // One dies in the middle; what it had is done when its time is up.
      const dying = tickers[0]?.tick("2026-11-21T10:02:00Z").catch(() => undefined);
      const others = tickers.slice(1).map((ticker) => ticker.tick("2026-11-21T10:02:00Z"));
      await untilStarting(sql);
      tickers[0]?.kill();
      await Promise.all([dying, ...others]);
      await inTurn(["10:02:30", "10:02:59"], (time) => tickers[1]?.tick(`2026-11-21T${time}Z`));
      await sql`update crons set next_run_at = '2026-11-21T11:00:00Z' where next_run_at < '2026-11-21T11:00:00Z'`;
      await tickers[2]?.tick("2026-11-21T10:05:01Z");
      const [left] = await sql`select count(*) from cron_runs where started_at is null`;
      assert.equal(left?.count, 0, "whatever was claimed is started");
      const [slots] = await sql`select count(*), count(distinct (cron_id, due_at)) as different from cron_runs`;
      assert.deepEqual({ ...slots }, { count: 3 * TRIGGERS, different: 3 * TRIGGERS });
      // Whoever starts what a dead process had uses its key and its run, which the engine knows.
      const [runs] = await sql`select count(distinct key) as keys, count(distinct run_id) as runs from starts`;
      assert.deepEqual({ ...runs }, { keys: 3 * TRIGGERS, runs: 3 * TRIGGERS });
    } finally {
      await database.close();
    }
  },
});

/** The process that is to die has begun with the third minute. */
async function untilStarting(sql: Awaited<ReturnType<typeof openDatabase>>["sql"]): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const rows = await sql`select 1 from starts where process = 'one' and key like '%T10:02Z' limit 1`;
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("it has not begun with the third minute");
}

/** Every slot once in the ledger and once started, by its own key. */
async function proveWhole(sql: Awaited<ReturnType<typeof openDatabase>>["sql"], count: number): Promise<void> {
  const [row] = await sql`
    select
      (select count(*) from cron_runs) as slots,
      (select count(*) from cron_runs where state = 'ran' and started_at is not null) as ran,
      (select count(*) from starts) as starts,
      (select count(distinct key) from starts) as keys,
      (select count(*) from cron_runs r join starts s on s.run_id = r.flow_process_id) as same
  `;
  assert.deepEqual({ ...row }, { slots: count, ran: count, starts: count, keys: count, same: count });
}
