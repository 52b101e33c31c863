/**
 * A process that ticks on a PostgreSQL database. It reads one time per line from standard input, sets its clock to it,
 * ticks, and answers with one line of JSON. Runs are only recorded in the table `starts`.
 */
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { createSchedules } from "../../server/schedule/schedule.ts";

export interface Round {
  claimed: number;
  started: number;
  /** Milliseconds until the first start, when the process has claimed all that it can. */
  claimed_ms: number;
  ms: number;
  /** Peak resident memory during the tick, in MB. */
  rss: number;
}

if (import.meta.main) {
  const [database_url = "", name = ""] = Deno.args;
  const log = createLog((text) => Deno.stderr.writeSync(new TextEncoder().encode(text)));
  const database = await openDatabase({ database_url, data_dir: "" }, log);
  const { sql } = database;
  let now = new Date(0);
  let first: number | undefined;
  let rss = 0;
  const look = () => rss = Math.max(rss, Deno.memoryUsage().rss / 1024 / 1024);
  const schedules = createSchedules({
    sql,
    log,
    clock: { now: () => now },
    flows: {
      async start({ id = "", idempotency_key = "", account_id, cron_id = 0 }) {
        first ??= performance.now();
        await sql`
          insert into starts (key, run_id, account_id, cron_id, process)
          values (${idempotency_key}, ${id}, ${account_id}, ${cron_id}, ${name})
        `;
        return { id };
      },
      wait: () => Promise.resolve(undefined),
    },
  });
  const answer = (value: unknown) => Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  await sql`select 1`;
  answer("ready");
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    for (const line of text.split("\n").filter(Boolean)) {
      now = new Date(line);
      [first, rss] = [undefined, 0];
      const sampling = setInterval(look, 20);
      const began = performance.now();
      const { claimed, started } = await schedules.tick();
      const ms = performance.now() - began;
      clearInterval(sampling);
      look();
      const round: Round = { claimed, started, claimed_ms: (first ?? performance.now()) - began, ms, rss };
      answer(round);
    }
  }
  await schedules.close();
  await database.close();
}
