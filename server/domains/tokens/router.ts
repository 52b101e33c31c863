/** Procedures of API tokens. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById } from "../../input/shapes.ts";
import { router, userProcedure } from "../../trpc.ts";
import { listTokens } from "./queries.ts";
import { CreatedToken, NewToken, Token, TokenPage } from "./schema.ts";
import { createToken, managedUser, revokeToken } from "./write.ts";

export const tokens = router({
  list: userProcedure
    .meta({
      rest: "GET /account/tokens.json",
      personal: true,
      summary: "List tokens",
      description: "An admin sees everybody's.",
    })
    .input(TokenPage).output(sent(z.array(Token)))
    .query(({ ctx, input }) => listTokens(ctx.sql, ctx.viewer.account_id, managedUser(ctx), input)),

  create: userProcedure
    .meta({
      rest: "POST /account/tokens.json",
      status: 201,
      wrapper: "token",
      summary: "Create a token",
      description: "The secret is in this answer only; it is never shown again.",
    })
    .input(z.object({ token: NewToken })).output(CreatedToken)
    .mutation(({ ctx, input }) => createToken(ctx, input.token)),

  delete: userProcedure
    .meta({ rest: "DELETE /account/tokens/:id.json", status: 204, summary: "Revoke a token" })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => revokeToken(ctx, input.id)),
});
