import { z } from "zod";
import { RUN_STATUSES, TRIGGERS } from "../../flow/flow.ts";
import { RUNS_AS } from "../../reach.ts";
import { PERIODS } from "../../schedule/schedule.ts";
import { Id, InDepartment, JsonObject, Moment, text, Timestamp, Uuid } from "../../input/shapes.ts";
import { LAST_PAGE } from "./last_page.ts";
import { Milliseconds, Step } from "./step_schema.ts";

const FlowCode = text(100).meta({ examples: ["watch"] });
const Status = z.enum(RUN_STATUSES).describe(
  "`pending` while it is worked on or about to be, `waiting` at a step that waits or while other runs of its flow come " +
    "first, `finished`, `error` or `cancelled`",
).meta({ examples: ["finished"] });
const Trigger = z.enum(TRIGGERS).meta({ examples: ["action"] });

/** A run as listed. Source: spec, "Flow runs can be inspected". */
export const FlowProcess = z.object({
  id: Uuid,
  flow_code: FlowCode,
  flow_version: z.int().describe("The version of the program that it executes").meta({ examples: [1] }),
  status: Status,
  trigger: Trigger,
  error: z.string().nullable().describe("A sentence if the run failed or was cancelled").meta({ examples: [null] }),
  app_id: Uuid.nullable().describe("The app, for runs of actions"),
  action: z.string().nullable().describe("The action's name, for runs of actions").meta({ examples: ["refresh"] }),
  cron_id: Id.nullable().describe("The trigger, for runs of triggers"),
  user_id: Id.nullable().describe("The user who started it; null without a login and for triggers"),
  department_id: Id.nullable(),
  retry_of: Uuid.nullable().describe("The run that it repeats"),
  parent_id: Uuid.nullable().describe("The run whose step `flow` has started it"),
  failure_of: Uuid.nullable().describe("The failed run whose flow calls this one (`on_failure`)"),
  failure_run_id: Uuid.nullable().describe("Of a failed run: the run that its flow's `on_failure` has started"),
  attempts: z.int().describe("How many processes have executed it").meta({ examples: [1] }),
  failed_steps: z.int().nullable()
    .describe("Steps that failed, those included after which the flow went on; null until it has ended")
    .meta({ examples: [0] }),
  warnings: z.int().nullable().describe("How many warnings its steps have; null until it has ended")
    .meta({ examples: [0] }),
  started_at: Timestamp.nullable().describe("Null while it waits for its first step"),
  queued: z.boolean().describe("Whether it waits until other runs of its flow have ended (`max_at_once`)").meta({
    examples: [false],
  }),
  wake_at: Timestamp.nullable().describe("When it goes on at the latest; null unless it waits at a step"),
  finished_at: Timestamp.nullable().describe("Null until it has ended"),
  ms: Milliseconds.nullable().describe("Milliseconds from the first step to the end"),
});
export type FlowProcess = z.output<typeof FlowProcess>;

export const WholeFlowProcess = FlowProcess.extend({
  input: z.record(z.string(), z.unknown()).meta({ examples: [{ base: "EUR" }] }),
  data: z.unknown().describe("The run's data; null while it is pending").meta({ examples: [{ price: 4.2 }] }),
  steps: z.array(Step).describe("In the order of their execution"),
});
export type WholeFlowProcess = z.output<typeof WholeFlowProcess>;

const Declared = z.record(z.string(), z.unknown()).nullable().meta({ examples: [null] });

/** The version of a program that a run uses. */
export const UsedProgram = z.object({
  version: z.int().meta({ examples: [1] }),
  author_id: Id.nullable().describe("The user who wrote it; null if that user was deleted"),
  runs_as: z.enum(RUNS_AS),
  created_at: Timestamp,
  input: Declared.describe("The JSON Schema of its input"),
  output: Declared.describe("The JSON Schema of its data"),
  secret_inputs: z.array(z.string()).describe("Names of inputs that are never shown").meta({ examples: [[]] }),
  on_failure: z.string().nullable().describe("The flow that is called when a run fails").meta({ examples: [null] }),
  program: z.array(z.unknown()).describe("As it was written").meta({
    examples: [[{ type: "return", data: { price: "{input.price}" } }]],
  }),
});
export type UsedProgram = z.output<typeof UsedProgram>;

/** Which runs a list has. */
const filters = {
  flow_code: FlowCode.optional(),
  trigger: Trigger.optional(),
  cron_id: Id.optional().describe("Only runs of this trigger"),
  user_id: Id.optional().describe("Only runs that this user started"),
  department_id: InDepartment,
};

export const FlowProcessPage = z.object({
  page: z.int().min(1).max(LAST_PAGE).default(1),
  per_page: z.int().min(1).max(500).default(100),
  sort: z.enum(["-created_at"]).optional().describe("Newest first; there is no other order"),
  after: Uuid.optional().describe("The list starts after this run; `page` must be 1"),
  count: z.boolean().optional().describe(
    "Whether the runs are counted, for `X-Total-Count` and all of `Link`. Without it, up to 10,000 are. The link to the " +
      "next page is always sent",
  ),
  ...filters,
  status: Status.optional(),
  input: text(250).regex(/^[^=]+=/, "must be a name and a value, such as base=EUR").optional().describe(
    "Only runs that have ended whose input has this value: `name=value`, inside of objects `body.id=7`. Found are the " +
      "first 32 values of an input that are no lists, of at most some 190 characters",
  ).meta({ examples: ["base=EUR"] }),
  from: Moment.optional().describe("Only runs that were created at this moment or later"),
  to: Moment.optional().describe("Only runs that were created before this moment"),
});
export type FlowProcessPage = z.output<typeof FlowProcessPage>;

export const OutcomeQuery = z.object({
  ...filters,
  by: z.enum(PERIODS).default("day").describe(
    "The length of a period: `hour` for the last 48 hours, `day` for the last 31 days, `month` for the last 13 months",
  ),
  timezone: text(100).default("UTC").describe("Whose calendar the periods follow").meta({
    examples: ["Europe/Warsaw"],
  }),
});
export type OutcomeQuery = z.output<typeof OutcomeQuery>;

const Count = z.int().meta({ examples: [3] });

export const OutcomeCounts = z.object({
  from: Timestamp,
  to: Timestamp,
  finished: Count,
  error: Count,
  cancelled: Count,
}).describe("Runs that were created in this period and have ended");
export type OutcomeCounts = z.output<typeof OutcomeCounts>;

export const Retry = z.object({
  id: Uuid,
  from: z.enum(["start", "failed_step", "failed_items"]).default("start")
    .describe(
      "`failed_step` keeps the outputs of the steps before the failed one, `failed_items` all outputs except those of " +
        "steps that failed inside of a loop; an item that a `fail` step has ended is repeated as a whole. An output is " +
        "kept only for the same place and the same input",
    ),
  from_step: z.string().max(1000).optional()
    .describe(
      "The place of a step of the run: the outputs of the steps before it are kept in the same way; without `from`",
    ),
  input: JsonObject.optional().describe("Instead of the run's own").meta({ examples: [{ base: "USD" }] }),
  program: z.enum(["now", "then"]).default("now")
    .describe("`now`: the flow's current program; `then`: the one that the run used, for managers and admins"),
});
export type Retry = z.output<typeof Retry>;
