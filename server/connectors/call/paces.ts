/** Spaces the calls of connectors with `per_second`, over all processes. Runs take turns. */
import type { Pool } from "../../database/pool.ts";
import { createFairLimiter, type FairLimiter, LimiterFull } from "../../fairness/fair_limiter.ts";
import type { OpenConnector } from "../secret/open_connector.ts";
import { ConnectorFault } from "./fault.ts";

const MAX_WAITING = 1_000;
/** Moments that processes have reserved; each reserves one at a time. */
const MOST_RESERVED = 20;

export interface Paces {
  /**
   * Resolves when it is the run's turn among the runs that call the connector. No other run of this process gets a turn
   * before this one has ended, so that calls do not pile up while they wait for something else.
   *
   * @returns ends the turn
   * @throws the signal's reason
   * @throws {ConnectorFault} `network` if too many calls wait already
   */
  turn(connector: OpenConnector, run_id: string, signal: AbortSignal): Promise<Turn>;
}

export interface Turn {
  /** Waits until the connector may be called. @throws the signal's reason */
  moment(): Promise<void>;
  end(): void;
}

const UNPACED: Turn = { moment: () => Promise.resolve(), end: () => {} };

export function createPaces(sql: Pool): Paces {
  const limiters = new Map<number, FairLimiter<string>>();
  return {
    async turn({ id, account_id, fields: { per_second } }, run_id, signal) {
      if (per_second === undefined) return UNPACED;
      const limiter = limiters.get(id) ?? createFairLimiter<string>({ total: 1, waiting_per_account: MAX_WAITING });
      limiters.set(id, limiter);
      try {
        const end = await limiter.acquire(run_id, signal);
        return {
          moment: async () => await sleep(await reserve(sql, account_id, id, 1 / per_second), signal),
          end() {
            end();
            if (limiter.count() === 0) limiters.delete(id);
          },
        };
      } catch (error) {
        if (!(error instanceof LimiterFull)) throw error;
        throw new ConnectorFault("network", `${MAX_WAITING} calls of the run wait already for their turn`);
      }
    },
  };
}

/** Takes the next free moment. @returns the milliseconds until then */
async function reserve(sql: Pool, account_id: number, connector_id: number, every_s: number): Promise<number> {
  const [row] = await sql<{ wait_ms: number }[]>`
    insert into connector_paces as p (connector_id, account_id, next_at)
    select id, account_id, clock_timestamp() + make_interval(secs => ${every_s})
    from connectors
    where id = ${connector_id}
      and account_id = ${account_id}
    on conflict (connector_id) do update
    set next_at = greatest(
      clock_timestamp(),
      -- a slower pace of before does not hold after it was changed
      least(p.next_at, clock_timestamp() + make_interval(secs => ${every_s * MOST_RESERVED}))
    ) + make_interval(secs => ${every_s})
    returning extract(epoch from next_at - clock_timestamp())::float8 * 1000 as wait_ms
  `;
  return row ? Math.max(0, row.wait_ms - every_s * 1000) : 0;
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
