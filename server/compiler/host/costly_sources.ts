/** Remembers sources that cost a worker its life, so that saving one again and again does not occupy the workers. */
import { LRUCache } from "lru-cache";
import { CompileFailure } from "../compiler.ts";

/** A source exceeded the limit of time or memory, or crashed the worker. */
export class CostlySource extends CompileFailure {}

/** Entries have a key of 100 characters and a message. */
const MOST = 1000;

export interface CostlySources {
  /** @throws {CostlySource} where this source has failed recently */
  refuse(key: string): void;
  /** Remembers the error of a source, if it is a `CostlySource`. */
  note(key: string, error: unknown): void;
}

/** @param refused_ms how long a source is refused. A busy machine may have been to blame, so it is not permanent. */
export function createCostlySources(refused_ms: number, now: () => number = Date.now): CostlySources {
  const refused = new LRUCache<string, { until: number; messages: string[] }>({ max: MOST });
  return {
    refuse(key) {
      const found = refused.get(key);
      if (!found) return;
      const seconds = Math.ceil((found.until - now()) / 1000);
      if (seconds > 0) throw new CostlySource(found.messages.map((text) => `${text}; try again in ${seconds} s`));
      refused.delete(key);
    },
    note(key, error) {
      if (error instanceof CostlySource) refused.set(key, { until: now() + refused_ms, messages: error.messages });
    },
  };
}
