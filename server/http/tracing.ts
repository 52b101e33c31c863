/**
 * Names requests on the spans that Deno makes for them if `OTEL_DENO` is set. Deno names a span by the method only. The
 * package `@opentelemetry/api` would find the span in the same place.
 */
import type { Call } from "../viewer.ts";

/** The API derives the key from its description, so that several copies of the package find the same span. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

type Attributes = Record<string, string | number>;

interface Active {
  getValue(key: symbol): unknown;
}

interface Span {
  updateName(name: string): unknown;
  setAttributes(attributes: Attributes): unknown;
}

// Both have private members, so they are used as they are.
const isActive = (value: unknown): value is Active =>
  typeof value === "object" && value !== null && "getValue" in value && typeof value.getValue === "function";
const isSpan = (value: unknown): value is Span =>
  typeof value === "object" && value !== null && "updateName" in value && "setAttributes" in value;

/** @param route the path with the names of its parameters */
export type NameSpan = (method: string, route: string, status: number, call: Call) => void;

/** @returns undefined if no traces are collected */
export function createTracing(is_on: boolean): NameSpan | undefined {
  if (!is_on || !("telemetry" in Deno)) return undefined;
  return (method, route, status, { request_id, viewer }) => {
    const active: unknown = Deno.telemetry.contextManager.active();
    const span = isActive(active) ? active.getValue(SPAN) : undefined;
    if (!isSpan(span)) return;
    const attributes: Attributes = {
      "http.route": route,
      "http.response.status_code": status,
      "atrium.request_id": request_id,
      ...viewer && { "atrium.account_id": viewer.account_id, "atrium.user_id": viewer.user_id },
    };
    span.updateName(`${method} ${route}`);
    span.setAttributes(attributes);
  };
}
