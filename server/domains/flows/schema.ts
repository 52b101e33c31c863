import { z } from "zod";
import { OVERLAPS_OF_RUNS, parseSchema, Program, RUN_STATUSES } from "../../flow/flow.ts";
import {
  ById,
  Id,
  InDepartment,
  JsonObject,
  LockVersion,
  Name,
  page,
  text,
  Timestamp,
  Uuid,
} from "../../input/shapes.ts";
import { RUNS_AS } from "../../reach.ts";
import { slug } from "../../input/slug.ts";
import { IdempotencyKey } from "../apps/schema.ts";
import { Step } from "../flow_processes/step_schema.ts";
import { GivenAnswer } from "./checks/schema.ts";
import { Force, UsedBy } from "../uses/uses.ts";

/** The only kind of flow. Source: spec, "Custom flow"; `<ns>` is `platform`. */
export const KIND = "platform/custom_flow";

/** Converted to a slug, like the code of a database. */
const Code = text(1000).transform((value) => slug(value, "_"))
  .refine((code) => code !== "", "can't be blank")
  .refine((code) => code.length <= 100, "is too long (maximum is 100 characters)")
  .meta({ examples: ["watch"] });

const PROGRAM = [
  { type: "connector", id: "rates", connector_code: "fx", method: "latest", params: { base: "EUR" } },
  {
    type: "if",
    condition: "{json_object.rates.0.mid} > 4.5",
    then: [{ type: "return", data: { high: true } }],
  },
];

/** Unknown keys are refused: a typo would silently change what the flow does. */
const Fields = z.strictObject({
  program: Program.describe("A list of steps; its JSON Schema is at `GET /schemas/flow.json`").meta({
    examples: [PROGRAM],
  }),
});

const INPUT = {
  type: "object",
  properties: {
    base: { type: "string", maxLength: 3, default: "EUR" },
    days: { type: "integer", minimum: 1, default: 7 },
  },
};
const OUTPUT = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };

/** A JSON Schema in a request body. The output is the author's JSON, unchanged. */
const Declared = z.record(z.string(), z.unknown()).superRefine((json, { addIssue }) => {
  const read = parseSchema(json);
  if ("schema" in read) return;
  for (const { path, message } of read.faults) addIssue({ code: "custom", path, message });
});

const InputSchema = Declared.refine(
  ({ type }) => type === undefined || type === "object",
  { path: ["type"], message: "must be object: the input of a run is an object" },
);

const SecretInputs = z.array(text(100).min(1)).max(20).transform((names) => [...new Set(names)]).describe(
  "Names of inputs that are stored encrypted and never shown; where a run repeats their values, it keeps `[redacted]`. " +
    "Part of a version",
).meta({ examples: [["password"]] });

const written = {
  kind: z.literal(KIND).meta({ examples: [KIND] }),
  code: Code,
  name: Name.meta({ examples: ["Watch the rate"] }),
  active: z.boolean().describe("Whether it may be started").meta({ examples: [true] }),
  fields: Fields,
  guarded: z.boolean().describe("Whether it is refused to save or activate a program under which an example fails")
    .meta({ examples: [false] }),
  max_at_once: z.int().min(1).max(1_000).nullable().describe(
    "How many runs of the flow may be in progress, those included that wait at a step; null: any number",
  ).meta({ examples: [null] }),
  overlap: z.enum(OVERLAPS_OF_RUNS).describe(
    "What happens to a run beyond `max_at_once`: with `queue` it waits for its turn, with `skip` it does not start: the " +
      "answer is 409, and the row of a trigger is `skipped`",
  ).meta({ examples: ["queue"] }),
  input: InputSchema.nullable().describe(
    "JSON Schema (2020-12, without `pattern`, remote or recursive `$ref`) of a run's input. An input that does not match " +
      "is 422 by field before a run begins; defaults are filled in. Null: any object. Part of a version",
  ).meta({ examples: [INPUT] }),
  output: Declared.nullable().describe(
    "JSON Schema of a run's data. A run whose data does not match ends with an error; defaults are filled in. Null: any " +
      "JSON. Part of a version",
  ).meta({ examples: [OUTPUT] }),
  secret_inputs: SecretInputs,
  on_failure: z.string().regex(/^[a-z0-9_]{1,100}$/).nullable().describe(
    "Code of the flow that is called with `flow_code`, `run_id`, `error`, `failed_steps` and `input` when a run ends in " +
      "error; never by a run that it has started. Part of a version",
  ).meta({ examples: [null] }),
  runs_as: z.enum(RUNS_AS)
    .describe(
      "`author`: with the reach of its author. `caller`: with what both its author and the user who starts it may see",
    ),
  department_id: Id.nullable().meta({ examples: [null] }),
  // Refused, because an unknown key is ignored at this level and the flow would be saved without its steps.
  program: z.unknown().optional().refine((value) => value === undefined, "belongs into fields").describe(
    "Not accepted here: the program belongs into `fields`",
  ),
};

export const NewFlow = z.object(written).partial().extend({ name: written.name });
export type NewFlow = z.output<typeof NewFlow>;

export const FlowChanges = z.object(written).partial().extend({
  lock_version: LockVersion.optional(),
  force: z.boolean().optional().describe("Saves or activates a guarded flow although an example fails"),
});
export type FlowChanges = z.output<typeof FlowChanges>;

/** A flow in a list. Programs may be large, so a list does not contain them. */
export const ListedFlow = z.object({
  id: Id,
  kind: z.literal(KIND),
  code: z.string().meta({ examples: ["watch"] }),
  name: written.name,
  active: written.active,
  guarded: written.guarded,
  secret_inputs: z.array(z.string()).describe("Names of inputs that are never shown").meta({ examples: [[]] }),
  on_failure: written.on_failure,
  max_at_once: written.max_at_once,
  overlap: written.overlap,
  version: z.int().min(1).describe("The number of the program's version").meta({ examples: [1] }),
  author_id: Id.nullable()
    .describe("The user who changed the program last, with whose reach it acts; null if that user was deleted"),
  runs_as: written.runs_as,
  department_id: written.department_id,
  lock_version: LockVersion,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ListedFlow = z.output<typeof ListedFlow>;

/** A JSON Schema as it was written. */
export const DeclaredSchema = z.record(z.string(), z.unknown()).nullable();

export const Flow = ListedFlow.extend({
  has_draft: z.boolean().describe("Whether the caller has a draft of it").meta({ examples: [false] }),
  used_by: UsedBy,
  input: DeclaredSchema.describe("What a run's input must match; null: any object").meta({ examples: [INPUT] }),
  output: DeclaredSchema.describe("What a run's data must match; null: any JSON").meta({ examples: [OUTPUT] }),
  fields: z.strictObject({ program: z.array(z.unknown()).meta({ examples: [PROGRAM] }) }),
  warnings: z.record(z.string(), z.array(z.string()))
    .describe("By path, connectors, methods, databases, tables and names that the program uses and that do not exist")
    .meta({ examples: [{ "fields.program.0.connector_code": ["names the connector fx, which is not there"] }] }),
});
export type Flow = z.output<typeof Flow>;

export const FlowPage = page(["name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"]).extend({
  department_id: InDepartment,
  q: text(255).optional().describe("Part of the name or code, without regard to case").meta({ examples: ["rate"] }),
  active: z.boolean().optional(),
});
export type FlowPage = z.output<typeof FlowPage>;

export const FlowToDelete = ById.extend({ force: Force });

export const FlowRun = z.object({
  id: Id,
  input: JsonObject.default({}).describe("The run's input, `{input}` in templates").meta({
    examples: [{ base: "EUR" }],
  }),
  idempotency_key: IdempotencyKey.optional()
    .describe(
      "The same as the header `Idempotency-Key`: a second call with it within 24 hours returns the first call's run",
    ),
  wait: z.boolean().default(true).describe("False: answers as soon as the run is stored, with the status `pending`"),
  dry_run: z.boolean().default(false).describe("Nothing leaves the server and nothing is stored"),
  answers: z.record(z.string().max(1000), GivenAnswer).optional().describe(
    "Of a dry run: what steps are answered with, by their place or id, such as " +
      '`{"rates": {"body": {"mid": 4.2}, "status": 200}}`. They go before recorded answers',
  ),
  run_id: Uuid.optional().describe("Of a dry run: the run whose recorded answers are used; the latest one by default"),
});
export type FlowRun = z.output<typeof FlowRun>;

/** The state of the run at its end, or after ACTION_WAIT_MS. */
export const RunAnswer = z.object({
  flow_process_id: Uuid.describe("Of a dry run the `{run.id}` that its templates saw; it cannot be inspected"),
  status: z.enum(RUN_STATUSES).meta({ examples: ["finished"] }),
  data: z.unknown().optional().describe("The data of a finished run, or of one that a `fail` step has ended with data")
    .meta({ examples: [{ rate: 4.2 }] }),
  error: z.string().optional().describe("The message of a run that failed or was cancelled"),
  steps: z.array(Step).optional().describe("Of a dry run: the steps that were executed"),
});
export type RunAnswer = z.output<typeof RunAnswer>;
