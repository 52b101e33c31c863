/** Shapes of what needs attention, of an account's activity, and of what it has. */
import { z } from "zod";
import { Timestamp, Uuid } from "../../input/shapes.ts";

export const Problem = z.object({
  kind: z.enum(["run", "trigger", "compile", "approval"]).describe(
    "`run`: the latest failed run of a flow; `trigger`: its last run failed, or the server has paused it; `compile`: " +
      "the last save of an app's source was refused, because it does not compile; `approval`: a run waits for an answer that no active user may give",
  ),
  id: z.string().describe("Of the run, the trigger or the app").meta({
    examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"],
  }),
  name: z.string().describe("Of the flow, the trigger or the app; the flow's code where there is no name").meta({
    examples: ["Watch rates"],
  }),
  flow_code: z.string().nullable().describe("Null for an app").meta({ examples: ["watch"] }),
  run_id: Uuid.nullable().describe("The failed run; null for an app, and for a trigger that was never started"),
  step: z.string().nullable().describe("The place of the step at which the run ended or waits").meta({
    examples: ["rates"],
  }),
  message: z.string().meta({ examples: ["The connector answered with status 502"] }),
  count: z.int().describe(
    "Failed runs of the flow, at most 500; failed runs of the trigger, or refused saves of the app, in a row; questions of the flow",
  )
    .meta({ examples: [1] }),
  at: Timestamp,
  action: z.enum(["retry", "open", "resume"]).describe("What the caller may do about it").meta({ examples: ["retry"] }),
});
export type Problem = z.output<typeof Problem>;

export const ProblemQuery = z.object({
  days: z.int().min(1).max(14).default(7).describe("Failed runs and refused saves of these last days"),
  per_page: z.int().min(1).max(100).default(20).describe("At most this many; there are no further pages"),
});
export type ProblemQuery = z.output<typeof ProblemQuery>;

const CountsBySlot = z.array(z.int()).meta({ examples: [[0, 12, 3]] });

export const Activity = z.object({
  from: Timestamp.describe("The beginning of the first slot"),
  minutes: z.int().describe("The length of a slot").meta({ examples: [15] }),
  started: CountsBySlot.describe(
    "Runs that have started in each of the 96 slots, the oldest slot first; the last one goes on",
  ),
  failed: CountsBySlot.describe("Those among them that have failed since"),
});
export type Activity = z.output<typeof Activity>;

/** Failed runs that one list of problems looks at. */
export const MOST_RUNS = 500;

/** Further objects of a kind are not counted. */
export const MOST_COUNTED = 1_000;

const Count = z.int().nullable().meta({ examples: [24] });

export const Counts = z.object({
  apps: Count,
  dbs: Count,
  flows: Count,
  connectors: Count,
  crons: Count,
  user_settings: Count.describe("Null for a user"),
  departments: Count.describe("Null for a user"),
  runs_in_progress: Count.describe("Those that wait are left out"),
});
export type Counts = z.output<typeof Counts>;
