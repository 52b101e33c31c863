/** Procedures of invitations. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById } from "../../input/shapes.ts";
import { managerProcedure, router } from "../../trpc.ts";
import { listInvitations } from "./queries.ts";
import { Invitation, InvitationPage, NewInvitation, Renewal, SentInvitation } from "./schema.ts";
import { createInvitation, renewInvitation, revokeInvitation } from "./write.ts";

export const invitations = router({
  list: managerProcedure
    .meta({ rest: "GET /account/invitations.json", summary: "List the invitations that can still be accepted" })
    .input(InvitationPage).output(sent(z.array(Invitation)))
    .query(({ ctx, input }) => listInvitations(ctx.sql, ctx.viewer.account_id, input)),

  create: managerProcedure
    .meta({
      rest: "POST /account/invitations.json",
      status: 201,
      wrapper: "invitation",
      summary: "Invite a person",
      description:
        "The person chooses a password at a link that can be used once, within 7 days, and becomes a user. The link is " +
        "sent by mail where the server has `SMTP_URL`; otherwise it is in the answer. The inviter's role and " +
        "departments limit the invitation, also at the time of its use.",
    })
    .input(z.object({ invitation: NewInvitation })).output(SentInvitation)
    .mutation(({ ctx, input }) => createInvitation(ctx, input.invitation)),

  renew: managerProcedure
    .meta({
      rest: "POST /account/invitations/:id/renew.json",
      status: 201,
      summary: "Replace an invitation by one with a new link",
      description:
        "The link before ends. The new invitation is the caller's, has another id, and is valid for 7 days. Managers " +
        "renew their own, admins all.",
    })
    .input(Renewal).output(SentInvitation)
    .mutation(({ ctx, input }) => renewInvitation(ctx, input)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /account/invitations/:id.json",
      status: 204,
      summary: "Revoke an invitation",
      description: "Managers revoke their own, admins all.",
    })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => revokeInvitation(ctx, input.id)),
});
