import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ByUuid } from "../../input/shapes.ts";
import { router, userProcedure } from "../../trpc.ts";
import { retries } from "./batches/router.ts";
import { cancelProcess, retryProcess } from "./control.ts";
import { listProcesses, readProcess, readProgram } from "./inspect.ts";
import { countOutcomes } from "./outcomes.ts";
import {
  FlowProcess,
  FlowProcessPage,
  OutcomeCounts,
  OutcomeQuery,
  Retry,
  UsedProgram,
  WholeFlowProcess,
} from "./schema.ts";

export const flow_processes = router({
  retries,

  list: userProcedure
    .meta({
      rest: "GET /connect/flow_processes.json",
      summary: "List runs of flows",
      description: "Newest first. Runs are kept for 14 days.",
    })
    .input(FlowProcessPage).output(sent(z.array(FlowProcess)))
    .query(({ ctx, input }) => listProcesses(ctx, input)),

  outcomes: userProcedure
    .meta({
      rest: "GET /connect/flow_process_outcomes.json",
      refuses: [422],
      summary: "Count runs by how they ended",
      description:
        "By the hour, day or month of their creation, the oldest period first. Runs that were deleted after 14 days are " +
        "counted by day and month for 400 days, except with `user_id` and `cron_id`.",
    })
    .input(OutcomeQuery).output(z.array(OutcomeCounts))
    .query(({ ctx, input }) => countOutcomes(ctx, input)),

  find: userProcedure
    .meta({ rest: "GET /connect/flow_processes/:id.json", summary: "Read a run with its steps" })
    .input(ByUuid).output(sent(WholeFlowProcess))
    .query(({ ctx, input }) => readProcess(ctx, input.id)),

  program: userProcedure
    .meta({
      rest: "GET /connect/flow_processes/:id/program.json",
      summary: "Read the program of a run",
      description:
        "The version that the run executes or has executed, also after a change or the deletion of its flow.",
    })
    .input(ByUuid).output(sent(UsedProgram))
    .query(({ ctx, input }) => readProgram(ctx, input.id)),

  cancel: userProcedure
    .meta({
      rest: "POST /connect/flow_processes/:id/cancel.json",
      refuses: [409],
      summary: "Cancel a run",
      description:
        "A connector call in progress is cut off within two seconds. A record step in progress completes or has no effect.",
    })
    .input(ByUuid).output(sent(WholeFlowProcess))
    .mutation(({ ctx, input }) => cancelProcess(ctx, input.id)),

  retry: userProcedure
    .meta({
      counts_as: "actions",
      rest: "POST /connect/flow_processes/:id/retry.json",
      status: 201,
      refuses: [409],
      summary: "Repeat a run",
      description:
        "Starts a new run with the same input or an edited one, on the flow's current program or on that of the run. " +
        "Answers when it has ended, or after `ACTION_WAIT_MS`.",
    })
    .input(Retry).output(sent(WholeFlowProcess))
    .mutation(({ ctx, input }) => retryProcess(ctx, input)),
});
