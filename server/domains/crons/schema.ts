/** Shapes of triggers in requests and responses. */
import { z } from "zod";
import { KnownWebhook, Webhook } from "./webhooks/schema.ts";
import {
  CATCH_UP_S,
  LEDGER_STATES,
  MAX_FAILURES,
  OUTCOMES,
  OVERLAPS,
  RecordSettings,
  TRIGGER_KINDS,
} from "../../schedule/schedule.ts";
import { tooLong } from "../../input/messages.ts";
import {
  ById,
  Id,
  InDepartment,
  isStorable,
  LockVersion,
  Moment,
  Name,
  NOT_STORABLE,
  page,
  text,
  Timestamp,
  Uuid,
} from "../../input/shapes.ts";

/** Characters of JSON: lists of triggers contain the inputs. */
const MOST_INPUT = 16_384;
/** An input by hand may be a delivery, which is longer. */
const MOST_TEST_INPUT = 262_144;
const MOST_CRONS = 100;
/** Due times of a strip. */
export const SLOTS = 100;
const LONGEST_CATCH_UP_S = 7 * 24 * 3_600;

const TargetCode = text(100).refine((code) => code.trim() !== "", "can't be blank")
  .describe("Code of the flow").meta({ examples: ["watch"] });

const written = {
  kind: z.enum(TRIGGER_KINDS).describe(
    "What starts the flow `target_code`: `flow` its schedule, `webhook` a request to a secret address, `record` changes " +
      "of records. It cannot be changed",
  ),
  target_code: TargetCode,
  input: z.record(z.string(), z.json()).nullable()
    .refine((input) => JSON.stringify(input).length <= MOST_INPUT, tooLong(MOST_INPUT))
    .refine(isStorable, NOT_STORABLE)
    .describe(
      'The input of its runs; null: `{ kind: "cron", cron_id }`. What an event brings is beside it: of a webhook `body` ' +
        "and others, of changed records `changes`",
    ).meta({ examples: [null] }),
  schedule: text(1_000).refine((value) => value.trim() !== "", "can't be blank")
    .nullable()
    .describe("Five fields: minute, hour, day of the month, month, day of the week. Null unless `kind` is `flow`").meta(
      {
        examples: ["0 9 * * MON-FRI"],
      },
    ),
  name: Name.nullable().meta({ examples: ["Every working day"] }),
  webhook: Webhook.nullable().optional().meta({ examples: [null] }),
  record: RecordSettings.nullable().optional().describe(
    "Which changes of records start the flow; for `kind` `record` only. Replaced as a whole",
  ).meta({ examples: [null] }),
  timezone: text(100).describe("IANA name of the time zone that the schedule is in").meta({
    examples: ["Europe/Warsaw"],
  }),
  active: z.boolean().describe("Whether it runs").meta({ examples: [true] }),
  overlap: z.enum(OVERLAPS).describe(
    "What happens to a due time, or to changes of records, while the previous run has not ended. Without one: `skip` for " +
      "`flow`, `allow` for `webhook`, `queue` for `record`",
  ),
  catch_up: z.int().min(0).max(LONGEST_CATCH_UP_S)
    .describe("Seconds after the due time within which a run is still started; 0: only in its own minute")
    .meta({ examples: [CATCH_UP_S] }),
  max_failures: z.int().min(1).max(1_000).nullable()
    .describe("Failures in a row after which the trigger pauses; null: never").meta({ examples: [MAX_FAILURES] }),
  department_id: Id.nullable().meta({ examples: [null] }),
};

export const NewCron = z.object(written).partial().extend({
  target_code: written.target_code,
}).refine(({ kind = "flow", schedule }) => kind !== "flow" || (schedule ?? null) !== null, {
  path: ["schedule"],
  error: "can't be blank",
  // Also where another field has a fault, so that all are reported at once.
  when: ({ value }) => typeof value === "object" && value !== null,
});
export type NewCron = z.output<typeof NewCron>;

export const CronChanges = z.object(written).partial().extend({
  lock_version: LockVersion.optional(),
});
export type CronChanges = z.output<typeof CronChanges>;

const LastStatus = z.enum(["pending", ...OUTCOMES, "skipped"]);

export const ListedCron = z.object({
  id: Id,
  ...written,
  webhook: KnownWebhook.nullable().describe("How deliveries are proven and answered; null for other kinds")
    .meta({ examples: [null] }),
  record: RecordSettings.nullable().describe("Which changes of records start the flow; null for other kinds")
    .meta({ examples: [null] }),
  target_code: z.string().meta({ examples: ["watch"] }),
  author_id: Id.nullable()
    .describe(
      "The user who wrote `target_code` or `record` last; null if that user was deleted. The trigger starts only flows, " +
        "and passes on only changes of records, that this user sees",
    ),
  sentence: z.string().describe("The schedule in words, or what else starts the flow").meta({
    examples: ["At 09:00, Monday through Friday"],
  }),
  next_run_at: Timestamp.nullable().describe("Null while the trigger is not active"),
  last_run_at: Timestamp.nullable().describe("Start of the latest run, by hand or not"),
  last_status: LastStatus.nullable()
    .describe("Of that run; `skipped` if the flow could not be started at a later due time, whose ledger row says why"),
  obstacle: z.string().nullable().describe("Why the trigger cannot start its flow at present; null if it can")
    .meta({ examples: [null] }),
  failures: z.int().describe("In a row").meta({ examples: [0] }),
  paused_reason: z.string().nullable().describe("Why the server paused the trigger").meta({ examples: [null] }),
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ListedCron = z.output<typeof ListedCron>;

export const Cron = ListedCron.extend({
  webhook_url: z.string().nullable()
    .describe("The secret address of a webhook trigger, shown once: after its creation and after a rotation")
    .meta({ examples: [null] }),
  next_times: z.array(Timestamp).describe("The next five due times; empty while the trigger is not active"),
});
export type Cron = z.output<typeof Cron>;

export const CronPage = page(["id", "-id", "next_run_at", "-next_run_at", "created_at", "-created_at"]).extend({
  q: text(255).optional().describe("Part of the name, the sentence, the time zone, or the code or name of the flow")
    .meta({ examples: ["monday"] }),
  target_code: text(100).optional().describe("Only triggers of this flow").meta({ examples: ["watch"] }),
  active: z.boolean().optional(),
  department_id: InDepartment,
});
export type CronPage = z.output<typeof CronPage>;

export const CronRunPage = page(["-due_at", "due_at"]).extend({
  id: Id,
  from: Moment.optional().describe("Only what was due at this moment or later"),
  to: Moment.optional().describe("Only what was due before this moment"),
  irregular: z.boolean().default(false).describe(
    "Only what did not run in time, was started by hand, or whose run did not finish",
  ),
});
export type CronRunPage = z.output<typeof CronRunPage>;

/** A row of the ledger. */
export const CronRun = z.object({
  id: z.int().meta({ examples: [1] }),
  due_at: Timestamp,
  due_until: Timestamp.nullable().describe(
    "Of a row for several due times that were missed, or for changes that were skipped: the last one",
  )
    .meta({ examples: [null] }),
  slots: z.int().describe("How many due times, or changes of records, the row stands for").meta({ examples: [1] }),
  state: z.enum(LEDGER_STATES),
  by_hand: z.boolean().meta({ examples: [false] }),
  reason: z.string().nullable().meta({ examples: [null] }),
  flow_process_id: Uuid.nullable(),
  outcome: z.enum(OUTCOMES).nullable().describe("Null if no run was started or the run has not ended"),
  started_at: Timestamp.nullable(),
});
export type CronRun = z.output<typeof CronRun>;

/** The latest due times of triggers. */
export const OfCrons = z.object({
  ids: text(MOST_CRONS * 11).default("").transform((list) =>
    list === "" ? [] : [...new Set(list.split(",").map(Number))]
  )
    .pipe(z.array(Id).max(MOST_CRONS))
    .describe(`Ids of triggers, separated by commas; at most ${MOST_CRONS}`)
    .meta({ examples: ["1,2"] }),
});
export type OfCrons = z.output<typeof OfCrons>;

export const CronSlots = z.object({
  cron_id: Id,
  next_times: z.array(Timestamp).describe("The next five due times; empty while the trigger is not active"),
  ahead: z.array(z.int()).describe(
    "How many due times each quarter of an hour of the next 24 hours has, from now on; empty while the trigger is not " +
      "active, and for triggers without a schedule",
  ).meta({ examples: [[0, 1, 0]] }),
  slots: z.array(z.object({
    due_at: Timestamp,
    state: z.enum([...LEDGER_STATES, "failed"]).describe("`failed`: a run was started and ended with an error"),
  })).describe(`The latest ${SLOTS} due times, or events, of the ledger, the oldest first`),
});
export type CronSlots = z.output<typeof CronSlots>;

const Slots = z.int().meta({ examples: [24] });

/** A day of a trigger's calendar. */
export const CronDay = z.object({
  day: z.iso.date().describe("In the trigger's time zone").meta({ examples: ["2026-11-22"] }),
  from: Timestamp,
  to: Timestamp,
  ran: Slots,
  late: Slots,
  queued: Slots,
  skipped: Slots,
  missed: Slots,
  failed: Slots.describe("Those among `ran` and `late` whose run ended with an error"),
});
export type CronDay = z.output<typeof CronDay>;

export const ScheduleQuery = z.object({
  schedule: text(1_000).default("* * * * *").describe("Five fields").meta({ examples: ["0 9 * * MON-FRI"] }),
  timezone: text(100).default("UTC").meta({ examples: ["Europe/Warsaw"] }),
  count: z.int().min(1).max(100).default(10).describe("How many due times"),
  from: Moment.optional().describe("The due times after this moment; now by default"),
});
export type ScheduleQuery = z.output<typeof ScheduleQuery>;

export const ReadSchedule = z.object({
  sentence: z.string().meta({ examples: ["At 09:00, Monday through Friday"] }),
  next_times: z.array(Timestamp),
});
export type ReadSchedule = z.output<typeof ReadSchedule>;

export const Firing = ById.extend({
  input: z.record(z.string(), z.json()).optional()
    .refine((input) => input === undefined || JSON.stringify(input).length <= MOST_TEST_INPUT, tooLong(MOST_TEST_INPUT))
    .refine(isStorable, NOT_STORABLE)
    .describe("The input of this run, instead of the trigger's").meta({ examples: [{ base: "EUR" }] }),
});
export type Firing = z.output<typeof Firing>;

export const Fired = z.object({ flow_process_id: Uuid, status: z.enum(["pending"]) });
export type Fired = z.output<typeof Fired>;
