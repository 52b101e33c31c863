/** Shapes of retries of all failed runs that match a filter. */
import { z } from "zod";
import { Timestamp, Uuid } from "../../../input/shapes.ts";
import { FlowProcessPage } from "../schema.ts";

/** Runs that one retry of many repeats. */
export const MOST_RUNS = 10_000;

const { flow_code, trigger, cron_id, user_id, department_id, input, from, to } = FlowProcessPage.shape;
/** Strict: with a misspelled filter, all failed runs would be repeated. */
export const RunsToRetry = z.strictObject({ flow_code, trigger, cron_id, user_id, department_id, input, from, to });

export const NewRetryOfMany = RunsToRetry.extend({
  id: Uuid.optional().describe("Chosen by the client. The same request again starts nothing twice"),
}).describe("Filters as in the list of runs. Failed runs are repeated that were not repeated before");

const Count = z.int().min(0).meta({ examples: [3] });

export const RetryOfMany = z.object({
  id: Uuid,
  state: z.enum(["running", "interrupted", "finished", "cancelled"]).describe(
    "`interrupted`: its process has ended; the same request again continues it",
  ).meta({ examples: ["running"] }),
  total: Count.describe("The failed runs that matched at its begin; at most 10,000, and no more are repeated"),
  done: Count.describe("Those that were repeated or refused"),
  refused: Count,
  refusals: z.array(z.object({ id: Uuid, reason: z.string().meta({ examples: ["flow_code names no active flow"] }) }))
    .describe("The first 20"),
  created_at: Timestamp,
});
export type RetryOfMany = z.output<typeof RetryOfMany>;
export type Refusals = RetryOfMany["refusals"];
