/** Values of cells: as people read them, as text to copy, and read from text that was typed or pasted. */
import { timeFormat } from "../../../format.ts";
import type { FieldType } from "../tables.ts";

export type Value = string | number | boolean | null;

const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 12, useGrouping: true });
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const MOMENT = timeFormat({
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** As the cell shows it, on one line. */
export function shownText(type: FieldType, value: Value | undefined): string {
  if (value === null || value === undefined || value === "") return "";
  if (type === "integer" || type === "number") {
    return typeof value === "number" && Math.abs(value) < 1e15 ? NUMBER.format(value) : String(value);
  }
  if (type === "boolean") return value === true ? "Yes" : value === false ? "No" : String(value);
  if (type === "date" || type === "datetime") {
    const date = new Date(String(value));
    if (Number.isNaN(date.getTime())) return String(value);
    return (type === "date" ? DATE : MOMENT).format(date);
  }
  const text = String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** As it is copied, and as an editor begins. */
export const plainText = (value: Value | undefined): string =>
  value === null || value === undefined ? "" : String(value);

const NUMERIC = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
const YES = /^(true|yes|y|1|x|✓|✔)$/i;
const NO = /^(false|no|n|0)$/i;

/**
 * Reads text as the field's type. Text that cannot be read stays text, so that the server says what is wrong with it.
 * An empty text is blank.
 */
export function readText(type: FieldType, text: string): Value {
  if (type === "string" || type === "text") return text === "" ? null : text;
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (type === "integer" || type === "number") {
    const plain = trimmed.replace(/[\s\u00a0\u202f'](?=\d{3}(\D|$))/g, "");
    const number = NUMERIC.test(plain) ? Number(plain) : NaN;
    const is_rounded = /^[-+]?\d{16,}$/.test(plain) && !Number.isSafeInteger(number);
    return Number.isFinite(number) && !is_rounded ? number : trimmed;
  }
  if (type === "boolean") return YES.test(trimmed) ? true : NO.test(trimmed) ? false : trimmed;
  if (type === "datetime") return /[zZ]$|[+-]\d\d:?\d\d$/.test(trimmed) ? trimmed : localMoment(trimmed);
  return trimmed;
}

/** Adds the browser's offset to a moment without one. */
function localMoment(text: string): string {
  const date = new Date(text.replace(" ", "T"));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** For `<input type="datetime-local">`, in the browser's zone. */
export function localInput(value: Value | undefined): string {
  const date = new Date(plainText(value));
  if (plainText(value) === "" || Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, date.getSeconds() ? 19 : 16);
}

/** Rows as tab-separated text, quoted as spreadsheets do. */
export const toTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => /[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell).join("\t"))
    .join("\n");

/** Reads tab-separated text. A cell in quotes may contain tabs, line ends and doubled quotes. */
export function fromTsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"' && closes(text, at)) {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[++at];
        else break;
      }
      at++;
    } else {
      const end = /[\t\r\n]/.exec(text.slice(at));
      cell = end ? text.slice(at, at + end.index) : text.slice(at);
      at += cell.length;
    }
    rows.at(-1)?.push(cell);
    if (text[at] === "\t") {
      at++;
      if (at === text.length) rows.at(-1)?.push("");
    } else if (at < text.length) {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      if (at < text.length) rows.push([]);
    }
  }
  return rows;
}

/** Whether the quote that begins a cell also ends it. Otherwise it is a character like any other. */
const closes = (text: string, at: number): boolean => /^"(?:[^"]|"")*"(?=[\t\r\n]|$)/.test(text.slice(at));
