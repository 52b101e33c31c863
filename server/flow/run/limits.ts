/** How much the engine does at once, and for how long. */
export interface Limits {
  /** How long other processes hear nothing of one until they declare it dead. */
  lease_ms: number;
  /** Of a run, from its first step. */
  run_ms: number;
  /** Runs that are executed at once, here. */
  at_once: number;
  at_once_per_account: number;
  /** Runs that wait or are executed here. */
  most: number;
  most_per_account: number;
}

export const LIMITS: Limits = {
  lease_ms: 30_000,
  run_ms: 10 * 60_000,
  at_once: 200,
  at_once_per_account: 50,
  most: 20_000,
  most_per_account: 10_000,
};
