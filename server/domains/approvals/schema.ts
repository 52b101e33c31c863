import { z } from "zod";
import { ROLES } from "../../input/roles.ts";
import { Id, page, text, Timestamp, Uuid } from "../../input/shapes.ts";

const Field = z.object({
  type: z.enum(["text", "number", "boolean"]),
  label: z.string().optional(),
  required: z.boolean(),
});
export type Field = z.output<typeof Field>;

const Choice = text(100).meta({ examples: ["approve"] });
const Values = z.record(z.string(), z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]))
  .describe("The fields of the form").meta({ examples: [{ comment: "Go ahead" }] });

/** A question of a run that waits for an answer. */
export const Approval = z.object({
  id: Uuid,
  question: z.string().meta({ examples: ["Pay 4,000 EUR to Kowalski?"] }),
  choices: z.array(z.string()).describe("One of them is the answer").meta({ examples: [["approve", "reject"]] }),
  form: z.record(z.string(), Field).describe("Fields that are filled in with the answer").meta({
    examples: [{ comment: { type: "text", required: false } }],
  }),
  flow_code: z.string().meta({ examples: ["pay"] }),
  flow_process_id: Uuid,
  department_id: Id.nullable().describe("The flow's"),
  created_at: Timestamp,
  expires_at: Timestamp.describe("Until then an answer is possible"),
});
export type Approval = z.output<typeof Approval>;

const Named = { id: Id, name: z.string().meta({ examples: ["Ada Kowalska"] }) };

/** An open question of a run, with who may answer it. */
export const AskedApproval = z.object({
  id: Uuid,
  place: z.string().describe("Of its step").meta({ examples: ["boss"] }),
  question: z.string().meta({ examples: ["Pay 4,000 EUR to Kowalski?"] }),
  roles: z.array(z.enum(ROLES)).describe("Users of these roles who see the flow's department may answer")
    .meta({ examples: [["manager"]] }),
  users: z.array(z.object({ ...Named, active: z.boolean().meta({ examples: [true] }) })).describe(
    "These users may answer",
  ),
  departments: z.array(z.object(Named)).describe("Members of these departments may answer"),
  link: z.boolean().describe("Everyone with the signed link may answer").meta({ examples: [false] }),
  expires_at: Timestamp.describe("Until then an answer is possible"),
  answerable: z.boolean().describe("False while no active user may answer").meta({ examples: [true] }),
});
export type AskedApproval = z.output<typeof AskedApproval>;

export const OfRun = z.object({ flow_process_id: Uuid.optional().describe("Of this run only") });

export const ApprovalPage = page(["created_at"]);
export type ApprovalPage = z.output<typeof ApprovalPage>;

export const NewAnswer = z.object({ id: Uuid, choice: Choice, values: Values.default({}) });
export type NewAnswer = z.output<typeof NewAnswer>;

export const Answer = z.object({
  id: Uuid,
  flow_process_id: Uuid,
  choice: Choice,
  values: Values,
  answered_at: Timestamp,
  answered_by: Id.nullable().describe("The user; null for an answer by the link"),
});
export type Answer = z.output<typeof Answer>;
