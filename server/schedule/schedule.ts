/**
 * Interface of the schedule room. Other rooms import only this file.
 *
 * - **Trigger** (the API's cron): starts a flow at the moments that its cron expression names in its time zone, when its
 *   webhook is called, or when records change.
 * - **Due time**: such a moment. The API counts due times as `slots`.
 * - **Ledger**: the rows of `cron_runs`. Every due time is accounted for in it, whether or not a run was started.
 * - **Tick**: the once-a-minute pass of `Deno.cron` that claims due triggers, starts their runs and settles ended ones.
 *   PostgreSQL decides what is due, so that several processes start each run once.
 * - **Claim**: writes the due times of a trigger to the ledger and moves its `next_run_at`, in one transaction.
 * - **Settle**: copies the outcome of an ended run to the ledger and counts failures in a row.
 * - **Catch-up**: starting a run within `catch_up` seconds after its due time, if it was not started in time.
 * - **Cursor**: how far a trigger of changed records has read the feed of its database.
 * - **Overlap**: what happens to a due time while the trigger's previous run has not ended.
 *
 * Defaults: catch-up of one hour, pause after 10 failures in a row, 90 days of ledger.
 */
export { createSchedules, type Schedules } from "./create_schedules.ts";
export { insertSkipped, settleUncounted } from "./ledger/trigger_changes.ts";
export type { Received, TriggerEvent } from "./events/receive.ts";
export {
  LEDGER_STATES,
  type LedgerState,
  OUTCOMES,
  type Overlap,
  OVERLAPS,
  type RunOutcome,
  TRIGGER_KINDS,
  type TriggerKind,
} from "./ledger/states.ts";
export { type Chosen, chosenIn, RecordSettings } from "./records/settings.ts";
export type { Firing } from "./start/fire.ts";
export type { Ticked } from "./tick.ts";
export { latestPeriods, type Period, PERIODS } from "./timetable/calendar.ts";
export { type Timetable, TimetableFault } from "./timetable/timetable.ts";
export { CATCH_UP_S, MAX_FAILURES } from "./trigger_defaults.ts";
