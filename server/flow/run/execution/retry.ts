/** Attempts of an effect, each with its own deadline, and the waits between them. */
import { setDeadline } from "../../../fairness/deadlines.ts";
import { type Effect, StepFault } from "../../steps/fault.ts";
import type { Step } from "../../steps/step.ts";
import { Interrupted } from "./interruption.ts";
import { type Patience, untilAvailable } from "./recovery.ts";

/** The deadline of an attempt. */
interface Clock {
  /** The attempt begins in earnest: its deadline counts from now. */
  start(): void;
  /** The attempt waits again. */
  stop(): void;
}

type Work = (signal: AbortSignal, clock: Clock) => Promise<Effect>;

interface Attempts extends Patience {
  /** As {@linkcode withDeadline} has it. */
  is_transaction: boolean;
  /** Called before each attempt with its number, from 1. */
  began(attempt: number): void;
  /** Called after each attempt. @param fault undefined if it succeeded */
  ended(effect: Effect, fault?: StepFault): void;
  /** Waits between two attempts. @throws {RunFault | Interrupted} */
  wait(ms: number): Promise<void>;
}

/**
 * An attempt that fails because a store of this server is unavailable does not count: it is repeated with another
 * deadline.
 *
 * @throws {StepFault} of the last attempt
 */
export async function withRetry(
  { retry, timeout }: Step,
  { is_transaction, began, ended, wait, ...patience }: Attempts,
  work: Work,
): Promise<Effect> {
  for (let attempt = 1;; attempt++) {
    let asked_ms = 0;
    began(attempt);
    patience.signal.throwIfAborted();
    try {
      const effect = await untilAvailable(
        patience,
        () => withDeadline(timeout * 1000, patience.signal, work, is_transaction),
      );
      ended(effect);
      return effect;
    } catch (error) {
      if (!(error instanceof StepFault)) throw error;
      ended(error.effect, error);
      if (!retry || attempt >= retry.attempts) throw error;
      if (!isRetried(error.cause_name, retry.on)) throw error;
      asked_ms = error.retry_after_ms;
    }
    const delay = retry.backoff === "exponential" ? retry.delay * 2 ** (attempt - 1) : retry.delay;
    await wait(Math.min(Math.max(delay * 1000, asked_ms), retry.max_delay * 1000));
  }
}

const isRetried = (cause: StepFault["cause_name"], on: readonly (string | number)[]): boolean =>
  cause !== undefined &&
  (on.includes(cause) || typeof cause === "number" && on.includes(`${Math.trunc(cause / 100)}xx`));

/**
 * @param is_transaction `work` is awaited past its deadline, because it alone knows whether its transaction was
 *   committed. After an interruption it is not awaited: the process that takes the run over finds what was committed.
 * @throws {StepFault} at the deadline
 */
async function withDeadline(
  ms: number,
  signal: AbortSignal,
  work: Work,
  is_transaction: boolean,
): Promise<Effect> {
  const attempt = new AbortController();
  let takeBack: (() => void) | undefined;
  const expire = () => attempt.abort(new StepFault(`took longer than ${ms / 1000} s`, "timeout"));
  const clock = {
    start: () => void (takeBack ??= setDeadline(ms, expire)),
    stop() {
      takeBack?.();
      takeBack = undefined;
    },
  };
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const { signal: either } = attempt;
  either.addEventListener("abort", () => {
    if (!is_transaction || either.reason instanceof Interrupted) aborted.reject(either.reason);
  }, { once: true });
  // `AbortSignal.any` would cost three times as much.
  const interrupt = () => attempt.abort(signal.reason);
  if (signal.aborted) interrupt();
  else signal.addEventListener("abort", interrupt, { once: true });
  try {
    return await Promise.race([work(either, clock), aborted.promise]);
  } finally {
    takeBack?.();
    signal.removeEventListener("abort", interrupt);
  }
}
