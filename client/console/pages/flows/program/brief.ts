/** Values and times of a run, in a few characters. */

import type { StepRecord } from "./types.ts";

const MOST = 48;
const cut = (text: string, most = MOST): string => text.length > most ? `${text.slice(0, most)}…` : text;

/** `{ rates, date }`, `3 items`, `171.42` */
export function brief(value: unknown, most = MOST): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) {
    const [first] = value;
    if (value.length <= 3 && value.every((item) => typeof item !== "object" || item === null)) {
      return cut(value.map((item) => brief(item)).join(", ") || "an empty list", most);
    }
    return value.length === 1 && first !== undefined ? "1 item" : `${value.length} items`;
  }
  if (typeof value === "object") {
    const keys = Object.keys(value);
    return keys.length === 0 ? "{}" : cut(`{ ${keys.slice(0, 4).join(", ")}${keys.length > 4 ? ", …" : ""} }`, most);
  }
  return cut(String(value).replaceAll("\n", " "), most);
}

const isNested = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Two values as far as they differ: `.seconds`, 1 and 2. The path is empty where several parts differ. */
export function difference(before: unknown, after: unknown, path = ""): { path: string; texts: [string, string] } {
  const json = (value: unknown) => JSON.stringify(value) ?? "null";
  if (isNested(before) && isNested(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const [name, ...others] = names.filter((name) => json(before[name]) !== json(after[name]));
    if (name !== undefined && others.length === 0) return difference(before[name], after[name], `${path}.${name}`);
  }
  const short: [string, string] = [brief(before), brief(after)];
  return { path, texts: short[0] === short[1] ? [cut(json(before), 120), cut(json(after), 120)] : short };
}

export const duration = (ms: number): string =>
  ms < 1_000
    ? `${ms} ms`
    : ms < 60_000
    ? `${(ms / 1_000).toLocaleString(undefined, { maximumFractionDigits: 2 })} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;

const SIGNS: Record<string, string> = { eq: "=", ne: "≠", gt: ">", gte: "≥", lt: "<", lte: "≤" };

/** What decided a condition: `171.42 > 171`. */
export function comparedText({ compared }: StepRecord): string | undefined {
  const last = compared?.at(-1);
  if (!last) return undefined;
  const operator = SIGNS[last.operator] ?? last.operator.replaceAll("_", " ");
  return [brief(last.left, 20), operator, ...last.right === undefined ? [] : [brief(last.right, 20)]].join(" ");
}

/** What a step has given. */
export function outputText({ http_status, output, status, error, truncated }: StepRecord): string {
  if (status === "error") return cut(error ?? "failed");
  if (status !== "finished") return status;
  const text = truncated ? "not kept" : brief(output, 36);
  return http_status === null ? text : `${http_status} · ${text}`;
}
