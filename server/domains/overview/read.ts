/** What needs the viewer's attention, and how much an account does. */
import type { Context } from "../../context.ts";
import { createdAt } from "../../database/uuid_v7.ts";
import { isoOf } from "../../database/iso_time.ts";
import { mayDo } from "../../viewer.ts";
import { visibleTo } from "../../visibility.ts";
import { listUnanswerable } from "../approvals/answerers.ts";
import { countRuns, listFailedRuns, listRefusedApps, listTroubledTriggers } from "./queries.ts";
import type { Activity, Problem, ProblemQuery } from "./schema.ts";

const DAY_MS = 86_400_000;

/** Newest first. */
export async function listProblems({ sql, viewer, clock }: Context, query: ProblemQuery): Promise<Problem[]> {
  const { days, per_page } = query;
  const since = clock.now().getTime() - days * DAY_MS;
  const [runs, triggers, apps, questions] = await Promise.all([
    listFailedRuns(sql, viewer, since, per_page),
    listTroubledTriggers(sql, viewer, per_page),
    mayDo(viewer, "manager", "apps:write") ? listRefusedApps(sql, viewer, since, per_page) : [],
    mayDo(viewer, "admin", "flow_processes:read") ? listUnanswerable(sql, viewer, per_page) : [],
  ]);
  const retry = mayDo(viewer, "user", "flow_processes:write") ? "retry" : "open";
  const resume = mayDo(viewer, "manager", "crons:write") ? "resume" : "open";
  const problems = [
    ...runs.map((run): Problem => ({ kind: "run", ...run, action: retry })),
    ...triggers.map(({ paused, ...trigger }): Problem => ({
      kind: "trigger",
      ...trigger,
      action: paused ? resume : "open",
    })),
    ...questions.map((question): Problem => ({ kind: "approval", ...question, action: "open" })),
    ...apps.map((app): Problem => ({ kind: "compile", ...app, action: "open" })),
  ];
  return problems.toSorted((a, b) => a.at < b.at ? 1 : a.at > b.at ? -1 : 0).slice(0, per_page);
}

const SLOTS = 96;
const SLOT_MINUTES = 15;
const SLOT_MS = SLOT_MINUTES * 60_000;

/** Runs in progress, and runs that wait, that are counted. */
const MOST_PENDING = 10_000;

/** The last 24 hours in slots that begin at full quarters of an hour. */
export async function readActivity({ sql, viewer, clock, flows }: Context): Promise<Activity> {
  const end = Math.floor(clock.now().getTime() / SLOT_MS + 1) * SLOT_MS;
  const from = end - SLOTS * SLOT_MS;
  const moments = Array.from({ length: SLOTS + 1 }, (_, n) => from + n * SLOT_MS);
  const heads = await Promise.all([
    flows.pending(viewer.account_id, MOST_PENDING),
    flows.waiting(viewer.account_id, MOST_PENDING),
  ]);
  const pending = new Map(heads.flat().map((head) => [head.id, head])).values();
  const ended = await countRuns(sql, viewer, moments);
  const started = ended.map((slot) => slot.started);
  for (const { id, department_id } of pending) {
    const slot = Math.floor((createdAt(id) - from) / SLOT_MS);
    if (slot in started && visibleTo(viewer, department_id)) started[slot] = (started[slot] ?? 0) + 1;
  }
  return { from: isoOf(from), minutes: SLOT_MINUTES, started, failed: ended.map(({ failed }) => failed) };
}
