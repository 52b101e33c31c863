// @ts-check
/** The `subscribe()` of `db()`: follows a stream of server-sent events and reconnects. */
import { PlatformError } from "./platform_error.js";
import { answered, fromPage } from "./request.js";
import { pause } from "./waiting.js";

/** The pause before reconnecting. It doubles after each failure, up to the last value. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 30_000;

/** The server sends something every 15 s. A connection that stays silent for longer is dead, for example after sleep. */
const SILENT_MS = 45_000;
const CHECK_MS = 5_000;

/** @typedef {"connecting" | "open" | "waiting" | "closed"} ConnectionState */
/** @typedef {{ id: string | undefined, event: string, data: any }} StreamEvent */

/**
 * @typedef {object} Follower
 * @property {(event: StreamEvent) => void} onEvent
 * @property {(error: PlatformError) => void} onRefusal the server refuses the stream, which has ended
 * @property {(state: ConnectionState) => void} [onState]
 * @property {() => boolean} [isOver] whether the end of the stream is final
 */

/**
 * Follows a database's changes until it is stopped.
 *
 * @param {string} address root-relative
 * @param {(event: any) => void} listener
 * @param {import("./request.js").Send} [send]
 * @param {(state: ConnectionState) => void} [onState]
 * @returns {() => void} ends the subscription
 */
export function subscribe(address, listener, send = fromPage, onState) {
  if (typeof listener !== "function") throw new TypeError("subscribe() takes a function");
  return followEvents(address, send, {
    onEvent: ({ event, data }) =>
      listener(event === "ready" || event === "reset" ? { kind: event } : { kind: event, record: data }),
    onRefusal: (error) => listener({ kind: "error", error }),
    onState,
  });
}

/**
 * Follows server-sent events until it is stopped. A broken or silent connection is reopened after the last event that
 * arrived. A refusal (404, 403, …) ends the stream. It uses `fetch`, because an EventSource cannot send headers.
 *
 * @param {string} address root-relative
 * @param {import("./request.js").Send} send
 * @param {Follower} follower
 * @returns {() => void} ends the stream
 */
export function followEvents(address, send, follower) {
  const controller = new AbortController();
  void follow(address, send, follower, controller.signal);
  return () => controller.abort();
}

/**
 * @param {string} address
 * @param {import("./request.js").Send} send
 * @param {Follower} follower
 * @param {AbortSignal} signal
 */
async function follow(address, send, { onEvent, onRefusal, onState, isOver }, signal) {
  /** An error in a listener is reported to the page and does not end the connection. @param {() => void} notify */
  const safely = (notify) => {
    try {
      notify();
    } catch (error) {
      globalThis.reportError(error);
    }
  };
  /** @param {ConnectionState} state */
  const enter = (state) => onState && safely(() => onState(state));
  let last = "";
  let wait = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    enter("connecting");
    const connection = watched(signal);
    try {
      /** @type {Record<string, string>} */
      const headers = last ? { "last-event-id": last } : {};
      const response = await answered(send, "GET", address, { headers, signal: connection.signal });
      enter("open");
      for await (const { id, event, data } of eventsOf(response, connection.heard)) {
        if (signal.aborted) break;
        wait = FIRST_PAUSE_MS;
        // The server ends the stream with an event that says why. The next connection gets the same reason as a status.
        if (event === "error") break;
        if (id) last = id;
        safely(() => onEvent({ id, event, data }));
      }
      if (isOver?.()) break;
    } catch (error) {
      if (signal.aborted) break;
      const refused = error instanceof PlatformError && error.status > 0 && error.status < 500 && error.status !== 429;
      if (refused) {
        safely(() => onRefusal(error));
        break;
      }
      // How a connection breaks has several types: a TypeError, or a DOMException where something else has ended it.
      if (!(error instanceof PlatformError || error instanceof TypeError || error instanceof DOMException)) throw error;
    } finally {
      connection.end();
    }
    if (signal.aborted) break;
    enter("waiting");
    await pauseUntilOnline(wait, signal);
    wait = Math.min(2 * wait, LAST_PAUSE_MS);
  }
  enter("closed");
}

/**
 * A signal that also ends a connection that has been silent for too long.
 *
 * @param {AbortSignal} signal
 */
function watched(signal) {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  let last = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - last > SILENT_MS) controller.abort(new PlatformError("The server is silent", { code: "network" }));
  }, CHECK_MS);
  signal.addEventListener("abort", stop);
  return {
    signal: controller.signal,
    heard: () => void (last = Date.now()),
    end() {
      clearInterval(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}

/**
 * Ends early when the machine has a network again, and when the signal is aborted.
 *
 * @param {number} ms
 * @param {AbortSignal} signal
 */
async function pauseUntilOnline(ms, signal) {
  // A listener has ended the stream when it heard that it waits. An aborted signal has no further event.
  if (signal.aborted) return;
  const controller = new AbortController();
  const end = () => controller.abort();
  signal.addEventListener("abort", end);
  // Absent in Node.js.
  globalThis.addEventListener?.("online", end);
  await pause(ms, controller.signal).catch(() => {});
  globalThis.removeEventListener?.("online", end);
  signal.removeEventListener("abort", end);
}

/**
 * The events of a stream, as they arrive.
 *
 * @param {Response} response
 * @param {() => void} heard is called whenever something arrives, heartbeats included
 */
async function* eventsOf({ body }, heard) {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "";;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard();
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
