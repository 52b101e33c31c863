/** The latest runs of flows, and what uses them. */
import { z } from "zod";
import { RUN_STATUSES } from "../../../flow/flow.ts";
import { Id, text, Timestamp, Uuid } from "../../../input/shapes.ts";
import { UsedBy } from "../../uses/uses.ts";

/** Runs of a flow that an answer has. */
export const MOST_RUNS = 12;
const MOST_FLOWS = 100;

export const FlowActivity = z.object({
  flow_id: Id,
  used_by: UsedBy,
  runs: z.array(z.object({
    id: Uuid,
    status: z.enum(RUN_STATUSES).meta({ examples: ["finished"] }),
    finished_at: Timestamp,
    ms: z.int().describe("Milliseconds from the first step to the end").meta({ examples: [214] }),
  })).describe(`The latest ${MOST_RUNS} that have ended, oldest first`),
});
export type FlowActivity = z.output<typeof FlowActivity>;

export const OfFlows = z.object({
  ids: text(MOST_FLOWS * 11).default("").transform((list) =>
    list === "" ? [] : [...new Set(list.split(","))].map(Number)
  )
    .pipe(z.array(Id).max(MOST_FLOWS))
    .describe(`Ids of flows, separated by commas; at most ${MOST_FLOWS}`)
    .meta({ examples: ["1,2"] }),
});
