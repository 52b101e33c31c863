/** Procedures of an account's archive. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { adminProcedure, router } from "../../trpc.ts";
import { listThings } from "./list.ts";
import { pushArchive } from "./push.ts";
import { Plan, Push, Thing, ThingPage } from "./schema.ts";

/** Bytes of JSON: many sources at once. */
const MOST_JSON = 16 * 1024 * 1024;

export const archive = router({
  list: adminProcedure
    .meta({
      rest: "GET /account/archive.json",
      summary: "List the things that the account consists of",
      description:
        "Departments, connectors without secrets, databases without records, flows, apps and triggers, by kind and key. " +
        "`npx atrium-client pull` writes them into a folder.",
    })
    .input(ThingPage).output(sent(z.array(Thing)))
    .query(({ ctx, input }) => listThings(ctx.sql, ctx.viewer.account_id, input)),

  push: adminProcedure
    .meta({
      counts_as: "compiles",
      rest: "POST /account/archive.json",
      wrapper: "archive",
      json_limit: MOST_JSON,
      refuses: [409],
      summary: "Change many things at once",
      description:
        "All of it or nothing, in one transaction. A thing that has changed since `base` is a conflict: 409, with the plan as " +
        "`current`. A fault is 422, by `kind/key.field`. Records and values are never lost, and secrets that " +
        "are there stay. `dry_run` executes the same and rolls it back: it answers the plan with its conflicts and faults. " +
        "Each change is an entry of the audit log.",
    })
    .input(z.object({ archive: Push })).output(Plan)
    .mutation(({ ctx, input }) => pushArchive(ctx, input.archive)),
});
