/** Shapes of invitations, in requests and answers. */
import { z } from "zod";
import { Email, Id, Ids, Name, page, text, Timestamp } from "../../input/shapes.ts";
import { ROLES } from "../../viewer.ts";
import { Delivery, SendMail } from "./one_time_link.ts";

/** An open invitation, without its secret. */
export const Invitation = z.object({
  id: Id,
  email: z.string().meta({ examples: ["grace@example.com"] }),
  name: z.string().meta({ examples: ["Grace Example"] }),
  role: z.enum(ROLES),
  department_ids: z.array(Id),
  without_department: z.boolean().meta({ examples: [true] }),
  invited_by: Id.describe("The user who invites"),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Invitation = z.output<typeof Invitation>;

/** An invitation in the answer to its creation. */
export const SentInvitation = Invitation.extend(Delivery.shape);

export const NewInvitation = z.object({
  email: Email.meta({ examples: ["grace@example.com"] }),
  name: Name.optional().describe("The e-mail address unless set").meta({ examples: ["Grace Example"] }),
  role: z.enum(ROLES).default("user").describe("At most the inviter's own").meta({ examples: ["user"] }),
  department_ids: Ids.default([]).describe("Only departments that the inviter sees").meta({ examples: [[]] }),
  without_department: z.boolean().default(true).describe(
    "Whether the person will see objects without a department, as far as the inviter does",
  ).meta({ examples: [true] }),
  send_mail: SendMail,
});
export type NewInvitation = z.output<typeof NewInvitation>;

export const Renewal = z.object({ id: Id, send_mail: SendMail });
export type Renewal = z.output<typeof Renewal>;

export const InvitationPage = page(["id", "-id"]).extend({
  q: text(255).optional().describe("Part of the name or e-mail address, case-insensitive").meta({
    examples: ["grace"],
  }),
});
export type InvitationPage = z.output<typeof InvitationPage>;
