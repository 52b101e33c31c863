// @ts-check
import { PlatformError } from "./platform_error.js";
import { refusal } from "./request.js";
import { pause } from "./waiting.js";

/** Between a connection that ended and the next one: doubled each time, up to the last. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/**
 * Follows server-sent events until it is stopped. A connection that breaks is taken up again behind the last event; a
 * refusal (404, 403, …) ends it. By `fetch`, because an EventSource cannot say who looks at the page.
 *
 * @param {string} address root-relative
 * @param {(event: any) => void} listener
 * @returns {() => void} stops it
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
  /** What the app gets wrong is its own, and no broken connection. @param {any} change */
  const tell = (change) => {
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
        if (response.status < 500 && response.status !== 429) return tell({ kind: "error", error });
        throw error;
      }
      for await (const { id, event, data } of eventsOf(response)) {
        if (signal.aborted) return;
        wait = FIRST_PAUSE_MS;
        // The server has ended the stream and says why; the next connection is told as an answer.
        if (event === "error") break;
        if (id) last = id;
        tell(event === "ready" || event === "reset" ? { kind: event } : { kind: event, record: data });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof PlatformError || error instanceof TypeError)) throw error;
    }
    await pause(wait, signal).catch(() => {});
    wait = Math.min(2 * wait, LAST_PAUSE_MS);
  }
}

/** @param {Response} response */
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
