/** Procedures of the audit log. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { adminProcedure, router } from "../../trpc.ts";
import { listEntries } from "./queries.ts";
import { AuditEntry, AuditPage } from "./schema.ts";

export const audit = router({
  list: adminProcedure
    .meta({
      rest: "GET /account/audit.json",
      summary: "List changes and sign-ins",
      description:
        "Newest first. The next page begins after the last entry's id: `after`. Entries are kept for 400 days. Long " +
        "values are truncated to an object with `truncated`, the first 1,000 characters, and `characters`; secrets are " +
        "`[hidden]`. What a deletion takes with it is not repeated.",
    })
    .input(AuditPage).output(sent(z.array(AuditEntry)))
    .query(({ ctx, input }) => listEntries(ctx.sql, ctx.viewer.account_id, input)),
});
