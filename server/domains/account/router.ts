import { z } from "zod";
import { sent } from "../../database/json.ts";
import { adminProcedure, guestProcedure, router, userProcedure } from "../../trpc.ts";
import { readAbout } from "./about.ts";
import { readLimits } from "./limits.ts";
import { readMe } from "./me.ts";
import { readAccount } from "./queries.ts";
import { About, Account, AccountChanges, LimitsInForce, Me } from "./schema.ts";
import { changeAccount } from "./write.ts";

export const account = router({
  me: guestProcedure
    .meta({
      rest: "GET /account/me.json",
      any_scope: true,
      summary: "Read who calls",
      description:
        "The signed-in user with its role and departments, the scopes of the token, the account, and which release of the " +
        "server answers.",
    })
    .output(sent(Me))
    .query(({ ctx }) => readMe(ctx, ctx.viewer)),

  about: userProcedure
    .meta({
      rest: "GET /account/about.json",
      summary: "Read what is running",
      description:
        "The server's version and release, and the versions and licences of everything that it uses and ships.",
    })
    .output(About)
    .query(({ ctx }) => readAbout(ctx)),

  limits: userProcedure
    .meta({
      rest: "GET /account/limits.json",
      summary: "Read the limits in force and their use",
      description:
        "The rates of the caller and of the account, the runs in progress and those that wait. Rates are counted in the memory " +
        "of each server process.",
    })
    .output(LimitsInForce)
    .query(({ ctx }) => readLimits(ctx)),

  find: userProcedure
    .meta({ rest: "GET /account.json", summary: "Read the caller's account" })
    .output(sent(Account))
    .query(({ ctx }) => readAccount(ctx.sql, ctx.viewer.account_id)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account.json",
      wrapper: "account",
      summary: "Update the account",
      description: "After an admin has chosen the mode, the second department no longer changes it.",
    })
    .input(z.object({ account: AccountChanges })).output(sent(Account))
    .mutation(({ ctx, input }) => changeAccount(ctx, input.account)),
});
