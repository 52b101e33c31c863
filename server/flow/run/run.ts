/** A run as the engine knows it. */
import type { JsonValue } from "../../input/json_value.ts";
import type { RunStatus } from "../flow.ts";

export type { RunHead, StepRecord } from "../flow.ts";

export interface Outcome {
  status: Exclude<RunStatus, "pending">;
  data: JsonValue;
  error: string | null;
}

/** What of the outside a run has touched, and so is not done again. */
export const hasEffect = (type: string): boolean => type === "connector" || type === "record";

/** ISO 8601 as the API writes it. */
export const isoOf = (ms: number): string => new Date(ms).toISOString().replace("Z", "+00:00");

/** JSON that PostgreSQL takes: NUL and lone surrogates, which come from outside, become U+FFFD. */
export const storable = (value: unknown): string => mend(JSON.stringify(value));

/** A value as it will be read again. */
export function asStored(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  const mended = mend(text);
  return mended === text ? value : JSON.parse(mended);
}

const mend = (text: string): string =>
  /\\u(?:0000|d[89a-f])/.test(text)
    ? text.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) => escape.length > 2 ? "\\ufffd" : escape)
    : text;
