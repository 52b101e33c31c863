/** A connector method: the template of one request. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { isStorable, NOT_STORABLE, text } from "../../input/shapes.ts";
import { pathFault } from "../request/address.ts";
import { paramsIn, templateFault } from "../request/template.ts";
import { AnswerType, BodyType, bodyTypeFaults, templateOfBody } from "./body_type.ts";
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
  body_type: BodyType.optional().describe(
    "How the body is sent. `multipart` takes an object whose values are texts, numbers or files " +
      '(`{"filename", "type", "base64"}`, or `text` instead of `base64`). `graphql` takes `{"query", "variables"}`; ' +
      "`query` has no placeholders, and a step's `body` replaces the variables. Without it, the body is JSON unless " +
      "`content-type` in `headers` names another type",
  ),
  body: z.json().refine(isStorable, NOT_STORABLE).optional().describe("Null sends no body"),
  response: AnswerType.optional().describe(
    "How an answer is read: `json` (anything else is a failure), `text`, `csv` (a list of objects, named by the first " +
      "line) or `bytes` (in base64). Without it, JSON if the answer's content type says so, otherwise text",
  ),
  public: z.boolean().optional().describe("Whether runs that an anonymous visitor started may call it"),
}).superRefine(({ method, headers = {}, body, body_type }, { addIssue }) => {
  if (body !== undefined && body !== null && (method === "GET" || method === "HEAD")) {
    addIssue({ code: "custom", path: ["body"], message: `must be null with ${method}` });
  }
  const wrong = bodyTypeFaults({ body_type, body, headers });
  for (const [path, message] of wrong) addIssue({ code: "custom", path, message });
  const filled: (string | number)[] = body_type === "graphql" ? ["body", "variables"] : ["body"];
  for (const [path, fault] of bodyFaults(templateOfBody({ body_type, body }), filled)) {
    addIssue({ code: "custom", path, message: fault });
  }
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

/** Names of the parameters that a call of the method needs. @param own what the call sends instead of the method's own */
export function paramsOf(
  { path, headers, query, body_type, body }: Partial<Method>,
  own: { query?: JsonValue | undefined; body?: JsonValue | undefined } = {},
): string[] {
  const sent = own.body === undefined ? templateOfBody({ body_type, body }) : undefined;
  return [...new Set([path, headers, own.query === undefined ? query : undefined, sent].flatMap(paramsIn))];
}
