import { z } from "zod";
import { Id, text } from "../../input/shapes.ts";
import { ROLES } from "../../viewer.ts";

/** In the order in which a user's objects are listed. */
export const TYPES = ["app", "action", "db", "connector", "flow", "cron", "run", "record"] as const;
export type Type = (typeof TYPES)[number];

const ObjectId = text(200).describe(
  "Its id; a database's code; for an action the app's id, a slash and the action's name",
).meta({ examples: ["guestbook"] });

/** Without `page`: a list of access has keyset pages only. */
export const AccessQuery = z.object({
  type: z.enum(TYPES).optional().describe("With `user_id` alone: only its objects of this type").meta({
    examples: ["db"],
  }),
  id: ObjectId.optional().describe("The object. Its users are listed"),
  user_id: Id.optional().describe(
    "The user; the caller unless `id` is given. What it can reach is listed; with `id`, whether it sees that object",
  ),
  after: text(200).optional().describe("Of the `Link` to the next page"),
  per_page: z.int().min(1).max(500).default(100),
}).refine(({ id, type }) => id === undefined || type !== undefined, { path: ["type"], message: "is needed with id" });
export type AccessQuery = z.output<typeof AccessQuery>;

const User = z.object({
  id: Id,
  login: z.string().meta({ examples: ["ada"] }),
  name: z.string().meta({ examples: ["Ada Example"] }),
  role: z.enum(ROLES).meta({ examples: ["user"] }),
});

export const Access = z.object({
  type: z.enum(TYPES).meta({ examples: ["db"] }),
  id: ObjectId,
  name: z.string().nullable().describe("Of the object; null for a record").meta({ examples: ["Guestbook"] }),
  user: User.nullable().describe("Null: everyone, without login"),
  sees: z.boolean().describe("Reads it: opens an app, calls an action").meta({ examples: [true] }),
  changes: z.boolean().describe("Changes or deletes it; cancels or repeats a run").meta({ examples: [false] }),
  rule: z.string().describe("What decides, in one sentence").meta({ examples: ["member of department Sales"] }),
});
export type Access = z.output<typeof Access>;

/** Types that are counted: those of lists. */
export const COUNTED = ["app", "db", "connector", "flow", "cron", "run", "record"] as const satisfies readonly Type[];
export type Counted = (typeof COUNTED)[number];

export const CountsQuery = z.object({
  user_id: Id.optional().describe("The user; the caller unless given"),
  role: z.enum(ROLES).optional().describe("With it, the user whom an invitation by the caller would create").meta({
    examples: ["user"],
  }),
  department_ids: z.string().regex(/^\d{1,9}(,\d{1,9}){0,99}$/).optional()
    .describe("Of the user to be invited, separated by commas").meta({ examples: ["1,2"] }),
  without_department: z.boolean().optional().describe("Of the user to be invited; as the caller's unless set"),
  db_code: text(100).optional().describe("Also counts the records of this database").meta({ examples: ["guestbook"] }),
}).refine(({ role, user_id }) => role === undefined || user_id === undefined, {
  path: ["role"],
  message: "cannot be given with user_id",
});
export type CountsQuery = z.output<typeof CountsQuery>;

const Count = z.int().min(0).meta({ examples: [3] });

export const AccessCounts = z.object({
  type: z.enum(COUNTED).meta({ examples: ["app"] }),
  visible: Count.describe("Objects that the user's lists show"),
  without_department: Count.describe("Objects that have no department, hidden ones included"),
  hidden_by: z.array(z.object({
    rule: z.string().describe("What the user lacks, in one sentence").meta({
      examples: ["not a member of department Sales"],
    }),
    count: Count,
  })).describe("The others, by the rule that hides them, the most first"),
  complete: z.boolean().describe("False: there are more than 10,000 runs or records, and only so many are counted")
    .meta({ examples: [true] }),
});
export type AccessCounts = z.output<typeof AccessCounts>;
