/**
 * How long statements take, measured in this process on either database: from the moment when a statement is passed to
 * the driver to its result, so a wait for a connection counts.
 */
import type { Sql } from "./sql.ts";

export interface StatementTime {
  /** Its parameters are `$1`, `$2`, … */
  text: string;
  calls: number;
  /** On average. */
  ms: number;
  most_ms: number;
}

export interface StatementTimes {
  note(text: string, ms: number): void;
  /** The slowest on average. */
  slowest(limit: number): StatementTime[];
  clear(): void;
}

/** Texts that are remembered. The half with the smallest sums is dropped then. */
const MOST_TEXTS = 1_000;

interface Sum {
  calls: number;
  ms: number;
  most_ms: number;
}

export function createStatementTimes(): StatementTimes {
  const sums = new Map<string, Sum>();
  return {
    note(text, ms) {
      const sum = sums.get(text);
      if (sum) {
        sum.calls++;
        sum.ms += ms;
        if (ms > sum.most_ms) sum.most_ms = ms;
        return;
      }
      if (sums.size >= MOST_TEXTS) {
        const smallest = [...sums].toSorted(([, a], [, b]) => a.ms - b.ms).slice(0, MOST_TEXTS / 2);
        for (const [text] of smallest) sums.delete(text);
      }
      sums.set(text, { calls: 1, ms, most_ms: ms });
    },
    slowest: (limit) =>
      [...sums].map(([text, { calls, ms, most_ms }]) => ({ text, calls, ms: ms / calls, most_ms }))
        .toSorted((a, b) => b.ms - a.ms).slice(0, limit),
    clear: () => sums.clear(),
  };
}

/** A query of the driver, which calls this when its result has arrived. */
const isQuery = (query: object): query is { resolve(result: unknown): void } =>
  "resolve" in query && typeof query.resolve === "function";

/**
 * Notes the time to the query's result, and mends the result. A further promise would execute the query, and cost more.
 *
 * @param times none are noted without it
 */
export function answered<Query extends object>(query: Query, text: string, times: StatementTimes | undefined): Query {
  // A cursor's result comes when its consumer has read everything.
  if (!isQuery(query)) return query;
  const started = performance.now();
  const resolve = query.resolve;
  query.resolve = (result) => {
    if (times && !Reflect.get(query, "cursorFn")) times.note(text, performance.now() - started);
    resolve(withoutGap(result));
  };
  return query;
}

/**
 * postgres.js 3.4.9 still counts the rows of a statement that has failed behind its first rows: the next result of the
 * connection begins behind as many empty places.
 */
function withoutGap(result: unknown): unknown {
  if (!Array.isArray(result) || result.length === 0 || 0 in result) return result;
  let gap = 1;
  while (gap < result.length && !(gap in result)) gap++;
  result.splice(0, gap);
  return result;
}

/**
 * Has the statements of a pool or transaction that are sent by their text answered like the others.
 *
 * @param watch is called with each query before it is sent
 */
export function answerUnsafe(driver: Sql, times: StatementTimes | undefined, watch: (query: object) => void): void {
  const unsafe = driver.unsafe;
  Object.assign(driver, {
    unsafe(text: string, ...more: []) {
      const query = unsafe(text, ...more);
      watch(query);
      return answered(query, text, times);
    },
  });
}
