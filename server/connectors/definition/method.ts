/** A connector method: the template of one request. */
import { z } from "zod";
import { isStorable, NOT_STORABLE, text } from "../../input/shapes.ts";
import { pathFault } from "../request/address.ts";
import { templateFault } from "../request/template.ts";
import { faultless, HeaderName, QueryName, Template } from "./checks.ts";

const MAX_NAMES = 50;

/** Flows and the test endpoint name methods. The first letter excludes `__proto__`. */
export const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
export const MethodName = z.string().regex(METHOD_NAME, "must be a letter and at most 62 letters, digits and _");

export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

// deno-lint-ignore no-control-regex -- control characters in a header's value would allow header injection
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

const HeaderValue = faultless(
  Template,
  (value) => CONTROL.test(value) ? "must have no line breaks or control characters" : undefined,
);
const QueryValue = z.union([Template, z.number(), z.boolean(), z.null()], {
  error: "must be a single value, and a { in it must begin a {name}",
});

const isShort = (values: object) => Object.keys(values).length <= MAX_NAMES;
const TOO_MANY = `is too long (maximum is ${MAX_NAMES} items)`;

export const Method = z.strictObject({
  method: z.enum(HTTP_METHODS),
  path: faultless(text(2000), (path) => pathFault(path) ?? templateFault(path))
    .describe("Appended to the connector's address; each `{name}` is one encoded segment or a part of one"),
  query: z.record(QueryName, QueryValue).refine(isShort, TOO_MANY).optional(),
  headers: z.record(HeaderName, HeaderValue).refine(isShort, TOO_MANY).optional(),
  body: z.json().refine(isStorable, NOT_STORABLE).optional()
    .describe("Sent as JSON unless `content-type` in `headers` names another type; null sends no body"),
  public: z.boolean().optional().describe("Whether runs that an anonymous visitor started may call it"),
}).superRefine(({ method, headers = {}, body }, { addIssue }) => {
  if (body !== undefined && body !== null && (method === "GET" || method === "HEAD")) {
    addIssue({ code: "custom", path: ["body"], message: `must be null with ${method}` });
  }
  for (const [path, fault] of bodyFaults(body, ["body"])) addIssue({ code: "custom", path, message: fault });
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  for (const [index, name] of Object.keys(headers).entries()) {
    if (names.indexOf(name.toLowerCase()) < index) {
      addIssue({ code: "custom", path: ["headers", name], message: "is there twice" });
    }
  }
});
export type Method = z.output<typeof Method>;

function* bodyFaults(value: unknown, path: (string | number)[]): Generator<[path: (string | number)[], fault: string]> {
  const fault = typeof value === "string" ? templateFault(value) : undefined;
  if (fault) yield [path, fault];
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) yield* bodyFaults(inner, [...path, key]);
}
