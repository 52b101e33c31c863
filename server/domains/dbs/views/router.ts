/** Named views of tables: a user's own ones, and the shared ones. */
import { z } from "zod";
import { sent } from "../../../database/json.ts";
import { router, userProcedure } from "../../../trpc.ts";
import { DbCode } from "../db_code.ts";
import { ByView, NewView, View, ViewChanges, ViewPage } from "./schema.ts";
import { changeView, createView, readView, readViews, removeView } from "./write.ts";

const RULE = "A shared view is changed by its owner and by managers.";

export const views = router({
  list: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/views.json",
      summary: "List a database's views",
      description: "The caller's own and the shared ones, of one table or of all, by name.",
    })
    .input(ViewPage).output(sent(z.array(View)))
    .query(({ ctx, input }) => readViews(ctx, input)),

  find: userProcedure
    .meta({
      rest: "GET /platform/dbs/:db_code/views/:view_id.json",
      summary: "Read a view",
      description: "Parts that name fields which the table no longer has are left out, and listed in `left_out`.",
    })
    .input(ByView).output(sent(View))
    .query(({ ctx, input }) => readView(ctx, input)),

  create: userProcedure
    .meta({
      rest: "POST /platform/dbs/:db_code/views.json",
      status: 201,
      wrapper: "view",
      summary: "Save a view",
      description: "At most 100 of a user and a table. A name is taken once among the shared views of a table, and " +
        "once among a user's own.",
    })
    .input(z.object({ db_code: DbCode, view: NewView })).output(sent(View))
    .mutation(({ ctx, input }) => createView(ctx, input.db_code, input.view)),

  update: userProcedure
    .meta({
      rest: "PATCH /platform/dbs/:db_code/views/:view_id.json",
      wrapper: "view",
      summary: "Update a view",
      description: `${RULE} Parts of the saved view that the table no longer fits are dropped.`,
    })
    .input(ByView.extend({ view: ViewChanges })).output(sent(View))
    .mutation(({ ctx, input: { view, ...by } }) => changeView(ctx, by, view)),

  delete: userProcedure
    .meta({
      rest: "DELETE /platform/dbs/:db_code/views/:view_id.json",
      status: 204,
      summary: "Delete a view",
      description: RULE,
    })
    .input(ByView).output(z.void())
    .mutation(({ ctx, input }) => removeView(ctx, input)),
});
