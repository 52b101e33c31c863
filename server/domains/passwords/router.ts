/** Procedures of passwords. */
import { z } from "zod";
import { guestProcedure, router } from "../../trpc.ts";
import { changePassword } from "./change.ts";
import { PasswordChange } from "./schema.ts";

export const passwords = router({
  change: guestProcedure
    .meta({
      rest: "PATCH /account/password.json",
      status: 204,
      wrapper: "password",
      any_scope: true,
      refuses: [403, 429],
      summary: "Change one's own password",
      description:
        "Needs a session; API tokens are refused. The user's other sessions end, and the cookie of this one gets a new " +
        "value. After 10 wrong `current` passwords in 15 minutes, further ones are refused with 429.",
    })
    .input(z.object({ password: PasswordChange })).output(z.void())
    .mutation(({ ctx, input }) => changePassword(ctx, input.password)),
});
