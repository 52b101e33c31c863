// @ts-check
/** Pauses and deadlines that an AbortSignal can end. */
import { PlatformError } from "./platform_error.js";

/** A longer timer fires at once: browsers keep the milliseconds in 32 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 * @throws the signal's reason
 */
export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener("abort", stop);
  });

/**
 * Combines the caller's signal and a timeout in one signal. `AbortSignal.any` is missing in browsers still in use.
 *
 * @param {AbortSignal | undefined} signal
 * @param {number | undefined} timeout milliseconds
 * @throws {TypeError} if the timeout is not a positive number
 */
export function limited(signal, timeout = Infinity) {
  if (!(timeout > 0)) throw new TypeError("timeout must be a number of milliseconds above 0");
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = timeout <= LONGEST_TIMER_MS ? setTimeout(() => controller.abort(late(timeout)), timeout) : undefined;
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}

/** @param {number} timeout */
const late = (timeout) => new PlatformError(`There is no result after ${timeout / 1000} s`, { code: "timeout" });
