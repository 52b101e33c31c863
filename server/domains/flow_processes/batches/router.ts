/** Retries of all failed runs that match a filter. */
import { z } from "zod";
import { ByUuid } from "../../../input/shapes.ts";
import { router, userProcedure } from "../../../trpc.ts";
import { NewRetryOfMany, RetryOfMany } from "./schema.ts";
import { beginRetry, cancelRetry, readRetry } from "./work.ts";

const tag = "flow_processes";

export const retries = router({
  create: userProcedure
    .meta({
      rest: "POST /connect/flow_process_retries.json",
      status: 201,
      wrapper: "retry",
      counts_as: "actions",
      refuses: [409],
      tag,
      summary: "Repeat all failed runs that match a filter",
      description:
        "Starts a new run for each, from the first step, with the same input and the flow's current program: the newest " +
        "first, three at a time, at most 10,000. Runs that were repeated before and runs that are created later are left " +
        "out. It goes on without the client. The same request again, with its `id`, starts nothing twice, and continues one that was interrupted. 409 while another " +
        "one of the caller's goes on.",
    })
    .input(z.object({ retry: NewRetryOfMany })).output(RetryOfMany)
    .mutation(({ ctx, input }) => beginRetry(ctx, input.retry)),

  find: userProcedure
    .meta({
      rest: "GET /connect/flow_process_retries/:id.json",
      tag,
      summary: "Read how far a retry of many runs is",
      description: "The caller's own. They are kept for 14 days.",
    })
    .input(ByUuid).output(RetryOfMany)
    .query(({ ctx, input }) => readRetry(ctx, input.id)),

  cancel: userProcedure
    .meta({
      rest: "POST /connect/flow_process_retries/:id/cancel.json",
      tag,
      summary: "Stop a retry of many runs",
      description: "Runs that it has started go on.",
    })
    .input(ByUuid).output(RetryOfMany)
    .mutation(({ ctx, input }) => cancelRetry(ctx, input.id)),
});
