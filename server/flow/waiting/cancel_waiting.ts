/** Cancelling a run that waits: its outcome is recorded without waking it. */
import type { Pool } from "../../database/pool.ts";
import type { RunHead, StepRecord } from "../run/model.ts";
import { CANCELLED } from "../run/execution/interruption.ts";
import { insertProcesses, rowOf } from "../storage/record_outcomes.ts";
import type { RunStore } from "../storage/run_store.ts";
import { closeApprovals } from "./approval_store.ts";
import { findEarlier, findWaiting, forgetWait } from "./wait_store.ts";

/** @returns the run; undefined if it does not wait */
export async function cancelWaiting(
  { sql, store }: { sql: Pool; store: RunStore },
  account_id: number,
  id: string,
  now: Date,
): Promise<{ head: RunHead; steps: StepRecord[] } | undefined> {
  return await sql.begin(async (tx) => {
    const waiting = await findWaiting(tx, account_id, id, true);
    if (!waiting) return undefined;
    const { head, attempts } = waiting;
    const { status, message } = CANCELLED;
    const steps = await findEarlier(tx, id);
    const row = rowOf({
      head: { ...head, attempts },
      // It is a row of the same database, so it is read in the same transaction.
      input: await store.inputOf(head, tx) ?? {},
      outcome: { status, data: null, error: message },
      steps,
      finished_at: now.getTime(),
    });
    await insertProcesses(tx, [row]);
    await forgetWait(tx, id);
    await closeApprovals(tx, account_id, steps.flatMap(openApproval));
    return { head, steps };
  });
}

/** The question that a step still asks. */
const openApproval = ({ type, status, begun }: StepRecord): string[] =>
  type === "approval" && status === "waiting" && begun?.awaits ? [begun.awaits] : [];
