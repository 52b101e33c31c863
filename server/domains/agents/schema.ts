/** Shapes of agents' sessions and of the calls that a person confirms. */
import { z } from "zod";
import { Id, page, Timestamp, Uuid } from "../../input/shapes.ts";

/** What an agent may change, in the words of the audit log. */
export const CHANGED = ["app", "db", "flow", "cron", "record"] as const;
export type Changed = typeof CHANGED[number];

export const AgentSession = z.object({
  id: Uuid,
  name: z.string().describe("The client, as it names itself").meta({ examples: ["claude-code"] }),
  version: z.string().meta({ examples: ["2.1.0"] }),
  user_id: Id.describe("Whose token it uses"),
  user_name: z.string().meta({ examples: ["Ada Example"] }),
  changes: z.int().describe("How many changes it has made; at most 1,000 are counted").meta({ examples: [12] }),
  created_at: Timestamp,
  last_seen_at: Timestamp.describe("Updated with a delay of up to a minute"),
  ended_at: Timestamp.nullable().describe("Null until the client ends it"),
  undone_at: Timestamp.nullable().describe("Null until its changes are undone"),
});
export type AgentSession = z.output<typeof AgentSession>;

export const AgentSessionPage = page(["-created_at"]);
export type AgentSessionPage = z.output<typeof AgentSessionPage>;

/** What a person reads before it accepts a destructive call. */
export const Plan = z.object({
  title: z.string().meta({ examples: ["Delete the database guestbook"] }),
  effects: z.array(z.string()).max(50).describe("With counts").meta({ examples: [["214 records are deleted"]] }),
  state: z.string().describe("The state of the object that the plan was made for").meta({ examples: ["3"] }),
});
export type Plan = z.output<typeof Plan>;

export const Confirmation = z.object({
  id: Uuid,
  session_id: Uuid,
  agent: z.string().describe("The client, as it names itself").meta({ examples: ["claude-code"] }),
  user_id: Id.describe("Whose token the agent uses"),
  user_name: z.string().meta({ examples: ["Ada Example"] }),
  tool: z.string().meta({ examples: ["delete"] }),
  title: Plan.shape.title,
  effects: Plan.shape.effects,
  created_at: Timestamp,
  expires_at: Timestamp.describe("Until then it can be accepted, and the agent can make the call"),
});
export type Confirmation = z.output<typeof Confirmation>;

export const ConfirmationPage = page(["created_at"]);
export type ConfirmationPage = z.output<typeof ConfirmationPage>;

export const ConfirmationAnswer = z.object({
  id: Uuid,
  accept: z.boolean().describe("Whether the agent may make the call, once").meta({ examples: [true] }),
});
export type ConfirmationAnswer = z.output<typeof ConfirmationAnswer>;

export const AnsweredConfirmation = z.object({
  id: Uuid,
  accepted: z.boolean().meta({ examples: [true] }),
  answered_at: Timestamp,
});
export type AnsweredConfirmation = z.output<typeof AnsweredConfirmation>;

/** One object that a session has changed, and what an undo does to it. */
export const UndoStep = z.object({
  object: z.enum(CHANGED).meta({ examples: ["app"] }),
  object_id: z.string().meta({ examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] }),
  name: z.string().describe("The present name; of a deleted object the name that it had").meta({
    examples: ["Counter"],
  }),
  action: z.enum(["delete", "restore", "create", "none"]).describe(
    "`delete`: the session has created it; `restore`: it gets its fields from before the session; `create`: the session " +
      "has deleted it, and it is created with another id; `none`: nothing is left to undo",
  ),
  changes: z.int().describe("How often the session has changed it").meta({ examples: [3] }),
  obstacle: z.string().nullable().describe("Why it is left as it is; null if it is undone").meta({ examples: [null] }),
});
export type UndoStep = z.output<typeof UndoStep>;
