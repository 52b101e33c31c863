/** How long a request waits for a worker. */
import { CompilerBusy } from "../compiler.ts";

export interface Patience {
  /** Aborts with a `CompilerBusy` when the time is over. */
  signal: AbortSignal;

  [Symbol.dispose](): void;
}

/** Seconds after which a client may try again. Whatever it waited for most likely continues meanwhile. */
const RETRY_AFTER = 5;

export function startPatience(limit_ms: number): Patience {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(new CompilerBusy(RETRY_AFTER)), limit_ms);
  return { signal: waiting.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** @throws the signal's reason, if that aborts first. The promise is left to itself then. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return await promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
