import { z } from "zod";
import { Id, JsonObject, text, Uuid } from "../../../input/shapes.ts";
import { Step } from "../../flow_processes/step_schema.ts";

const Messages = z.record(z.string(), z.array(z.string()));

/** Not checked by its shape: its faults are part of the answer. */
export const Proposed = z.array(z.unknown()).optional().describe("Instead of the saved one").meta({
  examples: [[{ type: "return", data: { price: "{input.price}" } }]],
});

export const Check = z.object({
  id: Id,
  program: Proposed,
  run_id: Uuid.optional().describe("The run whose values fill the templates; the flow's latest one by default"),
  step: text(40).optional().describe("The id of a step, whose names in scope are part of the answer").meta({
    examples: ["step_1"],
  }),
});
export type Check = z.output<typeof Check>;

const Rendered = z.object({
  path: z.string().meta({ examples: ["fields.program.0.data.price"] }),
  place: z.string().nullable().describe(
    "The latest place at which its step is executed with these values; null if it is not executed: then the values are " +
      "those at the end",
  ).meta({ examples: ["step_1"] }),
  template: z.string().meta({ examples: ["{input.price}"] }),
  value: z.unknown().meta({ examples: [4.2] }),
  shortened: z.boolean().describe("True if the value has more than 2,000 characters and is not shown as a whole").meta({
    examples: [false],
  }),
  warnings: z.array(z.string()).meta({ examples: [[]] }),
  error: z.string().nullable().meta({ examples: [null] }),
});

const InScope = z.object({
  path: z.string().describe("As a placeholder has it").meta({ examples: ["input.price"] }),
  value: z.unknown().describe("Shortened after 200 characters").meta({ examples: [4.2] }),
});

export const Checked = z.object({
  run_id: Uuid.nullable().describe("The run whose values were used; null if there is none"),
  errors: Messages.describe("By path: why the program cannot be saved").meta({ examples: [{}] }),
  warnings: Messages.describe("By path, as a save answers them").meta({ examples: [{}] }),
  rendered: z.array(Rendered).describe(
    "The templates with placeholders, in the order of the program, 500 at most; empty if there are errors of its form",
  ),
  scope: z.array(InScope).describe(
    "What the templates of `step` see: names, then what is in them, 300 at most; empty without `step`",
  ),
});
export type Checked = z.output<typeof Checked>;

export const StepToTest = z.object({
  id: Id,
  step: text(40).describe("The step's id, also of a step inside another one").meta({ examples: ["step_1"] }),
  program: Proposed,
  values: JsonObject.default({}).describe(
    "The names that the step's templates see: `input`, `json_object`, `steps`, and what mutations set. They go before " +
      "those of the run",
  ).meta({ examples: [{ input: { price: 4.2 } }] }),
  run_id: Uuid.optional().describe("A run whose values the step sees where `values` says nothing else"),
});
export type StepToTest = z.output<typeof StepToTest>;

export const TestedStep = z.object({
  status: z.enum(["finished", "error"]).meta({ examples: ["finished"] }),
  output: z.unknown().describe("The step's").meta({ examples: [{ price: 4.2 }] }),
  error: z.string().nullable().meta({ examples: [null] }),
  steps: z.array(Step).describe("The step, then the steps inside it that were executed"),
});
export type TestedStep = z.output<typeof TestedStep>;

/** An answer that a dry run is given, by the place or the id of its step. */
export const GivenAnswer = z.strictObject({
  body: z.json().default(null).describe("The step's output").meta({ examples: [{ mid: 4.2 }] }),
  status: z.int().min(100).max(599).nullable().default(null).describe("The status of a connector's answer").meta({
    examples: [200],
  }),
  error: z.string().nullable().default(null).describe("The step fails with this sentence").meta({ examples: [null] }),
});
