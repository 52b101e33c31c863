/** Routes of triggers, which the API calls crons. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { managerProcedure, router, userProcedure } from "../../trpc.ts";
import { CREATE, DELETE, FIRE, RESUME, RUNS, UPDATE } from "./api_texts.ts";
import { fireCron } from "./fire.ts";
import { readCronDays, readCronSlots } from "./ledger_counts.ts";
import { readCronRuns } from "./ledger_queries.ts";
import { listCrons, readCron } from "./queries.ts";
import {
  Cron,
  CronChanges,
  CronDay,
  CronPage,
  CronRun,
  CronRunPage,
  CronSlots,
  Fired,
  Firing,
  ListedCron,
  NewCron,
  OfCrons,
  ReadSchedule,
  ScheduleQuery,
} from "./schema.ts";
import { readSchedule } from "./timetable.ts";
import { changeCron, createCron, removeCron, resumeCron, rotateAddress } from "./write.ts";

export const crons = router({
  list: userProcedure
    .meta({ rest: "GET /account/crons.json", summary: "List scheduled triggers" })
    .input(CronPage).output(sent(z.array(ListedCron)))
    .query(({ ctx, input }) => listCrons(ctx, input)),

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
      description: CREATE,
    })
    .input(z.object({ cron: NewCron })).output(sent(Cron))
    .mutation(({ ctx, input }) => createCron(ctx, input.cron)),

  update: managerProcedure
    .meta({
      rest: "PATCH /account/crons/:id.json",
      refuses: [409],
      wrapper: "cron",
      summary: "Update a scheduled trigger",
      description: UPDATE,
    })
    .input(z.object({ id: Id, cron: CronChanges })).output(sent(Cron))
    .mutation(({ ctx, input }) => changeCron(ctx, input.id, input.cron)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /account/crons/:id.json",
      status: 204,
      summary: "Delete a scheduled trigger with its ledger",
      description: DELETE,
    })
    .input(ById).output(z.void())
    .mutation(({ ctx, input }) => removeCron(ctx, input.id)),

  fire: managerProcedure
    .meta({
      counts_as: "actions",
      rest: "POST /account/crons/:id/fire.json",
      refuses: [409, 422],
      summary: "Fire a scheduled trigger now",
      description: FIRE,
    })
    .input(Firing).output(Fired)
    .mutation(({ ctx, input }) => fireCron(ctx, input)),

  resume: managerProcedure
    .meta({
      rest: "POST /account/crons/:id/resume.json",
      summary: "Resume a paused trigger",
      description: RESUME,
    })
    .input(ById).output(sent(Cron))
    .mutation(({ ctx, input }) => resumeCron(ctx, input.id)),

  rotate_address: managerProcedure
    .meta({
      rest: "POST /account/crons/:id/rotate_address.json",
      summary: "Give a webhook trigger another secret address",
      description: "The answer has the new `webhook_url`, which is not shown again. The old address holds no longer.",
    })
    .input(ById).output(sent(Cron))
    .mutation(({ ctx, input }) => rotateAddress(ctx, input.id)),

  runs: userProcedure
    .meta({
      rest: "GET /account/crons/:id/runs.json",
      summary: "List a trigger's due times and their runs",
      description: RUNS,
    })
    .input(CronRunPage).output(sent(z.array(CronRun)))
    .query(({ ctx, input }) => readCronRuns(ctx, input)),

  days: userProcedure
    .meta({
      rest: "GET /account/crons/:id/days.json",
      summary: "Count a trigger's due times by day",
      description:
        "The last 91 days of the trigger's time zone, today included, the oldest first. Runs by hand are left out.",
    })
    .input(ById).output(z.array(CronDay))
    .query(({ ctx, input }) => readCronDays(ctx, input.id)),

  slots: userProcedure
    .meta({
      rest: "GET /account/cron_slots.json",
      summary: "Read the latest and the next due times of triggers",
      description: "Triggers that the caller does not see are left out.",
    })
    .input(OfCrons).output(z.array(CronSlots))
    .query(({ ctx, input }) => readCronSlots(ctx, input.ids)),

  read_schedule: userProcedure
    .meta({
      rest: "GET /account/cron_schedule.json",
      refuses: [422],
      summary: "Read a schedule in words, with its next due times",
      description: "Of any schedule, before a trigger has it.",
    })
    .input(ScheduleQuery).output(ReadSchedule)
    .query(({ ctx, input }) => readSchedule(ctx, input)),
});
