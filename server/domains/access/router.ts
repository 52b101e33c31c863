import { z } from "zod";
import { sent } from "../../database/json.ts";
import { managerProcedure, router } from "../../trpc.ts";
import { countAccess } from "./counts.ts";
import { listAccess } from "./read.ts";
import { Access, AccessCounts, AccessQuery, CountsQuery } from "./schema.ts";

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

  counts: managerProcedure
    .meta({
      rest: "GET /account/access/counts.json",
      summary: "How much does a user see?",
      description:
        "By type, how many objects the user's lists show, and how many each rule hides: by the department rule and the " +
        "role, as the lists of the API do; what is public is open to everyone besides. With `db_code` also the records of a database. A manager is told of what the " +
        "manager sees.",
    })
    .input(CountsQuery).output(z.array(AccessCounts))
    .query(({ ctx, input }) => countAccess(ctx, input)),
});
