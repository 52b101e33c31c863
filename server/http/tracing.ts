/**
 * Names requests on the spans that Deno makes for them if `OTEL_DENO` is set. Deno names a span by the method only. The
 * package `@opentelemetry/api` would find the span in the same place.
 */
import { z } from "zod";
import type { Call } from "../viewer.ts";

/** The API derives the key from its description, so that several copies of the package find the same span. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

type Attributes = Record<string, string | number>;

const isMethod = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === "function";
const Method = z.custom<(...args: unknown[]) => unknown>(isMethod);
const Span = z.looseObject({ updateName: Method, setAttributes: Method });
const Active = z.looseObject({ getValue: Method });

/** @param route the path with the names of its parameters */
export type NameSpan = (method: string, route: string, status: number, call: Call) => void;

/** @returns undefined if no traces are collected */
export function createTracing(is_on: boolean): NameSpan | undefined {
  if (!is_on || !("telemetry" in Deno)) return undefined;
  return (method, route, status, { request_id, viewer }) => {
    const active = Active.safeParse(Deno.telemetry.contextManager.active());
    const span = Span.safeParse(active.data?.getValue(SPAN));
    if (!span.success) return;
    const attributes: Attributes = {
      "http.route": route,
      "http.response.status_code": status,
      "atrium.request_id": request_id,
      ...viewer && { "atrium.account_id": viewer.account_id, "atrium.user_id": viewer.user_id },
    };
    span.data.updateName(`${method} ${route}`);
    span.data.setAttributes(attributes);
  };
}
