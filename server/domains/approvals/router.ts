import { z } from "zod";
import { sent } from "../../database/json.ts";
import { router, userProcedure } from "../../trpc.ts";
import { answerAsViewer } from "./answer.ts";
import { listAsked } from "./answerers.ts";
import { listApprovals } from "./queries.ts";
import { Answer, Approval, ApprovalPage, AskedApproval, NewAnswer, OfRun } from "./schema.ts";

export const approvals = router({
  list: userProcedure
    .meta({
      rest: "GET /connect/approvals.json",
      summary: "List the questions of runs that wait for the caller's answer",
      description: "The oldest first. A step `approval` says who may answer.",
    })
    .input(ApprovalPage).output(sent(z.array(Approval)))
    .query(({ ctx, input }) => listApprovals(ctx.sql, ctx.viewer, input)),

  asked: userProcedure
    .meta({
      rest: "GET /connect/approvals/asked.json",
      summary: "List the open questions of runs, with who may answer",
      description:
        "Of the latest 500 runs that wait, or of one of them; for everyone who sees the run. A question that no active user " +
        "may answer is not `answerable`.",
    })
    .input(OfRun).output(z.array(AskedApproval))
    .query(({ ctx, input }) => listAsked(ctx.sql, ctx.viewer, input.flow_process_id)),

  answer: userProcedure
    .meta({
      rest: "POST /connect/approvals/:id.json",
      refuses: [409],
      summary: "Answer the question of a run",
      description: "The first answer counts. The run goes on at once.",
    })
    .input(NewAnswer).output(Answer)
    .mutation(({ ctx, input }) => answerAsViewer(ctx, input)),
});
