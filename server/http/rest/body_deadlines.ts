/**
 * The time limit of request bodies. One timer checks all bodies in flight once a second, because a timer for each body
 * took 2 µs.
 */
import { Refusal } from "../../errors.ts";

export interface BodyDeadlines {
  /** @throws {Refusal} 408 where the work takes longer than the limit; it is not aborted */
  within<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

const LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 1_000;

interface Waiting {
  late(reason: Refusal): void;
  until: number;
}

export function createBodyDeadlines(limit_ms = LIMIT_MS, look_every_ms = LOOK_EVERY_MS): BodyDeadlines {
  /** In the order of their deadlines. */
  const all = new Set<Waiting>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const waiting of all) {
      if (waiting.until > now) return;
      all.delete(waiting);
      waiting.late(new Refusal(408, "The body took too long", { headers: { connection: "close" } }));
    }
  }, look_every_ms);
  return {
    within: (work) =>
      new Promise((resolve, late) => {
        const waiting = { late, until: performance.now() + limit_ms };
        all.add(waiting);
        work.then(resolve, late).finally(() => all.delete(waiting));
      }),
    close: () => clearInterval(timer),
  };
}
