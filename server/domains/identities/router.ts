/** Procedures of identities. Pages link them and sign in with them: `http/pages/oidc.ts`. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { forbidden, notFound } from "../../errors.ts";
import { ById } from "../../input/shapes.ts";
import { guestProcedure, router } from "../../trpc.ts";
import { deleteIdentity, listIdentities } from "./queries.ts";
import { Identity, IdentityPage } from "./schema.ts";

export const identities = router({
  list: guestProcedure
    .meta({
      rest: "GET /account/identities.json",
      personal: true,
      summary: "List the caller's identities at OpenID providers",
      description: "An admin may list those of another user. A member links one on the sign-in page.",
    })
    .input(IdentityPage).output(sent(z.array(Identity)))
    .query(({ ctx: { sql, viewer }, input }) => {
      const { user_id = viewer.user_id } = input;
      if (user_id !== viewer.user_id && viewer.role !== "admin") throw forbidden("This needs the role admin");
      return listIdentities(sql, viewer.account_id, user_id, input);
    }),

  delete: guestProcedure
    .meta({
      rest: "DELETE /account/identities/:id.json",
      status: 204,
      summary: "Unlink an identity",
      description: "Sessions that it has started go on. An admin may unlink those of every user.",
    })
    .input(ById).output(z.void())
    .mutation(async ({ ctx: { sql, viewer }, input }) => {
      const user = viewer.role === "admin" ? null : viewer.user_id;
      if (!await deleteIdentity(sql, viewer.account_id, user, input.id)) throw notFound("Identity");
    }),
});
