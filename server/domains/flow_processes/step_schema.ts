/** The steps of a run. */
import { z } from "zod";
import { OPERATORS, STEP_STATUSES } from "../../flow/flow.ts";
import { Timestamp } from "../../input/shapes.ts";

export const Milliseconds = z.int().min(0).meta({ examples: [12] });

const Compared = z.object({
  left: z.unknown().meta({ examples: [4.7] }),
  operator: z.enum(OPERATORS).meta({ examples: ["gt"] }),
  right: z.unknown().optional().describe("Left out for an operator with one side").meta({ examples: [4.5] }),
  holds: z.boolean().meta({ examples: [true] }),
  shortened: z.boolean().optional().describe("True if a side is longer than 500 characters and is not kept as a whole"),
});

const Call = z.object({
  method: z.string().meta({ examples: ["GET"] }),
  url: z.string().describe("Without the connector's secret; at most 1,000 characters").meta({
    examples: ["https://api.example.com/rates/EUR?key=[redacted]"],
  }),
  headers: z.record(z.string(), z.string())
    .describe("Of the latest answer, without cookies and secrets; at most 2,000 characters").meta({
      examples: [{ "content-type": "application/json" }],
    }),
  attempts: z.array(z.object({
    status: z.int().nullable().describe("Of the answer; null without one").meta({ examples: [200] }),
    error: z.string().nullable().meta({ examples: [null] }),
    started_at: Timestamp,
    ms: Milliseconds,
  })).describe("By the process that completed the step; waits between them are not part of their time"),
  shortened: z.boolean().optional().describe("True if the address or a header is not kept as a whole"),
});

export const Step = z.object({
  place: z.string().describe("The step's id; inside a `for_each` with the iteration: `each.3.rates`").meta({
    examples: ["rates"],
  }),
  id: z.string().meta({ examples: ["rates"] }),
  type: z.string().meta({ examples: ["connector"] }),
  name: z.string().nullable().meta({ examples: [null] }),
  status: z.enum(STEP_STATUSES).describe("`cancelled`: the run was cancelled, or ended otherwise, before the step did")
    .meta({ examples: ["finished"] }),
  input: z.unknown().describe("The step's values after its templates were filled").meta({
    examples: [{ params: { base: "EUR" } }],
  }),
  output: z.unknown().meta({ examples: [{ mid: 4.2 }] }),
  http_status: z.int().nullable().describe("The status of a connector's answer").meta({ examples: [200] }),
  warnings: z.array(z.string()).meta({ examples: [[]] }),
  error: z.string().nullable().meta({ examples: [null] }),
  truncated: z.boolean().optional().describe(
    "True if the output is left out: of all steps together, 4 MiB of outputs are kept",
  ),
  compared: z.array(Compared).optional().describe(
    "Of an `if`: its comparisons in the order of their evaluation, up to the one that decided it; the latest 20",
  ),
  console: z.array(z.string()).optional().describe(
    "Of a code step: what it has written to its console, 100 lines of 1,000 characters",
  ),
  call: Call.optional().describe(
    "Of a connector step that has sent a request. Of all steps together, 1 MiB of `compared` and `call` is kept",
  ),
  begun: z.object({
    until: z.string().meta({ examples: ["2026-01-31T09:00:00.000+00:00"] }),
    awaits: z.string().nullable().describe("The id of the approval or run that it waits for").meta({
      examples: [null],
    }),
  }).optional().describe("Of a step at which the run waits or has waited: until when at the latest, and for what"),
  attempts: z.int().meta({ examples: [1] }),
  started_at: Timestamp,
  ms: Milliseconds,
});
