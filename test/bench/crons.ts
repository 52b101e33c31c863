/**
 * Triggers that are all due in the same minute: the time until all are claimed, and until all are started, with one and
 * with three processes on one PostgreSQL, and the peak memory of a process. A run is one inserted row.
 */
import { migrate } from "../../db/migrate.ts";
import { openDatabase } from "../../server/database/pool.ts";
import { createLog } from "../../server/log.ts";
import { startPostgres } from "../stage/postgres/postgres.ts";
import { print } from "../stage/print.ts";
import { addTriggers, startTicker } from "../schedule/tickers.ts";
import type { Round } from "../schedule/ticking.ts";
import type { Section } from "./measure/section.ts";
import { layOut, median } from "./measure/table.ts";

const ACCOUNTS = 20;
const PROCESSES = [1, 3];
/** Milliseconds until all are claimed. */
const AIM_MS = 5_000;

interface Options {
  rounds: number;
  /** Number of triggers that are due in the same minute. */
  triggers: number;
}

interface Row {
  processes: number;
  /** Until the last process finished claiming. Median of the rounds. */
  claimed_ms: number;
  /** Until the last run was inserted. Median of the rounds. */
  started_ms: number;
  /** Peak memory of one process over all rounds, in MB. */
  rss: number;
}

async function measureOne(url: string, processes: number, { rounds, triggers }: Options): Promise<Row> {
  const database = await openDatabase({ database_url: url, data_dir: "" }, createLog(() => {}));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => database.close());
  await migrate(database.sql);
  const sizes = Array.from({ length: ACCOUNTS }, () => Math.ceil(triggers / ACCOUNTS));
  await addTriggers(database.sql, sizes, "2026-11-21T10:00:00Z");
  const tickers = await Promise.all(Array.from({ length: processes }, (_, i) => startTicker(url, `ticker ${i}`)));
  tickers.forEach((ticker) => stack.use(ticker));
  // The first round warms up and does not count.
  const all = await Array.fromAsync(Array.from({ length: rounds + 1 }), async (_, minute) => {
    const time = `2026-11-21T10:${String(minute).padStart(2, "0")}:00Z`;
    const done = await Promise.all(tickers.map((ticker) => ticker.tick(time)));
    const started = done.reduce((sum, round) => sum + round.started, 0);
    if (started !== sizes.reduce((sum, size) => sum + size, 0)) throw new Error(`${started} were started`);
    return done;
  });
  const last = (figure: (round: Round) => number) => median(all.slice(1).map((done) => Math.max(...done.map(figure))));
  return {
    processes,
    claimed_ms: last(({ claimed_ms }) => claimed_ms),
    started_ms: last(({ ms }) => ms),
    rss: Math.max(...all.flat().map(({ rss }) => rss)),
  };
}

async function measureAll(stack: AsyncDisposableStack, options: Options) {
  const cluster = await startPostgres();
  if (!cluster) throw new Error("PostgreSQL is missing: apt-get install postgresql, or brew install postgresql");
  stack.defer(() => cluster.stop());
  const rows = await Array.fromAsync(PROCESSES, async (processes) => {
    print(`${options.triggers} triggers, processes: ${processes}`);
    return await measureOne(await cluster.createDatabase(`crons_${processes}`), processes, options);
  });
  return { postgres: cluster.version, options, rows };
}

function reportOf({ postgres, options, rows }: Awaited<ReturnType<typeof measureAll>>): string {
  return [
    layOut([
      ["processes", "all claimed, ms", "all started, ms", "peak MB a process", "aim"],
      ...rows.map(({ processes, claimed_ms, started_ms, rss }) => [
        String(processes),
        claimed_ms.toFixed(0),
        started_ms.toFixed(0),
        rss.toFixed(0),
        `<${AIM_MS} ms ${claimed_ms < AIM_MS ? "met" : "MISSED"}`,
      ]),
    ], 0),
    "",
    `${options.triggers} triggers of ${ACCOUNTS} accounts due in one minute, PostgreSQL ${postgres}, ` +
    `medians of ${options.rounds} minutes`,
  ].join("\n");
}

export const crons = (options: Options): Section => ({
  name: "crons",
  missing: undefined,
  async measure(stack) {
    const result = await measureAll(stack, options);
    return { result, report: reportOf(result) };
  },
});
