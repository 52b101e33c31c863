/** Reads the parts of a backend's answer that matter for sharing the backend. Pure. */
import { Buffer } from "node:buffer";
import { endOf, errorResponse, messagesOf, textAt } from "./wire.ts";

/** The result of one run of a backend. */
export interface Outcome {
  /** For the client: the output without notifications. A refused COPY has a readable message. */
  answer: Buffer;
  notifications: Buffer[];
  /** From the last ReadyForQuery; `asking` if there was none, so the client's request is unfinished. */
  state: "idle" | "transaction" | "asking";
  /** Whether LISTEN or UNLISTEN was executed. */
  listens: boolean;
  unlistens: boolean;
}

const [COMPLETE, COPY_IN, DATA_ROW, ERROR, NOTIFICATION, PARAMETER, READY] = Buffer.from("CGDEASZ");
const [LISTEN, UNLISTEN, IDLE, TEXT] = Buffer.from("LUIM");

const COPY_REFUSED = errorResponse({
  severity: "ERROR",
  code: "0A000",
  message: "COPY FROM STDIN does not work on the embedded database",
  hint: "Insert rows, or set DATABASE_URL to a PostgreSQL server.",
});

/** Reads an output in one pass over the message headers. Copies only if something is left out. */
export function readOutcome(output: Buffer): Outcome {
  const kept: Buffer[] = [];
  const notifications: Buffer[] = [];
  let state: Outcome["state"] = "asking";
  let [listens, unlistens, copies] = [false, false, false];
  let from = 0;
  for (let at = 0, end = 0; at < output.length; at = end) {
    end = endOf(output, at);
    const type = output[at];
    if (type === READY) state = output[at + 5] === IDLE ? "idle" : "transaction";
    if (type === COMPLETE) {
      const first = output[at + 5];
      listens ||= first === LISTEN && textAt(output, at + 5) === "LISTEN";
      unlistens ||= first === UNLISTEN && textAt(output, at + 5) === "UNLISTEN";
    }
    if (type !== NOTIFICATION && type !== COPY_IN && !(type === ERROR && copies)) continue;
    kept.push(output.subarray(from, at));
    if (type === NOTIFICATION) notifications.push(output.subarray(at, end));
    if (type === ERROR) kept.push(COPY_REFUSED);
    copies = type === COPY_IN;
    from = end;
  }
  const answer = from === 0 ? output : Buffer.concat([...kept, output.subarray(from)]);
  return { answer, notifications, state, listens, unlistens };
}

/** The first column of every row, as text or null. */
export function columnOf(output: Buffer): (string | null)[] {
  return [...messagesOf(output)].filter(([type]) => type === DATA_ROW).map((row) => {
    const length = row.readInt32BE(7);
    return length < 0 ? null : row.toString("utf8", 11, 11 + length);
  });
}

/** The text of the first error. */
export function errorOf(output: Buffer): string | undefined {
  for (const answer of messagesOf(output)) {
    if (answer[0] !== ERROR) continue;
    for (let at = 5; answer[at]; at = answer.indexOf(0, at) + 1) {
      if (answer[at] === TEXT) return textAt(answer, at + 1);
    }
  }
}

/** The parameters of the session that the output announces. */
export function parametersOf(output: Buffer): [string, string][] {
  return [...messagesOf(output)].filter(([type]) => type === PARAMETER).map((answer) => {
    const [name = "", value = ""] = answer.toString("utf8", 5).split("\0");
    return [name, value];
  });
}
