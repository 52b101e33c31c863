/** Reasons to end an execution before its last step. */
import type { Wait } from "../../waiting/wait_store.ts";

/** The run ends, with an error or cancelled. */
export class RunFault extends Error {
  override name = "RunFault";
  constructor(message: string, readonly status: "error" | "cancelled" = "error") {
    super(message);
  }
}

/**
 * This process stops executing the run, because it shuts down or because a peer owns the run. No outcome is recorded:
 * the run continues elsewhere.
 */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** The run waits, and is suspended: it continues when it is woken. */
export class Suspended extends Error {
  override name = "Suspended";
  constructor(readonly wait: Wait) {
    super("the run waits");
  }
}

/** The run waits for the first of several. */
export const suspendedBy = (all: readonly Suspended[]): Suspended =>
  new Suspended({
    until: Math.min(...all.map(({ wait }) => wait.until)),
    awaits: all.flatMap(({ wait }) => wait.awaits),
  });

/** Reasons with which the signal of an execution is aborted. */
export const CANCELLED = new RunFault("Cancelled", "cancelled");
export const TOO_LONG = new RunFault("The run took longer than 10 minutes");
export const LOST = new Interrupted("another process has taken the run");
export const CLOSING = new Interrupted("the process stops");

/**
 * A fault of the engine's own stores is no fault of the run: the run is left for a takeover.
 *
 * @throws {RunFault | Interrupted}
 */
export function interrupt(cause: unknown): never {
  if (cause instanceof RunFault || cause instanceof Interrupted) throw cause;
  throw new Interrupted("the run cannot be kept at the moment", { cause });
}

/** Waits. @throws {RunFault | Interrupted} the signal's reason if it is aborted first */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
