/** Creating, changing, resuming, firing and deleting scheduled triggers. */
import type { Context } from "../../context.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import { Json } from "../../database/json.ts";
import { CATCH_UP_S, MAX_FAILURES, type Timetable, TimetableFault } from "../../schedule/schedule.ts";
import { proveDepartment } from "../departments/proof.ts";
import { findFlowActive } from "../flows/queries.ts";
import {
  deleteCron,
  findCron,
  insertCron,
  insertSkipped,
  listCronRuns,
  lockCron,
  noteEnds,
  updateCron,
  type Values,
  type WrittenCron,
} from "./queries.ts";
import type { Cron, CronChanges, CronRun, CronRunPage, Fired, ListedCron, NewCron } from "./schema.ts";

const NEXT_TIMES = 5;

const DEFAULTS = {
  name: null,
  kind: "flow",
  timezone: "UTC",
  active: true,
  overlap: "skip",
  catch_up: CATCH_UP_S,
  max_failures: MAX_FAILURES,
  department_id: null,
};

/** @throws {Refusal} 404 */
export async function readCron(ctx: Context, id: number): Promise<Json<Cron>> {
  const cron = withTimes(ctx, await findCron(ctx.sql, ctx.viewer, id));
  if (!cron) throw notFound("Trigger");
  return cron;
}

function withTimes({ schedules, clock }: Context, found: Json<ListedCron> | undefined): Json<Cron> | undefined {
  const cron = found?.parse();
  if (!cron) return undefined;
  const next = cron.active ? schedules.read(cron.schedule, cron.timezone).next(clock.now(), NEXT_TIMES) : [];
  const next_times = next.map((time) => time.toISOString().replace("Z", "+00:00"));
  return new Json(JSON.stringify({ ...cron, next_times }));
}

export async function createCron(ctx: Context, input: NewCron): Promise<Json<Cron>> {
  const { sql, viewer, clock } = ctx;
  const values = { ...DEFAULTS, ...input };
  const timetable = readTimetable(ctx, values.schedule, values.timezone);
  await proveFlow(ctx, values.target_code);
  await proveDepartment(ctx, values.department_id);
  const id = await insertCron(sql, viewer.account_id, {
    ...values,
    sentence: timetable.sentence,
    next_run_at: values.active ? timetable.next(clock.now(), 1)[0] : null,
    failures: 0,
  });
  return await readCron(ctx, id);
}

/**
 * @param resumed as if it had not been active: failures begin at nothing
 * @throws {Refusal} 404; 409 where `lock_version` is stale
 */
export async function changeCron(
  ctx: Context,
  id: number,
  changes: CronChanges,
  resumed = false,
): Promise<Json<Cron>> {
  const { sql, viewer, clock } = ctx;
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  if (changes.target_code !== undefined) await proveFlow(ctx, changes.target_code);
  await sql.begin(async (tx) => {
    const cron = await lockCron(tx, viewer, id);
    if (!cron) throw notFound("Trigger");
    const { lock_version, ...values } = changes;
    if (lock_version !== undefined && lock_version !== cron.lock_version) {
      throw conflict(withTimes(ctx, await findCron(tx, viewer, id))?.parse());
    }
    const now = clock.now();
    if (resumed || changes.active && !cron.active) await noteEnds(tx, id);
    const { more, left_out } = rescheduled(ctx, cron, changes, resumed, now);
    if (left_out && cron.next_run_at !== null && new Date(cron.next_run_at) <= now) {
      const reason = "the trigger was changed before the run started";
      const { from, until, slots } = dueOf(ctx, cron, new Date(cron.next_run_at), now);
      await insertSkipped(tx, { account: viewer.account_id, id, due_at: from, due_until: until, slots, reason });
    }
    await updateCron(tx, viewer.account_id, id, { ...values, ...more });
  });
  return await readCron(ctx, id);
}

/** The slots that are due and not claimed: one, or several after a time in which no process was there. */
function dueOf(ctx: Context, { schedule, timezone }: WrittenCron, from: Date, now: Date) {
  const timetable = readTimetable(ctx, schedule, timezone);
  const slots = Math.max(1, timetable.count(from, now));
  return { from, until: slots > 1 ? timetable.last(now, 1)[0] ?? null : null, slots };
}

/** What a change means for the times. `left_out`: what is due now, and not claimed, will not be. */
function rescheduled(
  ctx: Context,
  cron: WrittenCron,
  { schedule = cron.schedule, timezone = cron.timezone, active = cron.active }: CronChanges,
  resumed: boolean,
  now: Date,
): { more: Values; left_out: boolean } {
  const is_new = schedule !== cron.schedule || timezone !== cron.timezone;
  const timetable = readTimetable(ctx, schedule, timezone);
  const begins = active && !cron.active || resumed;
  return {
    left_out: cron.active && (is_new || !active),
    more: {
      sentence: timetable.sentence,
      ...(active && (is_new || begins && !cron.active) && { next_run_at: timetable.next(now, 1)[0] }),
      ...(!active && { next_run_at: null }),
      ...(begins && { failures: 0, paused_reason: null }),
    },
  };
}

/** @throws {Refusal} 404 */
export const resumeCron = (ctx: Context, id: number): Promise<Json<Cron>> =>
  changeCron(ctx, id, { active: true }, true);

/** @throws {Refusal} 404 */
export async function removeCron({ sql, viewer }: Context, id: number): Promise<void> {
  if (!await deleteCron(sql, viewer, id)) throw notFound("Trigger");
}

/** @throws {Refusal} 404; 422 where its flow cannot be started */
export async function fireCron({ sql, viewer, schedules }: Context, id: number): Promise<Fired> {
  const cron = (await findCron(sql, viewer, id))?.parse();
  if (!cron) throw notFound("Trigger");
  const active = await findFlowActive(sql, viewer, cron.target_code);
  if (!active) throw invalid({ target_code: [active === undefined ? "must exist" : "is not active"] });
  const run = await schedules.fire({ account_id: viewer.account_id, cron_id: id, target_code: cron.target_code });
  return { flow_process_id: run.id, status: "pending" };
}

/** @throws {Refusal} 404 */
export async function readCronRuns({ sql, viewer }: Context, page: CronRunPage): Promise<Json<CronRun[]>> {
  if (!await findCron(sql, viewer, page.id)) throw notFound("Trigger");
  return await listCronRuns(sql, viewer.account_id, page);
}

/** @throws {Refusal} 422 */
async function proveFlow({ sql, viewer }: Context, code: string): Promise<void> {
  if (await findFlowActive(sql, viewer, code) === undefined) throw invalid({ target_code: ["must exist"] });
}

/** @throws {Refusal} 422 */
function readTimetable({ schedules }: Context, schedule: string, timezone: string): Timetable {
  try {
    return schedules.read(schedule, timezone);
  } catch (error) {
    if (error instanceof TimetableFault) throw invalid({ [error.field]: [error.message] });
    throw error;
  }
}
