/** Recorded runs of a flow as regression tests. */
import { z } from "zod";
import { sent } from "../../../database/json.ts";
import { ById } from "../../../input/shapes.ts";
import { managerProcedure, router, userProcedure } from "../../../trpc.ts";
import { checkExamples } from "./check.ts";
import {
  ByFlowExample,
  CheckedExamples,
  ExamplesToCheck,
  FlowExample,
  NewFlowExample,
  RenamedFlowExample,
} from "./schema.ts";
import { changeExample, createExample, readExamples, removeExample } from "./write.ts";

export const examples = router({
  list: userProcedure
    .meta({
      rest: "GET /connect/flows/:id/examples.json",
      summary: "List a flow's examples",
      description: "Oldest first.",
    })
    .input(ById).output(sent(z.array(FlowExample)))
    .query(({ ctx, input }) => readExamples(ctx, input.id)),

  create: managerProcedure
    .meta({
      rest: "POST /connect/flows/:id/examples.json",
      status: 201,
      summary: "Keep a run as an example",
      description:
        "Keeps the run's input, the answers of its calls, its steps and its outcome: at most 256 KiB, and 20 examples " +
        "of a flow. The steps and the outcome are those of a rehearsal on the program that the run used.",
    })
    .input(NewFlowExample).output(sent(FlowExample))
    .mutation(({ ctx, input }) => createExample(ctx, input)),

  check: managerProcedure
    .meta({
      rest: "POST /connect/flows/:id/examples/check.json",
      summary: "Check a program against the examples",
      description:
        "Executes the saved or a proposed program with the input and the answers of each example, without calling " +
        "anything, and answers how the steps and the outcome differ.",
    })
    .input(ExamplesToCheck).output(CheckedExamples)
    .mutation(({ ctx, input }) => checkExamples(ctx, input)),

  update: managerProcedure
    .meta({ rest: "PATCH /connect/flows/:id/examples/:example_id.json", summary: "Rename an example" })
    .input(RenamedFlowExample).output(sent(FlowExample))
    .mutation(({ ctx, input }) => changeExample(ctx, input)),

  delete: managerProcedure
    .meta({ rest: "DELETE /connect/flows/:id/examples/:example_id.json", status: 204, summary: "Delete an example" })
    .input(ByFlowExample).output(z.void())
    .mutation(({ ctx, input }) => removeExample(ctx, input)),
});
