/** Creates, changes, resumes and deletes triggers. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, type Fields, invalid, notFound } from "../../errors.ts";
import { fold } from "../../input/shapes.ts";
import {
  CATCH_UP_S,
  MAX_FAILURES,
  type Overlap,
  type RecordSettings,
  settleUncounted,
  type TriggerKind,
} from "../../schedule/schedule.ts";
import { faultOfDepartment } from "../departments/proof.ts";
import { findFlowActive } from "../flows/queries.ts";
import { deleteCron, findCron, insertCron, lockCron, readCron, updateCron } from "./queries.ts";
import { faultsOfRecord, findFollowed, lookAgain, placeCursor, sentenceOf } from "./records/cursor.ts";
import { reschedule } from "./reschedule.ts";
import type { Cron, CronChanges, NewCron } from "./schema.ts";
import { readTimetable, timetableFaults } from "./timetable.ts";
import { changeAddress, changeSecret, insertWebhook, newAddress } from "./webhooks/secrets.ts";
import { settingsOf } from "./webhooks/schema.ts";

/** What a new trigger has that its author left out. */
export const DEFAULTS = {
  name: null,
  kind: "flow",
  input: null,
  timezone: "UTC",
  active: true,
  catch_up: CATCH_UP_S,
  max_failures: MAX_FAILURES,
  department_id: null,
};

export const OVERLAP: Record<TriggerKind, Overlap> = { flow: "skip", webhook: "allow", record: "queue" };

/** @throws {Refusal} 422 */
export async function createCron(ctx: Context, input: NewCron): Promise<Json<Cron>> {
  const { sql, viewer, clock } = ctx;
  const { webhook, record = null, ...written } = input;
  const kind = written.kind ?? "flow";
  const values = { ...DEFAULTS, schedule: null, overlap: OVERLAP[kind], ...written, kind };
  await proveChanges(ctx, kind, { ...values, webhook, record });
  const db = record ? await findFollowed(ctx, record) : undefined;
  const timetable = values.schedule === null ? undefined : readTimetable(ctx, values.schedule, values.timezone);
  const address = kind === "webhook" ? newAddress(ctx) : undefined;
  const id = await sql.begin(async (tx) => {
    const id = await insertCron(tx, viewer.account_id, {
      ...values,
      name_folded: fold(values.name ?? ""),
      settings: kind === "webhook" ? settingsOf(webhook) : record,
      author_id: viewer.user_id,
      sentence: timetable?.sentence ?? (record ? sentenceOf(record) : "When the webhook is called"),
      next_run_at: values.active ? timetable?.next(clock.now(), 1)[0] ?? null : null,
      failures: 0,
    });
    if (address) await insertWebhook(ctx, tx, id, address, webhook?.secret);
    if (db) await placeCursor(tx, id, db);
    return id;
  });
  return await readCron(ctx, id, sql, address?.url);
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
  const before = (await findCron(sql, viewer, id))?.parse();
  if (!before) throw notFound("Trigger");
  await proveChanges(ctx, before.kind, changes);
  // A trigger whose database is gone is paused again as soon as it is looked at.
  const followed = changes.record ?? before.record;
  const db = followed ? await findFollowed(ctx, followed) : undefined;
  await sql.begin(async (tx) => {
    const cron = await lockCron(tx, viewer, id);
    if (!cron) throw notFound("Trigger");
    const { lock_version, webhook, record, ...values } = changes;
    if (lock_version !== undefined && lock_version !== cron.lock_version) {
      throw conflict((await readCron(ctx, id, tx)).parse());
    }
    const now = clock.now();
    if (resumed || changes.active && !cron.active) await settleUncounted(tx, viewer.account_id, id);
    const rescheduled = await reschedule(ctx, tx, cron, changes, resumed, now);
    // Both decide what the trigger passes on with its author's reach.
    const author = changes.target_code === undefined && !record ? {} : { author_id: viewer.user_id };
    const folded = values.name === undefined ? {} : { name_folded: fold(values.name ?? "") };
    const settings = webhook ? { settings: settingsOf(webhook) } : recordColumns(record);
    await updateCron(tx, viewer.account_id, id, { ...values, ...folded, ...settings, ...author, ...rescheduled });
    if (db && (record || resumed || changes.active && !cron.active)) await placeCursor(tx, id, db);
    if (cron.kind === "record") await lookAgain(tx, id);
    if (webhook) await changeSecret(ctx, tx, id, webhook.secret);
  });
  return await readCron(ctx, id);
}

const recordColumns = (record: RecordSettings | null | undefined) =>
  record ? { settings: record, sentence: sentenceOf(record) } : {};

/** @throws {Refusal} 404 */
export const resumeCron = (ctx: Context, id: number): Promise<Json<Cron>> =>
  changeCron(ctx, id, { active: true }, true);

/** @throws {Refusal} 404 */
export async function removeCron({ sql, viewer }: Context, id: number): Promise<void> {
  if (!await deleteCron(sql, viewer, id)) throw notFound("Trigger");
}

/** Gives a webhook trigger another secret address. The old one holds no longer. @throws {Refusal} 404 */
export async function rotateAddress(ctx: Context, id: number): Promise<Json<Cron>> {
  const { sql, viewer } = ctx;
  const address = newAddress(ctx);
  await sql.begin(async (tx) => {
    const cron = await lockCron(tx, viewer, id);
    if (cron?.kind !== "webhook") throw notFound("Webhook trigger");
    await changeAddress(ctx, tx, id, address);
  });
  return await readCron(ctx, id, sql, address.url);
}

type Proven = Pick<
  CronChanges,
  "kind" | "schedule" | "timezone" | "target_code" | "department_id" | "webhook" | "record"
>;

/** @throws {Refusal} 422 with the faults of all fields */
async function proveChanges(ctx: Context, kind: TriggerKind, changes: Proven): Promise<void> {
  const { schedule, timezone = "UTC", target_code, department_id, webhook, record } = changes;
  const department_fault = department_id === undefined ? undefined : await faultOfDepartment(ctx, department_id);
  const faults: Fields = {
    ...timetableFaults(ctx, schedule ?? "* * * * *", timezone),
    ...changes.kind !== undefined && changes.kind !== kind && { kind: ["can't be changed"] },
    ...kind === "flow" && schedule === null && { schedule: ["can't be blank"] },
    ...kind !== "flow" && schedule && { schedule: [`must be null for a trigger of kind ${kind}`] },
    ...kind !== "webhook" && webhook && { webhook: [`must be null for a trigger of kind ${kind}`] },
    ...kind === "record" && record === null && { record: ["can't be blank"] },
    ...kind !== "record" && record && { record: [`must be null for a trigger of kind ${kind}`] },
    ...kind === "record" && record && await faultsOfRecord(ctx, record),
    ...target_code !== undefined && !await hasFlow(ctx, target_code) && { target_code: ["must exist"] },
    ...department_fault !== undefined && { department_id: [department_fault] },
  };
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

const hasFlow = async ({ sql, viewer }: Context, code: string): Promise<boolean> =>
  await findFlowActive(sql, viewer, code) !== undefined;
