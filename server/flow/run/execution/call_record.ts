/** Records the attempts of an effect, and of a call its request and the headers of its answer. */
import type { Effect, StepFault } from "../../steps/fault.ts";
import { isoOf } from "../../../database/iso_time.ts";
import type { Attempt, Call, StepRecord } from "../model.ts";

/** Characters that are kept of an address, of a header's value, of all headers of an answer, and of an error. */
const MOST_URL = 1_000;
const MOST_VALUE = 300;
const MOST_HEADERS = 2_000;
const MOST_ERROR = 500;

/** @param now in milliseconds since 1970 */
export function recordCall(record: StepRecord, now: () => number) {
  const attempts: Attempt[] = [];
  let attempt: Attempt | undefined;
  let began = 0;
  let is_waiting = false;
  return {
    began(number: number): void {
      began = now();
      is_waiting = true;
      record.attempts = number;
      attempt = { status: null, error: null, started_at: isoOf(began), ms: 0 };
      attempts.push(attempt);
    },
    /** The attempt has waited for its turn until now. The call of a further page belongs to the same attempt. */
    startClock(): void {
      if (!is_waiting) return;
      is_waiting = false;
      began = now();
      if (attempt) attempt.started_at = isoOf(began);
    },
    noteRequest({ method, url }: { method: string; url: string }): void {
      record.call ??= { method, url: cut(url, MOST_URL), headers: {}, attempts };
      if (url.length > MOST_URL) record.call.shortened = true;
    },
    ended({ http_status, headers }: Effect, fault?: StepFault): void {
      if (attempt) {
        const error = fault ? cut(fault.message, MOST_ERROR) : null;
        Object.assign(attempt, { status: http_status, error, ms: Math.max(0, now() - began) });
      }
      if (record.call && headers) keepHeaders(record.call, headers);
    },
  };
}

function keepHeaders(call: Call, headers: Readonly<Record<string, string>>): void {
  const kept: [string, string][] = [];
  let room = MOST_HEADERS;
  for (const [name, value] of Object.entries(headers)) {
    if (value.length > MOST_VALUE) call.shortened = true;
    const shown = cut(value, MOST_VALUE);
    room -= name.length + shown.length;
    if (room < 0) {
      call.shortened = true;
      break;
    }
    kept.push([name, shown]);
  }
  call.headers = Object.fromEntries(kept);
}

const cut = (text: string, most: number) => text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
