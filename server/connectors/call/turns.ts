/** Limits the concurrent calls of one account or one connector. */
import { createFairLimiter, LimiterFull } from "../../fairness/fair_limiter.ts";
import { ConnectorFault } from "./fault.ts";

export interface Turns {
  /**
   * Resolves when the call may begin.
   *
   * @param id of the account or connector
   * @returns ends the turn
   * @throws the signal's reason
   * @throws {ConnectorFault} `network` if too many calls wait already
   */
  take(id: number, signal: AbortSignal): Promise<() => void>;
  /** Calls that have a turn or wait for one. */
  count(): number;
}

export function createTurns(at_once: number, max_waiting: number): Turns {
  const limiter = createFairLimiter({ per_account: at_once, waiting_per_account: max_waiting });
  return {
    count: () => limiter.count(),
    async take(id, signal) {
      try {
        return await limiter.acquire(id, signal);
      } catch (error) {
        if (!(error instanceof LimiterFull)) throw error;
        throw new ConnectorFault(
          "network",
          `${at_once} calls are in progress and ${max_waiting} wait already: try again later`,
        );
      }
    },
  };
}
