import { z } from "zod";
import { ById, Id, Name, Timestamp, Uuid } from "../../../input/shapes.ts";
import { Proposed } from "../checks/schema.ts";

export const FlowExample = z.object({
  id: Id,
  name: Name.meta({ examples: ["A rate above the limit"] }),
  run_id: Uuid.describe("The run that it was recorded from; runs are deleted after 14 days"),
  status: z.enum(["finished", "error"]).describe("How the run ended").meta({ examples: ["finished"] }),
  created_by_id: Id.nullable(),
  created_at: Timestamp,
});
export type FlowExample = z.output<typeof FlowExample>;

export const NewFlowExample = ById.extend({
  run_id: Uuid.describe("A run of the flow that has ended"),
  name: Name.optional().describe("The run's id by default").meta({ examples: ["A rate above the limit"] }),
});
export type NewFlowExample = z.output<typeof NewFlowExample>;

export const ByFlowExample = ById.extend({ example_id: Id });
export type ByFlowExample = z.output<typeof ByFlowExample>;

export const RenamedFlowExample = ByFlowExample.extend({ name: FlowExample.shape.name });
export type RenamedFlowExample = z.output<typeof RenamedFlowExample>;

export const ExamplesToCheck = ById.extend({ program: Proposed });
export type ExamplesToCheck = z.output<typeof ExamplesToCheck>;

const Difference = z.object({
  place: z.string().nullable().describe("Of the step; null for the outcome").meta({ examples: ["rates"] }),
  what: z.enum(["missing", "added", "type", "status", "input", "output", "error", "data"])
    .describe("`missing`: the step is not executed any more; `added`: it was not executed before")
    .meta({ examples: ["input"] }),
  before: z.unknown().meta({ examples: [{ params: { base: "EUR" } }] }),
  after: z.unknown().meta({ examples: [{ params: { base: "USD" } }] }),
  fails: z.boolean().describe("False for a step that computes: it may differ while the outcome is the same")
    .meta({ examples: [true] }),
});

const CheckedExample = z.object({
  id: Id,
  name: FlowExample.shape.name,
  ok: z.boolean().meta({ examples: [false] }),
  differences: z.array(Difference).describe("By step, 50 at most; values are shortened after 500 characters"),
});
export type CheckedExample = z.output<typeof CheckedExample>;

export const CheckedExamples = z.object({
  ok: z.boolean().describe("Whether no example fails").meta({ examples: [false] }),
  examples: z.array(CheckedExample).describe("Oldest first"),
});
export type CheckedExamples = z.output<typeof CheckedExamples>;
