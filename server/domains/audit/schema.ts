/** Shapes of the audit log. */
import { z } from "zod";
import { WAYS } from "../../actor.ts";
import { Id, Moment, text, Timestamp, Uuid } from "../../input/shapes.ts";

const Word = text(100).regex(/^[a-z_]+$/);
const Fields = z.record(z.string(), z.unknown()).nullable();

export const AuditEntry = z.object({
  id: Uuid,
  at: Timestamp,
  action: z.string().describe("create, update, delete, batch, sign_in, sign_in_failed, sign_out, view_as or test_step")
    .meta({ examples: ["update"] }),
  object: z.string().describe("What was changed: department, user_setting, record, …")
    .meta({ examples: ["department"] }),
  object_id: z.string().nullable().describe("Null for a sign-in with an unknown login").meta({ examples: ["12"] }),
  db_id: Id.nullable().describe("The database of a record").meta({ examples: [null] }),
  user_id: Id.nullable().describe("Who acted; null without a login, and for what acts without a request"),
  user_name: z.string().nullable().describe("That user's present name; null without a user, and for a deleted one")
    .meta({ examples: ["Ada Example"] }),
  via: z.enum(WAYS).describe(
    "How the user proved itself; `run`: a flow's step; `command`: `deno task …`; `server`: the server itself",
  ).meta({ examples: ["token"] }),
  via_id: z.string().nullable().describe("The id of the session, the token or the run").meta({ examples: ["3"] }),
  agent: z.string().nullable().describe("The agent that called `/mcp`, as it names itself").meta({ examples: [null] }),
  agent_session_id: Uuid.nullable().describe("The agent's session").meta({ examples: [null] }),
  undone_session_id: Uuid.nullable().describe("Of an undo: the session of an agent whose changes were undone").meta({
    examples: [null],
  }),
  app_id: Uuid.nullable().describe("The app whose page sent the request").meta({ examples: [null] }),
  address: z.string().nullable().describe("The caller's IP address").meta({ examples: ["192.0.2.1"] }),
  request_id: z.string().nullable().describe("The answer's `X-Request-Id`").meta({ examples: ["4f1c2a9d1e55-1"] }),
  before: Fields.describe("The changed fields before; for memberships the removed ids. Null for a create")
    .meta({ examples: [{ name: "Sales" }] }),
  after: Fields.describe("The changed fields after; for memberships the added ids. Null for a delete")
    .meta({ examples: [{ name: "Sales EU" }] }),
});
export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditPage = z.object({
  page: z.int().min(1).max(1_000).default(1),
  per_page: z.int().min(1).max(500).default(100),
  sort: z.enum(["-created_at"]).optional().describe("Newest first; there is no other order"),
  after: Uuid.optional().describe("Keyset pagination: the list begins after this entry, and `page` must be 1"),
  count: z.boolean().default(false).describe("Also counts, and sends `X-Total-Count` and `Link`"),
  user_id: Id.optional().describe("Only what this user did"),
  object: Word.optional().describe("Only changes of this kind of object").meta({ examples: ["department"] }),
  object_id: text(100).optional().describe("Only changes of this object; needs `object`").meta({ examples: ["12"] }),
  action: Word.optional().meta({ examples: ["update"] }),
  agent_session_id: Uuid.optional().describe("Only what an agent did in this session"),
  from: Moment.optional().describe("Not before this moment"),
  to: Moment.optional().describe("Before this moment"),
});
export type AuditPage = z.output<typeof AuditPage>;
