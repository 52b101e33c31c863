import { z } from "zod";
import { sent } from "../../database/json.ts";
import { adminProcedure, router, userProcedure } from "../../trpc.ts";
import { Account, AccountChanges } from "./schema.ts";
import { changeAccount, readAccount } from "./write.ts";

export const account = router({
  find: userProcedure
    .meta({ rest: "GET /account.json", summary: "Read the caller's account" })
    .output(sent(Account))
    .query(({ ctx }) => readAccount(ctx)),

  update: adminProcedure
    .meta({
      rest: "PATCH /account.json",
      wrapper: "account",
      summary: "Update the account",
      description: "Choosing the mode marks it as an admin's choice; the second department then no longer changes it.",
    })
    .input(z.object({ account: AccountChanges })).output(sent(Account))
    .mutation(({ ctx, input }) => changeAccount(ctx, input.account)),
});
