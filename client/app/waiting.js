// @ts-check
import { PlatformError } from "./platform_error.js";

/** A timer of more milliseconds fires at once. */
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
 * One signal for the caller's own and for the end of the time. `AbortSignal.any` is younger than browsers in use.
 *
 * @param {AbortSignal | undefined} signal
 * @param {number | undefined} timeout milliseconds
 * @throws {TypeError} on a time that is none
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
