/** Descriptions of step types, from which editors make their forms. */
import { z } from "zod";
import { FIELD_KINDS, NAMES_OF } from "../../../flow/flow.ts";

const Simple = z.object({
  key: z.string().meta({ examples: ["connector_code"] }),
  kind: z.enum(FIELD_KINDS).describe(
    "What the key holds: `values` are templates by name, `steps` a list of steps, `cases` lists of steps by name, " +
      "`connector`, `method`, `database`, `table` and `flow` name one, `json` is any JSON",
  ),
  required: z.boolean().meta({ examples: [true] }),
  template: z.boolean().describe("Whether strings in it are templates").meta({ examples: [false] }),
  common: z.boolean().describe("Whether steps of every type may have the key").meta({ examples: [false] }),
  description: z.string().nullable().meta({ examples: ["Seconds for each attempt"] }),
  default: z.json().optional().describe("The value of a key that is left out").meta({ examples: [30] }),
  options: z.array(z.string()).optional().describe("Of `choice` and `choices`"),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  names_of: z.enum(NAMES_OF).optional().describe(
    "Whose names the values have: parameters of the step's method, fields of its database, inputs of its flow",
  ),
  actions: z.array(z.string()).optional().describe(
    "The values of the step's `action` that use the key; absent if all do",
  ),
});

export const DescribedStep = z.object({
  type: z.string().meta({ examples: ["connector"] }),
  title: z.string().meta({ examples: ["Call a connector"] }),
  summary: z.string().meta({ examples: ["calls a method of another service"] }),
  icon: z.string().describe("A name of Lucide's icons").meta({ examples: ["plug"] }),
  group: z.enum(["values", "calls", "records", "branches", "loops", "waits", "ends"]),
  line: z.string().describe(
    "A step in one line: `{key}` stands for the value of a key; a part in brackets is left out where its key has no value",
  ).meta({ examples: ["Call {connector_code}: {method}[ with {params}]"] }),
  blank: z.record(z.string(), z.json()).describe("The keys of a new step, besides `type`").meta({
    examples: [{ connector_code: "", method: "", params: {} }],
  }),
  fields: z.array(
    Simple.extend({ fields: z.array(Simple).optional().describe("The keys of an `object`") }),
  ).describe("Keys of its steps. Lists of steps are executed in this order, `catch` last"),
  ends_run: z.boolean().meta({ examples: [false] }),
  asks_outside: z.boolean().describe("Whether such a step asks or changes something outside of the run").meta({
    examples: [true],
  }),
  waits: z.boolean().describe("Whether a run may wait for long at such a step").meta({ examples: [false] }),
});
