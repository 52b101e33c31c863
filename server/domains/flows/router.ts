import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { managerProcedure, router, userProcedure } from "../../trpc.ts";
import { listFlows } from "./queries.ts";
import { readFlow } from "./read.ts";
import { Flow, FlowChanges, FlowPage, FlowRun, FlowToDelete, ListedFlow, NewFlow, RunAnswer } from "./schema.ts";
import { IN_USE } from "../uses/uses.ts";
import { runFlow } from "./start.ts";
import { checkFlow } from "./checks/check.ts";
import { Check, Checked, StepToTest, TestedStep } from "./checks/schema.ts";
import { testStep } from "./checks/test_step.ts";
import { listActivity } from "./activity/queries.ts";
import { FlowActivity, OfFlows } from "./activity/schema.ts";
import { drafts } from "./drafts/router.ts";
import { examples } from "./examples/router.ts";
import { describeSteps } from "../../flow/flow.ts";
import { DescribedStep } from "./step_types/schema.ts";
import { readVersion, readVersionDiff, readVersions } from "./versions/read.ts";
import {
  ByFlowVersion,
  FlowVersion,
  FlowVersionDiff,
  FlowVersionPage,
  FlowVersionPair,
  ListedFlowVersion,
} from "./versions/schema.ts";
import { changeFlow, createFlow, removeFlow, restoreVersion } from "./write.ts";

let types: ReturnType<typeof describeSteps> | undefined;
/** Made once: they do not change while the server runs. */
const described = () => types ??= describeSteps();

export const flows = router({
  list: userProcedure
    .meta({
      rest: "GET /connect/flows.json",
      summary: "List flows",
      description: "Without `fields`, because programs may be large.",
    })
    .input(FlowPage).output(sent(z.array(ListedFlow)))
    .query(({ ctx, input }) => listFlows(ctx.sql, ctx.viewer, input)),

  step_types: userProcedure
    .meta({
      rest: "GET /connect/flows/step_types.json",
      summary: "List the types of steps",
      description:
        "For editors: what each type is called, how a step of it is shown and what its keys hold. Made from the shapes " +
        "that check programs, like `/schemas/flow.json`.",
    })
    // Without a parser of the input, the unknown parameters of a list would not be refused.
    .input(z.undefined()).output(z.array(DescribedStep))
    .query(() => described()),

  activity: userProcedure
    .meta({
      rest: "GET /connect/flows/activity.json",
      summary: "List the latest runs of flows, and what uses them",
      description: "Without flows that do not exist or are hidden.",
    })
    .input(OfFlows).output(sent(z.array(FlowActivity)))
    .query(({ ctx, input }) => listActivity(ctx.sql, ctx.viewer, input.ids)),

  find: userProcedure
    .meta({ rest: "GET /connect/flows/:id.json", summary: "Read a flow" })
    .input(ById).output(sent(Flow))
    .query(({ ctx, input }) => readFlow(ctx, input.id)),

  create: managerProcedure
    .meta({
      rest: "POST /connect/flows.json",
      status: 201,
      wrapper: "flow",
      summary: "Create a flow",
      description:
        "`code` defaults to the name. The program is checked as a whole. Each fault is keyed by its path, such as " +
        "`fields.program.4.then.0.metod`. Connectors, databases and other names that do not exist yet are listed under " +
        "`warnings`. Users who do not see everything must name connectors and databases that they see.",
    })
    .input(z.object({ flow: NewFlow })).output(sent(Flow))
    .mutation(({ ctx, input }) => createFlow(ctx, input.flow)),

  update: managerProcedure
    .meta({
      rest: "PATCH /connect/flows/:id.json",
      refuses: [409],
      wrapper: "flow",
      summary: "Update a flow",
      description:
        "A changed program, `input`, `output`, `secret_inputs`, `on_failure` or `runs_as` is a new version, whose author is the caller. A program that is saved again " +
        "gets a new author if the present one may not change it any more. Runs in progress continue with the version " +
        "that they started with. A guarded flow is refused with 422 on `examples` while one of them fails, unless `force`.",
    })
    .input(z.object({ id: Id, flow: FlowChanges })).output(sent(Flow))
    .mutation(({ ctx, input }) => changeFlow(ctx, input.id, input.flow)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /connect/flows/:id.json",
      status: 204,
      refuses: [409],
      summary: "Delete a flow",
      description: IN_USE,
    })
    .input(FlowToDelete).output(z.void())
    .mutation(({ ctx, input }) => removeFlow(ctx, input)),

  versions: userProcedure
    .meta({
      rest: "GET /connect/flows/:id/versions.json",
      summary: "List a flow's earlier versions",
      description: "The newest 100. Without `program`.",
    })
    .input(FlowVersionPage).output(sent(z.array(ListedFlowVersion)))
    .query(({ ctx, input }) => readVersions(ctx, input)),

  version: userProcedure
    .meta({ rest: "GET /connect/flows/:id/versions/:version.json", summary: "Read a flow's version" })
    .input(ByFlowVersion).output(sent(FlowVersion))
    .query(({ ctx, input }) => readVersion(ctx, input.id, input.version)),

  version_diff: userProcedure
    .meta({
      rest: "GET /connect/flows/:id/versions/:version/diff.json",
      summary: "Read two versions of a flow side by side",
      description: "The version and the one it is compared with, the older one first, each with its program.",
    })
    .input(FlowVersionPair).output(sent(FlowVersionDiff))
    .query(({ ctx, input }) => readVersionDiff(ctx, input)),

  restore: managerProcedure
    .meta({
      rest: "POST /connect/flows/:id/versions/:version/restore.json",
      refuses: [409, 422],
      summary: "Restore a flow's earlier version",
      description:
        "Restores `fields.program`, `input`, `output`, `secret_inputs`, `on_failure` and `runs_as`. The replaced state becomes a version, too, and the caller becomes the " +
        "author.",
    })
    .input(ByFlowVersion).output(sent(Flow))
    .mutation(({ ctx, input }) => restoreVersion(ctx, input.id, input.version)),

  check: managerProcedure
    .meta({
      rest: "POST /connect/flows/:id/check.json",
      summary: "Check a program without executing it",
      description:
        "Answers what a save would refuse and warn of, and every template filled with the values of the flow's latest " +
        "run, or of `run_id`. Steps that call something get the answers that the run recorded; where there is none, " +
        "their output is null. Nothing is called and nothing is stored.",
    })
    .input(Check).output(Checked)
    .mutation(({ ctx, input }) => checkFlow(ctx, input)),

  test_step: managerProcedure
    .meta({
      counts_as: "actions",
      rest: "POST /connect/flows/:id/test_step.json",
      summary: "Execute one step",
      description:
        "Executes a step of the saved or a proposed program, with the steps inside it, as the caller and with the " +
        "caller's reach. Its calls are sent and its changes are made, in one attempt and at most 30 s. A test of a step " +
        "with effects is an entry of the audit log.",
    })
    .input(StepToTest).output(TestedStep)
    .mutation(({ ctx, input }) => testStep(ctx, input)),

  examples,
  drafts,

  run: userProcedure
    .meta({
      counts_as: "actions",
      rest: "POST /connect/flows/:id/run.json",
      refuses: [409],
      summary: "Run a flow by hand",
      description:
        "With `max_at_once` and `overlap` `skip` it is refused with 409 while as many runs are in progress. Waits for the end of the run for at most `ACTION_WAIT_MS`. After that it answers with the status `pending`. " +
        "With `dry_run`, calls are answered with what is given or recorded, and the steps are part of the answer.",
    })
    .input(FlowRun).output(RunAnswer)
    .mutation(({ ctx, input }) => runFlow(ctx, input)),
});
