/** Routes of the figures of the whole server. */
import type { Context } from "../../context.ts";
import type { StatementTimes } from "../../database/statement_times.ts";
import { isoOf } from "../../database/iso_time.ts";
import { proveOperator } from "../../operator.ts";
import { adminProcedure, router } from "../../trpc.ts";
import { countQueues, listProcesses, listRunning, listSlowest, readBackground } from "./queries.ts";
import { Operations, OperationsQuery } from "./schema.ts";

export const operations = router({
  find: adminProcedure
    .meta({
      rest: "GET /account/operations.json",
      summary: "Read figures of the whole server",
      description:
        "Processes, queues, compile workers, the database and background work, for admins of the account that owns the " +
        "server, which is the oldest one. It names no account and nothing that belongs to one.",
    })
    .input(OperationsQuery)
    .output(Operations)
    .query(({ ctx, input }) => readOperations(ctx, input.database)),
});

const MOST_MEASURED = 20;
const LONGEST_TEXT = 500;

const measured = (times: StatementTimes): Operations["statements"]["measured"] =>
  times.slowest(MOST_MEASURED).map(({ text, ...time }) => ({
    ...time,
    text: text.replace(/\s+/g, " ").trim().slice(0, LONGEST_TEXT),
  }));

/** @throws {Refusal} 403 */
async function readOperations(ctx: Context, with_database: boolean): Promise<Operations> {
  await proveOperator(ctx);
  const { sql, clock, process_report, statement_times } = ctx;
  await process_report.write();
  const [processes, queues, database, running, slowest, background] = await Promise.all([
    listProcesses(sql),
    countQueues(sql),
    with_database ? process_report.database() : null,
    listRunning(sql),
    listSlowest(sql),
    readBackground(sql),
  ]);
  return {
    at: isoOf(clock.now().getTime()),
    processes,
    queues,
    database,
    statements: { running, measured: measured(statement_times), slowest },
    background,
  };
}
