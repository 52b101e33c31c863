/** Routes of what the console shows of an account as a whole. */
import { z } from "zod";
import { router, userProcedure } from "../../trpc.ts";
import { countThings } from "./counts.ts";
import { listProblems, readActivity } from "./read.ts";
import { Activity, Counts, MOST_COUNTED, MOST_RUNS, Problem, ProblemQuery } from "./schema.ts";

export const overview = router({
  problems: userProcedure
    .meta({
      rest: "GET /account/problems.json",
      summary: "List what needs attention",
      description:
        `Failed runs, of which the latest ${MOST_RUNS} are looked at, and triggers in trouble that the caller sees, newest ` +
        "first. A run that was repeated is left out, and so are runs of a listed trigger. For who may change apps: apps " +
        "whose last saved source did not compile. For admins: questions of runs that no active user may answer.",
    })
    .input(ProblemQuery).output(z.array(Problem))
    .query(({ ctx, input }) => listProblems(ctx, input)),

  activity: userProcedure
    .meta({
      rest: "GET /account/activity.json",
      summary: "Count the runs of the last 24 hours",
      description: "In 96 slots of a quarter of an hour: the runs that the caller sees, those in progress included.",
    })
    .output(Activity)
    .query(({ ctx }) => readActivity(ctx)),

  counts: userProcedure
    .meta({
      rest: "GET /account/counts.json",
      summary: "Count what the caller sees",
      description:
        `At most ${MOST_COUNTED} of each kind are counted. A kind that the caller may not list, by its role or by its ` +
        "token's scopes, is null.",
    })
    .output(Counts)
    .query(({ ctx }) => countThings(ctx)),
});
