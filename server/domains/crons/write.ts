/** Creates, changes, resumes and deletes triggers. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, type Fields, invalid, notFound } from "../../errors.ts";
import { CATCH_UP_S, MAX_FAILURES, settleUncounted } from "../../schedule/schedule.ts";
import { faultOfDepartment } from "../departments/proof.ts";
import { findFlowActive } from "../flows/queries.ts";
import { deleteCron, insertCron, lockCron, readCron, updateCron } from "./queries.ts";
import { reschedule } from "./reschedule.ts";
import type { Cron, CronChanges, NewCron } from "./schema.ts";
import { readTimetable, timetableFaults } from "./timetable.ts";

const DEFAULTS = {
  name: null,
  kind: "flow",
  input: null,
  timezone: "UTC",
  active: true,
  overlap: "skip",
  catch_up: CATCH_UP_S,
  max_failures: MAX_FAILURES,
  department_id: null,
};

/** @throws {Refusal} 422 */
export async function createCron(ctx: Context, input: NewCron): Promise<Json<Cron>> {
  const { sql, viewer, clock } = ctx;
  const values = { ...DEFAULTS, ...input };
  await proveChanges(ctx, values);
  const timetable = readTimetable(ctx, values.schedule, values.timezone);
  const id = await insertCron(sql, viewer.account_id, {
    ...values,
    author_id: viewer.user_id,
    sentence: timetable.sentence,
    next_run_at: values.active ? timetable.next(clock.now(), 1)[0] : null,
    failures: 0,
  });
  return await readCron(ctx, id);
}

/**
 * @param resumed treats the trigger as newly activated: failures start at zero
 * @throws {Refusal} 404; 409 if `lock_version` is stale; 422
 */
export async function changeCron(
  ctx: Context,
  id: number,
  changes: CronChanges,
  resumed = false,
): Promise<Json<Cron>> {
  const { sql, viewer, clock } = ctx;
  await proveChanges(ctx, changes);
  await sql.begin(async (tx) => {
    const cron = await lockCron(tx, viewer, id);
    if (!cron) throw notFound("Trigger");
    const { lock_version, ...values } = changes;
    if (lock_version !== undefined && lock_version !== cron.lock_version) {
      throw conflict((await readCron(ctx, id, tx)).parse());
    }
    const now = clock.now();
    if (resumed || changes.active && !cron.active) await settleUncounted(tx, viewer.account_id, id);
    const rescheduled = await reschedule(ctx, tx, cron, changes, resumed, now);
    const author = changes.target_code === undefined ? {} : { author_id: viewer.user_id };
    await updateCron(tx, viewer.account_id, id, { ...values, ...author, ...rescheduled });
  });
  return await readCron(ctx, id);
}

/** @throws {Refusal} 404 */
export const resumeCron = (ctx: Context, id: number): Promise<Json<Cron>> =>
  changeCron(ctx, id, { active: true }, true);

/** @throws {Refusal} 404 */
export async function removeCron({ sql, viewer }: Context, id: number): Promise<void> {
  if (!await deleteCron(sql, viewer, id)) throw notFound("Trigger");
}

/** @throws {Refusal} 422 with the faults of all fields */
async function proveChanges(
  ctx: Context,
  { schedule = "* * * * *", timezone = "UTC", target_code, department_id }: Pick<
    CronChanges,
    "schedule" | "timezone" | "target_code" | "department_id"
  >,
): Promise<void> {
  const department_fault = department_id === undefined ? undefined : await faultOfDepartment(ctx, department_id);
  const faults: Fields = {
    ...timetableFaults(ctx, schedule, timezone),
    ...target_code !== undefined && !await hasFlow(ctx, target_code) && { target_code: ["must exist"] },
    ...department_fault !== undefined && { department_id: [department_fault] },
  };
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

const hasFlow = async ({ sql, viewer }: Context, code: string): Promise<boolean> =>
  await findFlowActive(sql, viewer, code) !== undefined;
