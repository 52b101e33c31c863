/**
 * The parameters of a query, read and written as `URLSearchParams` does it: each of its calls is one out of JavaScript, and
 * a list needed several, 10 µs together.
 */
import { queryTextOf } from "../address.ts";

export type Parameter = readonly [name: string, value: string];

/** In their order, with those that are given twice. */
export function parametersOf(url: string): Parameter[] {
  const query = queryTextOf(url);
  try {
    return query.slice(1).split("&").filter(Boolean).map((piece) => {
      const equals = piece.indexOf("=");
      return equals === -1 ? [decoded(piece), ""] : [decoded(piece.slice(0, equals)), decoded(piece.slice(equals + 1))];
    });
  } catch {
    // It is not UTF-8, or has a percent sign that encodes nothing.
    return [...new URLSearchParams(query)];
  }
}

/** @throws {URIError} */
const decoded = (text: string): string => /[%+]/.test(text) ? decodeURIComponent(text.replaceAll("+", " ")) : text;

export function written([name, value]: Parameter): string {
  return `${encoded(name)}=${encoded(value)}`;
}

const PLAIN = /^[\w*.-]*$/;
const encoded = (text: string): string =>
  PLAIN.test(text) ? text : encodeURIComponent(text).replace(/%20|[!'()~]/g, (found) => ENCODED[found] ?? found);
/** What `encodeURIComponent` writes otherwise. */
const ENCODED: Record<string, string> = { "%20": "+", "!": "%21", "'": "%27", "(": "%28", ")": "%29", "~": "%7E" };
