import { z } from "zod";
import { Id, page, Timestamp } from "../../../input/shapes.ts";
import { RUNS_AS } from "../../../reach.ts";

const Version = z.int().min(1).max(2_147_483_647).meta({ examples: [1] });

/** A state that a change of the program, of what it declares or of `runs_as` has replaced. */
export const ListedFlowVersion = z.object({
  version: Version,
  author_id: Id.nullable().describe("The user who wrote it; null if that user was deleted"),
  runs_as: z.enum(RUNS_AS),
  created_at: Timestamp.describe("When it was written"),
  replaced_at: Timestamp.nullable().describe("When the next version replaced it; null for the present one"),
});
export type ListedFlowVersion = z.output<typeof ListedFlowVersion>;

const Declared = z.record(z.string(), z.unknown()).nullable().meta({ examples: [null] });

export const FlowVersion = ListedFlowVersion.extend({
  input: Declared.describe("The JSON Schema of a run's input"),
  output: Declared.describe("The JSON Schema of a run's data"),
  secret_inputs: z.array(z.string()).describe("Names of inputs that are never shown").meta({ examples: [[]] }),
  on_failure: z.string().nullable().describe("The flow that is called when a run fails").meta({ examples: [null] }),
  program: z.array(z.unknown()).describe("As it was written").meta({
    examples: [[{ type: "return", data: { price: "{input.price}" } }]],
  }),
});
export type FlowVersion = z.output<typeof FlowVersion>;

/** Two versions side by side. */
export const FlowVersionDiff = z.object({
  before: FlowVersion.describe("The older of the two"),
  after: FlowVersion.describe("The newer of the two"),
});
export type FlowVersionDiff = z.output<typeof FlowVersionDiff>;

export const FlowVersionPage = page(["-version", "version"]).extend({ id: Id });
export type FlowVersionPage = z.output<typeof FlowVersionPage>;

export const ByFlowVersion = z.object({ id: Id, version: Version });
export const FlowVersionPair = ByFlowVersion.extend({
  against: Version.optional().describe("The version to compare with; the present one by default"),
});
export type FlowVersionPair = z.output<typeof FlowVersionPair>;
