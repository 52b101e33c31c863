/** Three processes on one PostgreSQL tick in the same minutes: each due time is started once, fairly by account. */
import assert from "node:assert/strict";
import { migrate } from "../../db/migrate.ts";
import { openDatabase, type Pool } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { createDatabase, on_postgres } from "../stage/harness.ts";
import { inTurn } from "../stage/scenario.ts";
import { addTriggers, startTicker } from "./tickers.ts";
import { until } from "../stage/until.ts";

/** The published figures are for `SCHEDULE_TRIGGERS=10000`. */
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
      // One account has nearly all triggers; the few of the others must not wait for them.
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
      // Each process takes accounts in turn, two batches of 64 at a time, so the few are among its first starts.
      assert.ok((late?.place ?? Infinity) <= 4 * 2 * 64, `the last of the few was number ${late?.place}`);

      // Clocks disagree, and one is set back.
      await Promise.all(["10:01:00", "10:01:59", "09:58:00"].map((time, i) => tickers[i]?.tick(`2026-11-21T${time}Z`)));
      await proveWhole(sql, 2 * TRIGGERS);

      // One process dies while it starts runs; the others start its rows after its lease.
      const letStarts = await holdStarts(sql, "one", "10:02");
      const dying = tickers[0]?.tick("2026-11-21T10:02:00Z").catch(() => undefined);
      const claims = () => sql`select 1 from cron_runs where due_at = '2026-11-21T10:02Z' limit 1`;
      await until(async () => (await claims()).length > 0, "it has claimed");
      const others = tickers.slice(1).map((ticker) => ticker.tick("2026-11-21T10:02:00Z"));
      const held = () => sql`select 1 from pg_locks where locktype = 'advisory' and not granted`;
      await until(async () => (await held()).length > 0, "it starts runs");
      tickers[0]?.kill();
      await letStarts();
      await Promise.all([dying, ...others]);
      await inTurn(["10:02:30", "10:02:59"], (time) => tickers[1]?.tick(`2026-11-21T${time}Z`));
      await sql`update crons set next_run_at = '2026-11-21T11:00:00Z' where next_run_at < '2026-11-21T11:00:00Z'`;
      await tickers[2]?.tick("2026-11-21T10:05:01Z");
      const [left] = await sql`select count(*) from cron_runs where started_at is null`;
      assert.equal(left?.count, 0, "whatever was claimed is started");
      const [slots] = await sql`select count(*), count(distinct (cron_id, due_at)) as different from cron_runs`;
      assert.deepEqual({ ...slots }, { count: 3 * TRIGGERS, different: 3 * TRIGGERS });
      // A takeover uses the same idempotency key and run id as the dead process, so the engine starts no second run.
      const [runs] = await sql`select count(distinct key) as keys, count(distinct run_id) as runs from starts`;
      assert.deepEqual({ ...runs }, { keys: 3 * TRIGGERS, runs: 3 * TRIGGERS });
    } finally {
      await database.close();
    }
  },
});

/** Makes a process wait before its starts of one minute. @returns ends the wait */
async function holdStarts(sql: Pool, process: string, minute: string): Promise<() => Promise<void>> {
  await sql.unsafe(`
    create function hold_start() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(1);
      return new;
    end $$;
    create trigger starts_hold before insert on starts for each row
    when (new.process = '${process}' and new.key like '%T${minute}Z') execute function hold_start();
  `);
  const connection = await sql.reserve();
  await connection`select pg_advisory_lock(1)`;
  return async () => {
    await connection`select pg_advisory_unlock(1)`;
    connection.release();
  };
}

/** Every due time is in the ledger once and was started once, with its own key. */
async function proveWhole(sql: Pool, count: number): Promise<void> {
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
