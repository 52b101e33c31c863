// @ts-check
/** The `subscribe()` of `db()`: follows a stream of server-sent events and reconnects. */
import { PlatformError } from "./platform_error.js";
import { refusal } from "./request.js";
import { pause } from "./waiting.js";

/** The pause before reconnecting. It doubles after each failure, up to the last value. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/**
 * Follows server-sent events until it is stopped. A broken connection is reopened after the last event that arrived. A
 * refusal (404, 403, …) ends the subscription. It uses `fetch`, because an EventSource cannot send the page token.
 *
 * @param {string} address root-relative
 * @param {(event: any) => void} listener
 * @returns {() => void} ends the subscription
 */
export function subscribe(address, listener) {
  if (typeof listener !== "function") throw new TypeError("subscribe() takes a function");
  const controller = new AbortController();
  void follow(address, listener, controller.signal);
  return () => controller.abort();
}

/**
 * @param {string} address
 * @param {(event: any) => void} listener
 * @param {AbortSignal} signal
 */
async function follow(address, listener, signal) {
  /** An error in the app's listener is reported to the page and does not end the connection. @param {any} change */
  const notify = (change) => {
    try {
      listener(change);
    } catch (error) {
      globalThis.reportError(error);
    }
  };
  let last = "";
  let wait = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      /** @type {Record<string, string>} */
      const headers = last ? { "last-event-id": last } : {};
      const response = await globalThis.fetch(address, { headers, signal, cache: "no-store", credentials: "omit" });
      if (!response.ok) {
        const error = refusal(response, await response.json().catch(() => undefined));
        if (response.status < 500 && response.status !== 429) return notify({ kind: "error", error });
        throw error;
      }
      for await (const { id, event, data } of eventsOf(response)) {
        if (signal.aborted) return;
        wait = FIRST_PAUSE_MS;
        // The server ends the stream with an event that says why. The next connection gets the same reason as a status.
        if (event === "error") break;
        if (id) last = id;
        notify(event === "ready" || event === "reset" ? { kind: event } : { kind: event, record: data });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof PlatformError || error instanceof TypeError)) throw error;
    }
    await pause(wait, signal).catch(() => {});
    wait = Math.min(2 * wait, LAST_PAUSE_MS);
  }
}

/**
 * The events of a stream, as they arrive.
 *
 * @param {Response} response
 */
async function* eventsOf({ body }) {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "";;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const lines = new Map(
          block.split("\n").map((line) => {
            const colon = line.indexOf(": ");
            return [line.slice(0, colon), line.slice(colon + 2)];
          }),
        );
        const event = lines.get("event");
        if (event) yield { id: lines.get("id"), event, data: JSON.parse(lines.get("data") ?? "{}") };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
