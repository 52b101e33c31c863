import { z } from "zod";
import { sent } from "../../database/json.ts";
import { managerProcedure, router } from "../../trpc.ts";
import { listAccess } from "./read.ts";
import { Access, AccessQuery } from "./schema.ts";

export const access = router({
  list: managerProcedure
    .meta({
      rest: "GET /account/access.json",
      summary: "Who can see this?",
      description:
        "With `type` and `id`: everyone who sees the object, with the rule that decides. With `user_id`: what " +
        "that user reaches; without both, what the caller reaches. An admin may ask about everything; a manager about what the manager sees. Tokens may allow " +
        "less than their user. Inactive users see nothing. Not counted; the next page is in `Link`.",
    })
    .input(AccessQuery).output(sent(z.array(Access)))
    .query(({ ctx, input }) => listAccess(ctx, input)),
});
