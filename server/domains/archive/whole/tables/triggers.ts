/**
 * Triggers. They are active or paused as before, and their next times are computed anew. A webhook gets another address,
 * because only the hash of the old one is stored; one with signatures gets a random key, so that every delivery is
 * refused until the key of the sender is set.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { invalid } from "../../../../errors.ts";
import { fold, Id, LockVersion, Uuid } from "../../../../input/shapes.ts";
import { RecordSettings, TimetableFault } from "../../../../schedule/schedule.ts";
import { findKnownDb } from "../../../../store/store.ts";
import { placeCursor } from "../../../crons/records/cursor.ts";
import { CronChanges } from "../../../crons/schema.ts";
import { WebhookSettings } from "../../../crons/webhooks/schema.ts";
import { insertWebhook, newAddress } from "../../../crons/webhooks/secrets.ts";
import { byId, Moment, type MovedTable, type Restoring } from "../moved.ts";

const shape = CronChanges.omit({ webhook: true, record: true }).required().extend({
  id: Id,
  settings: z.union([WebhookSettings, RecordSettings]).nullable(),
  failures: z.int().min(0),
  last_run_id: Uuid.nullable(),
  lock_version: LockVersion,
  created_at: Moment,
  updated_at: Moment,
});

export const triggers: MovedTable = {
  name: "triggers",
  with: "account",
  table: part`crons`,
  columns: part`
    id, department_id, name, kind, target_code, input, schedule, timezone, sentence, active, overlap, catch_up,
    max_failures, failures, paused_reason, last_run_at, last_run_id, last_status, settings, author_id, lock_version,
    created_at, updated_at
  `,
  made: part`next_run_at, name_folded`,
  ...byId,
  at_once: 100,
  numbered: "trigger",
  references: { department_id: ["department", "null"], author_id: ["user", "null"] },
  shape,
  prove({ kind, settings, schedule }) {
    const fits = kind === "webhook"
      ? WebhookSettings.safeParse(settings).success
      : kind === "record"
      ? RecordSettings.safeParse(settings).success
      : settings === null && typeof schedule === "string";
    if (!fits) throw invalid({ settings: [`are not those of a trigger of kind ${kind}`] });
  },
  settle({ name, active, schedule, timezone, last_run_id }, { ctx: { schedules, clock }, has_runs }) {
    const next_run_at = active === true && typeof schedule === "string"
      ? nextTime(() => schedules.read(schedule, String(timezone)).next(clock.now(), 1)[0])
      : undefined;
    const name_folded = fold(typeof name === "string" ? name : "");
    return { name_folded, next_run_at: next_run_at ?? null, last_run_id: has_runs ? last_run_id : null };
  },
  async follow(rows, { ctx, result }) {
    for (const { id, name, kind, settings, target_code } of rows) {
      if (kind !== "webhook") continue;
      const address = newAddress(ctx);
      const called = typeof name === "string" ? name : String(target_code);
      const is_signed = WebhookSettings.parse(settings).signature !== "none";
      await insertWebhook(ctx, ctx.sql, Number(id), address, is_signed ? randomBytes(32).toString("hex") : undefined);
      result.webhooks.push({ trigger_id: Number(id), name: called, webhook_url: address.url });
      if (is_signed) result.secrets.push({ kind: "trigger", name: called });
    }
  },
};

/** @throws {Refusal} 422 */
function nextTime(next: () => Date | undefined): Date | undefined {
  try {
    return next();
  } catch (error) {
    throw error instanceof TimetableFault ? invalid({ [error.field]: [error.message] }) : error;
  }
}

/** Most triggers of an account that follow records. */
const MOST = 100_000;

/**
 * Lets the triggers of changed records follow their databases. After the records are written: nothing that is imported
 * starts a flow.
 */
export async function followRecords({ ctx: { sql }, account }: Restoring): Promise<void> {
  const followers = await sql<{ id: number; db_code: string }[]>`
    select id, settings ->> 'db_code' as db_code
    from crons
    where account_id = ${account}
      and kind = 'record'
    order by id
    limit ${MOST}
  `;
  for (const { id, db_code } of followers) {
    const db = await findKnownDb(sql, account, db_code);
    if (db) await placeCursor(sql, id, db);
    // As after the deletion of the database.
    else await sql`insert into record_cursors (id, account_id, db_id, seq) values (${id}, ${account}, null, 0)`;
  }
}

/** The ledger has the outcome of an ended run a moment later. */
const OUTCOME = part`coalesce(outcome, (
  select p.status
  from flow_processes p
  where p.id = cron_runs.flow_process_id
    and p.account_id = cron_runs.account_id
))`;

/** The ledger of triggers, without what is queued or in progress. */
export const triggerRuns: MovedTable = {
  name: "trigger_runs",
  with: "runs",
  table: part`cron_runs`,
  columns: part`
    cron_id, due_at, due_until, slots, by_hand, state, reason, flow_process_id, taken_at, started_at, outcome, event_key,
    created_at
  `,
  selected: part`
    id, cron_id, due_at, due_until, slots, by_hand, state, reason, flow_process_id, taken_at, started_at,
    ${OUTCOME} as outcome, event_key, created_at
  `,
  own: (account) =>
    part`account_id = ${account} and (state in ('skipped', 'missed') or state in ('ran', 'late') and ${OUTCOME} is not null)`,
  key: part`id`,
  keyOf: ({ id }) => part`${String(id)}::bigint`,
  at_once: 1_000,
  references: { cron_id: ["trigger", "skip"] },
  shape: z.object({
    cron_id: Id,
    state: z.enum(["ran", "late", "skipped", "missed"]),
    outcome: z.enum(["finished", "error", "cancelled"]).nullable(),
    due_at: Moment,
    created_at: Moment,
  }),
};
