import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { managerProcedure, router, userProcedure } from "../../trpc.ts";
import { listCrons } from "./queries.ts";
import { Cron, CronChanges, CronPage, CronRun, CronRunPage, Fired, ListedCron, NewCron } from "./schema.ts";
import { changeCron, createCron, fireCron, readCron, readCronRuns, removeCron, resumeCron } from "./write.ts";

export const crons = router({
  list: userProcedure
    .meta({ rest: "GET /account/crons.json", summary: "List scheduled triggers" })
    .input(CronPage).output(sent(z.array(ListedCron)))
    .query(({ ctx, input }) => listCrons(ctx.sql, ctx.viewer, input)),

  find: userProcedure
    .meta({ rest: "GET /account/crons/:id.json", summary: "Read a scheduled trigger" })
    .input(ById).output(sent(Cron))
    .query(({ ctx, input }) => readCron(ctx, input.id)),

  create: managerProcedure
    .meta({
      rest: "POST /account/crons.json",
      status: 201,
      wrapper: "cron",
      summary: "Create a scheduled trigger",
      description: [
        'Starts a flow with the input `{ kind: "cron", cron_id }` at the times of `schedule`, which has five fields: ' +
        "minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or JAN-DEC), day of the week (0-7 or " +
        "SUN-SAT; 0 and 7 are Sunday). A field is `*`, a value, a range (`9-17`), a step (`*/5`, `9-17/2`) or a list " +
        "of those. Where both days are restricted, either is enough.",
        "`timezone` is an IANA name. Daylight saving is croner's: a schedule with a single minute and a single hour " +
        "whose time the clock skips runs at the first time after the gap, and where the clock repeats its time it " +
        "runs once, the first time. A schedule with a list, range, step or `*` in minute or hour does not run at " +
        "times that the clock skips, and runs both times at those that it repeats.",
        "Every time is accounted for in the trigger's runs. A run that could not be started in its minute is `late` " +
        "within `catch_up` seconds; of several only the latest runs, the others are `missed`. While a run goes on, " +
        "the next is `skipped`, or with `overlap` `allow` started beside it, or with `queue` started after it: one " +
        "may wait. After `max_failures` failures in a row the trigger pauses: `active` becomes false and " +
        "`paused_reason` says why. A run that ends with `error` is a failure, and so is a flow that is gone; a run " +
        "that was cancelled, and a flow that is not active, are none.",
      ].join("\n\n"),
    })
    .input(z.object({ cron: NewCron })).output(sent(Cron))
    .mutation(({ ctx, input }) => createCron(ctx, input.cron)),

  update: managerProcedure
    .meta({
      rest: "PATCH /account/crons/:id.json",
      refuses: [409],
      wrapper: "cron",
      summary: "Update a scheduled trigger",
      description:
        "`active` false stops it at once, in every process; true resumes it, from its next time on, and its failures " +
        "begin at nothing. A run that goes on goes on.",
    })
    .input(z.object({ id: Id, cron: CronChanges })).output(sent(Cron))
    .mutation(({ ctx, input }) => changeCron(ctx, input.id, input.cron)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /account/crons/:id.json",
      status: 204,
      summary: "Delete a scheduled trigger with its ledger",
      description: "It stops at once, in every process. Its flow processes stay, and one that goes on goes on.",
    })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeCron(ctx, input.id)),

  fire: managerProcedure
    .meta({
      rest: "POST /account/crons/:id/fire.json",
      refuses: [422],
      summary: "Fire a scheduled trigger now",
      description:
        "Whether it is active or not, and whatever else goes on. The run stands in the ledger as one by hand, and " +
        "counts neither for nor against a pause.",
    })
    .input(ById).output(Fired)
    .mutation(({ ctx, input }) => fireCron(ctx, input.id)),

  resume: managerProcedure
    .meta({
      rest: "POST /account/crons/:id/resume.json",
      summary: "Resume a paused trigger",
      description: "Active from its next time on; failures begin at nothing. The same as an update with `active` true.",
    })
    .input(ById).output(sent(Cron))
    .mutation(({ ctx, input }) => resumeCron(ctx, input.id)),

  runs: userProcedure
    .meta({
      rest: "GET /account/crons/:id/runs.json",
      summary: "List what became of a trigger's times",
      description:
        "The newest first, 90 days of it. `ran`: started in its minute. `late`: started after it. `queued`: waits for " +
        "the run before. `skipped`: not started, though the server was there. `missed`: nobody was there in time. Of " +
        "many missed in a row the newest 200 have a row each, and those before them one for all: `due_at` to " +
        "`due_until`, `slots` in number.",
    })
    .input(CronRunPage).output(sent(z.array(CronRun)))
    .query(({ ctx, input }) => readCronRuns(ctx, input)),
});
