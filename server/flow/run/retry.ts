/** A step's attempts, each with its own time. */
import { type Effect, StepFault } from "../steps/effect.ts";
import { Interrupted, pause, proveGoing } from "./interruption.ts";
import type { Step } from "../program/program.ts";
import type { StepRecord } from "./run.ts";

/** Tries as often as the step says, with growing pauses. */
export async function withRetry(
  step: Extract<Step, { type: "connector" | "record" }>,
  signal: AbortSignal,
  record: StepRecord,
  work: (signal: AbortSignal) => Promise<Effect>,
): Promise<Effect> {
  const { retry, timeout } = step;
  const writes = step.type === "record" && step.action !== "get" && step.action !== "list";
  for (let attempt = 1;; attempt++) {
    record.attempts = attempt;
    proveGoing(signal);
    try {
      return await within(timeout * 1000, signal, work, writes);
    } catch (error) {
      if (!(error instanceof StepFault) || !retry || attempt >= retry.attempts) throw error;
      if (!isRetried(error.cause_word, retry.on)) throw error;
    }
    const grown = retry.backoff === "exponential" ? retry.delay * 2 ** (attempt - 1) : retry.delay;
    await pause(Math.min(grown, retry.max_delay) * 1000, signal);
  }
}

const isRetried = (word: StepFault["cause_word"], on: readonly (string | number)[]): boolean =>
  word !== undefined &&
  (on.includes(word) || typeof word === "number" && on.includes(`${Math.trunc(word / 100)}xx`));

/**
 * @param to_its_end `work` heeds the signal, and only it knows whether it was in time: it is waited for, unless another
 *   process goes on with the run, which will find what it has done
 * @throws {StepFault} when the time is over
 */
async function within(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Effect>,
  to_its_end: boolean,
): Promise<Effect> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new StepFault(`took longer than ${ms / 1000} s`, "timeout")), ms);
  const either = AbortSignal.any([signal, late.signal]);
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => {});
  const stop = () => {
    if (!to_its_end || either.reason instanceof Interrupted) end.reject(either.reason);
  };
  either.addEventListener("abort", stop, { once: true });
  if (either.aborted) stop();
  try {
    return await Promise.race([work(either), end.promise]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener("abort", stop);
  }
}
