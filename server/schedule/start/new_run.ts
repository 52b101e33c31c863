/** The run that a ledger row starts. */
import type { Flows, NewRun } from "../../flow/flow.ts";
import type { Pool } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
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

/** The idempotency key is the due minute, so that the engine starts the same row only once. */
export const newRun = (
  { account_id, cron_id, target_code, author_id, flow_process_id, due_at, by_hand }: PendingStart,
): NewRun => ({
  id: flow_process_id,
  account_id,
  flow_code: target_code,
  input: { kind: "cron", cron_id },
  trigger: "cron",
  user_id: null,
  author: { id: author_id, of: "trigger" },
  cron_id,
  idempotency_key: `cron:${cron_id}:${by_hand ? flow_process_id : `${due_at.slice(0, 16)}Z`}`,
});
