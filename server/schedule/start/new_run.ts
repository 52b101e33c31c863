/** The run that a ledger row starts. */
import type { Flows, NewRun } from "../../flow/flow.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { localTime } from "../timetable/zone.ts";
import type { PendingStart } from "../ledger/start_rows.ts";

export interface Deps {
  sql: Pool;
  flows: Pick<Flows, "start" | "wait">;
  clock: { now(): Date };
  log: Log;
}

/** Whether the flow engine has the run, so that a start of a row may be taken as done. */
export const isKnown = async ({ flows }: Deps, row: Pick<PendingStart, "account_id" | "flow_process_id">) =>
  await flows.wait(row.account_id, row.flow_process_id, 0) !== undefined;

/** The idempotency key is the due minute, or an event's run, so that the engine starts the same row only once. */
export const newRun = (row: PendingStart): NewRun => ({
  id: row.flow_process_id,
  account_id: row.account_id,
  flow_code: row.target_code,
  input: row.payload ?? inputOf(row),
  trigger: "cron",
  user_id: null,
  author: { id: row.author_id, of: "trigger" },
  cron_id: row.cron_id,
  trigger_data: triggerData(row),
  idempotency_key: `cron:${row.cron_id}:${
    row.by_hand || row.payload ? row.flow_process_id : `${row.due_at.slice(0, 16)}Z`
  }`,
});

/** Of a due time, and of a run by hand. The input of a test of a trigger for records has `changes`. */
export function inputOf({ kind, cron_id, input }: Pick<PendingStart, "kind" | "cron_id" | "input">): JsonObject {
  return kind === "record" ? { changes: [], ...input } : input ?? { kind: "cron", cron_id };
}

/** What templates see as `trigger`. Kept with the run, so a takeover and a repeated run see the same. */
function triggerData({ kind, cron_id, due_at, timezone }: PendingStart): JsonObject {
  const local = localTime(new Date(due_at), timezone);
  return { kind: kind === "flow" ? "cron" : kind, cron_id, due_at: local, due_date: local.slice(0, 10), timezone };
}
