// @ts-check
/** The `action()` of the `platform` module: starts an action and polls until its run has ended. */
import { PlatformError } from "./platform_error.js";
import { jsonOf, request, segment } from "./request.js";
import { limited, pause } from "./waiting.js";

const FIRST_PAUSE_MS = 250;
const GROWTH = 1.5;
const LONGEST_PAUSE_MS = 5_000;

/** So many polls in a row may fail before the call gives up. */
const MAX_FAILURES = 5;

/** Statuses of a temporary condition: rate limit, or a server or proxy that is starting or stopping. */
const TEMPORARY = [429, 502, 503, 504];

/**
 * Makes `action()` for one app.
 *
 * @param {import("platform").App | null | undefined} app
 * @param {typeof pause} wait replaced by tests
 * @param {typeof request} call
 * @returns {typeof import("platform").action}
 */
export const createAction =
  (app, wait = pause, call = request) => async (name, params = {}, { signal, timeout } = {}) => {
    if (!app) throw new PlatformError("There is no app on this page whose action could be called", { code: "no_app" });
    const address = `/platform/apps/${segment(app.id, "An app's id")}/action/${segment(name, "An action's name")}`;
    const body = jsonOf(params, "An action's params");
    const limit = limited(signal, timeout);
    /** @type {string | undefined} */
    let flow_process_id;
    try {
      const first = stateOf(await call("POST", address, { body, signal: limit.signal }));
      flow_process_id = first.flow_process_id;
      const status = `${address}/status?flow_process_id=${encodeURIComponent(first.flow_process_id)}`;
      const last = first.status === "pending" ? await poll(status, limit.signal, wait, call) : first;
      if (last.status === "finished") return last.data;
      const message = typeof last.error === "string" && last.error ? last.error : "The action failed";
      throw new PlatformError(message, { status: 200, code: "action_failed" });
    } catch (error) {
      if (error instanceof PlatformError) error.flow_process_id ??= flow_process_id;
      throw error;
    } finally {
      limit.end();
    }
  };

/**
 * Polls until the run has ended. A poll may fail for a temporary reason, because the run continues on the server.
 *
 * @param {string} address
 * @param {AbortSignal} signal
 * @param {typeof pause} wait
 * @param {typeof request} call
 */
async function poll(address, signal, wait, call) {
  let failures = 0;
  let retry_after_ms = 0;
  for (let ms = FIRST_PAUSE_MS;; ms = Math.min(ms * GROWTH, LONGEST_PAUSE_MS)) {
    await wait(Math.max(ms, retry_after_ms), signal);
    try {
      const state = stateOf(await call("GET", address, { signal }));
      if (state.status !== "pending") return state;
      failures = retry_after_ms = 0;
    } catch (error) {
      if (!isTemporary(error) || ++failures > MAX_FAILURES) throw error;
      retry_after_ms = (error.retry_after ?? 0) * 1000;
    }
  }
}

/**
 * Whether the same request may succeed later.
 *
 * @param {unknown} error
 * @returns {error is PlatformError}
 */
export const isTemporary = (error) =>
  error instanceof PlatformError && (error.code === "network" || TEMPORARY.includes(error.status));

/**
 * @param {any} answer
 * @returns {{ status: "pending" | "finished" | "error", flow_process_id: string, data?: any, error?: unknown }}
 */
function stateOf(answer) {
  if (["pending", "finished", "error"].includes(answer?.status)) return answer;
  throw new PlatformError("The server's answer has no status of an action", { status: 200, code: "bad_answer" });
}
