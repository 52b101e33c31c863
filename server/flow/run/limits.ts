/** How much the engine executes at once, and for how long. */
export interface Limits {
  /** The time without a heartbeat after which peers declare a process dead. */
  lease_ms: number;
  /** The deadline of a run, from its first step. */
  run_ms: number;
  /** Runs that this process works on at once, in total and of one share. A run that waits does not count. */
  at_once: number;
  at_once_per_account: number;
  /** Runs that have begun and have not ended, in total and of one share. */
  in_progress: number;
  in_progress_per_account: number;
  /** Runs that wait or are executed in this process, in total and of one account. */
  most: number;
  most_per_account: number;
  /** Checks in one commit to Deno KV. */
  checks_at_once: number;
}

export const LIMITS: Limits = {
  lease_ms: 30_000,
  run_ms: 10 * 60_000,
  at_once: 200,
  at_once_per_account: 50,
  in_progress: 2_000,
  in_progress_per_account: 300,
  most: 20_000,
  most_per_account: 10_000,
  checks_at_once: 90,
};
