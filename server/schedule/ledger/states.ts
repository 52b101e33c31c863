/** Values of the ledger's columns and of a trigger's settings that concern it. */

/** While the previous run has not ended: skip the due time, start a second run, or let one due time wait. */
export const OVERLAPS = ["skip", "allow", "queue"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/**
 * - `ran`: a run was started within a minute of the due time.
 * - `late`: a run was started after that.
 * - `queued`: waits for the previous run, then becomes `late`.
 * - `skipped`: a process saw the due time and did not start a run.
 * - `missed`: no process started a run in time.
 */
export const LEDGER_STATES = ["ran", "late", "queued", "skipped", "missed"] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

/** What starts a trigger: its schedule, a request from outside, or changes of records. */
export const TRIGGER_KINDS = ["flow", "webhook", "record"] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** Outcomes of ended runs. */
export const OUTCOMES = ["finished", "error", "cancelled"] as const;
export type RunOutcome = (typeof OUTCOMES)[number];
