/**
 * Counts calls in the memory of this process and writes them together, so that no call waits for it. A process that is
 * killed loses those of two seconds.
 */
import type { Pool } from "../../database/pool.ts";
import { faultOf, type Log } from "../../log.ts";
import { addCallCounts, type CallCount, type Failure, sweepCallCounts } from "./call_counts.ts";

const EVERY_MS = 2_000;
const HOUR_MS = 3_600_000;
/** Connectors and hours that are counted. Beyond it calls are not counted until the next write. */
const MOST = 20_000;
const LONGEST_MESSAGE = 500;
const SWEPT_AT_ONCE = 1_000;

export interface CallCounter {
  /** @param failure undefined if the call succeeded; without the connector's secret */
  count(connector_id: number, ms: number, failure: Failure | undefined): void;
  /** Writes what was counted. Never rejects: after a failure the counts are kept for the next time. */
  flush(): Promise<void>;
  /** Also deletes old counts. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export function createCallCounter(sql: Pool, log: Log, now: () => number = Date.now): CallCounter {
  let counted = new Map<string, CallCount>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();

  const add = (one: CallCount) => {
    const key = `${one.connector_id} ${one.hour}`;
    const sum = counted.get(key);
    if (!sum) {
      if (counted.size < MOST) counted.set(key, one);
      return;
    }
    sum.calls += one.calls;
    sum.failures += one.failures;
    sum.total_ms += one.total_ms;
    sum.most_ms = Math.max(sum.most_ms, one.most_ms);
    if (one.failed_at === null || sum.failed_at !== null && sum.failed_at > one.failed_at) return;
    sum.failed_at = one.failed_at;
    sum.last_failure = one.last_failure;
  };
  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (counted.size === 0) return;
    const written = counted;
    counted = new Map();
    try {
      await addCallCounts(sql, [...written.values()]);
    } catch (error) {
      log.warn("calls_not_written", faultOf(error));
      for (const one of written.values()) add(one);
    }
  };
  const flush = () => writing = writing.then(write);

  return {
    count(connector_id, ms, failure) {
      const at = now();
      const whole_ms = Math.round(ms);
      add({
        connector_id,
        hour: new Date(at - at % HOUR_MS).toISOString(),
        calls: 1,
        failures: failure ? 1 : 0,
        total_ms: whole_ms,
        most_ms: whole_ms,
        failed_at: failure ? new Date(at).toISOString() : null,
        last_failure: failure ? { ...failure, message: storable(failure.message) } : null,
      });
      timer ??= setTimeout(flush, EVERY_MS);
    },
    flush,
    async sweep() {
      await flush();
      await sweepCallCounts(sql, new Date(now()), SWEPT_AT_ONCE);
    },
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}

/** Messages may quote another service. */
const storable = (message: string) => message.slice(0, LONGEST_MESSAGE).toWellFormed().replaceAll("\0", "");
