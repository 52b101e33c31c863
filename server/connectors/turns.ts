/** Limits the connector calls of one account (or of one connector) that are under way at once. */
import { createFairLimiter, LimiterFull } from "../fairness/fair_limiter.ts";
import { ConnectorFault } from "./connectors.ts";

export interface Turns {
  /**
   * Resolves when it is the caller's turn.
   *
   * @returns ends the turn
   * @throws the signal's reason
   * @throws {ConnectorFault} if too many calls wait already
   */
  take(account: number, signal: AbortSignal): Promise<() => void>;
}

export function createTurns(at_once: number, most_waiting: number): Turns {
  const limiter = createFairLimiter({ per_account: at_once, waiting_per_account: most_waiting });
  return {
    async take(account, signal) {
      try {
        return await limiter.acquire(account, signal);
      } catch (error) {
        if (!(error instanceof LimiterFull)) throw error;
        throw new ConnectorFault("network", `${at_once} calls are under way and ${most_waiting} wait already`);
      }
    },
  };
}
