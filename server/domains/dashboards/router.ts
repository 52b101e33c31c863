/** Procedures of dashboards: the caller's own board, and the account's default board. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { adminProcedure, guestProcedure, router } from "../../trpc.ts";
import { deleteDashboard } from "./queries.ts";
import { Dashboard, NewDashboard } from "./schema.ts";
import { putDashboard, readDashboard } from "./write.ts";

const TILES = "Tiles of apps that have gone, are switched off or hidden, or have no `dashboard_widget`, are left out.";
const Given = z.object({ dashboard: NewDashboard });

export const dashboards = router({
  find: guestProcedure
    .meta({
      rest: "GET /account/dashboard.json",
      summary: "Read the caller's dashboard",
      description: `A user without a board gets the account's default one. ${TILES}`,
    })
    .output(sent(Dashboard))
    .query(({ ctx }) => readDashboard(ctx, ctx.viewer.user_id)),

  put: guestProcedure
    .meta({
      rest: "PUT /account/dashboard.json",
      wrapper: "dashboard",
      summary: "Replace the caller's dashboard",
      description: "12 columns; tiles may overlap. A tile's app must be active, visible to the caller and have " +
        "`dashboard_widget`, and has one tile. Tiles that were left out of your answer stay stored. 409 with the board as " +
        "`current` where `if_updated_at` no longer fits.",
    })
    .input(Given).output(sent(Dashboard))
    .mutation(({ ctx, input }) => putDashboard(ctx, ctx.viewer.user_id, input.dashboard)),

  delete: guestProcedure
    .meta({
      rest: "DELETE /account/dashboard.json",
      status: 204,
      summary: "Delete the caller's dashboard",
      description: "The caller gets the account's default board again.",
    })
    .output(z.void())
    .mutation(async ({ ctx }) => void await deleteDashboard(ctx.sql, ctx.viewer.account_id, ctx.viewer.user_id)),

  find_default: adminProcedure
    .meta({ rest: "GET /account/default_dashboard.json", summary: "Read the account's dashboard", description: TILES })
    .output(sent(Dashboard))
    .query(({ ctx }) => readDashboard(ctx, null)),

  put_default: adminProcedure
    .meta({
      rest: "PUT /account/default_dashboard.json",
      wrapper: "dashboard",
      summary: "Replace the account's dashboard",
      description: "The board of users who have none of their own. Each sees those of its tiles whose apps it may see.",
    })
    .input(Given).output(sent(Dashboard))
    .mutation(({ ctx, input }) => putDashboard(ctx, null, input.dashboard)),
});
