/** What ends an execution before its last step does. */

/** The run is over: its outcome is an error, or that it was cancelled. */
export class RunFault extends Error {
  override name = "RunFault";
  constructor(message: string, readonly status: "error" | "cancelled" = "error") {
    super(message);
  }
}

/** This process does not go on with it: it stops, or another one has taken the run. Nothing is recorded. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** Why the signal of an execution is aborted. */
export const CANCELLED = new RunFault("Cancelled", "cancelled");
export const TOO_LONG = new RunFault("The run took longer than 10 minutes");
export const LOST = new Interrupted("another process has taken the run");
export const CLOSING = new Interrupted("the process stops");

/** Of a store that fails the engine itself: the run is no worse for it, and taken up again. @throws {RunFault | Interrupted} */
export function leave(cause: unknown): never {
  if (cause instanceof RunFault || cause instanceof Interrupted) throw cause;
  throw new Interrupted("the run cannot be kept at the moment", { cause });
}

/** @throws {RunFault | Interrupted} */
export function proveGoing(signal: AbortSignal): void {
  if (signal.aborted) throw signal.reason;
}

/** @throws {RunFault | Interrupted} where the signal comes before the time is over */
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
