/** A connector's `fields`: how it is let in, and its methods. A key that is not known is a fault, by its dotted path. */
import { z } from "zod";
import { tooLong } from "../input/messages.ts";
import { isStorable, NOT_STORABLE, text } from "../input/shapes.ts";
import { pathFault } from "./request/address.ts";
import { templateFault } from "./request/template.ts";

/** Characters of JSON, because lists carry it. */
const MOST = 65_536;
const MOST_METHODS = 100;
const MOST_NAMES = 50;

/** Where it begins with a letter, `__proto__` is none. Flows and the test endpoint name methods so. */
export const METHOD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
const MethodName = z.string().regex(METHOD_NAME, "must be a letter and at most 62 letters, digits and _");

const HEADER = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** What belongs to the connection, not to what is said over it. */
const OF_THE_CONNECTION =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

/** @returns what is wrong with a header's name, in Rails' words */
export function headerFault(name: string): string | undefined {
  if (!HEADER.test(name)) return "is not a header's name";
  if (OF_THE_CONNECTION.test(name)) return "is set by the server";
}

/** @param fault undefined where the value is right */
const faultless = <T>(schema: z.ZodType<T, T>, fault: (value: T) => string | undefined) =>
  schema.superRefine((value, { addIssue }) => {
    const message = fault(value);
    if (message) addIssue(message);
  });

// deno-lint-ignore no-control-regex -- a header's value must have none
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

const HeaderName = faultless(z.string(), headerFault);
const Template = faultless(text(4096), templateFault);
const HeaderValue = faultless(
  Template,
  (value) => CONTROL.test(value) ? "must have no line breaks or control characters" : undefined,
);
const QueryName = z.string().refine((name) => /^[^\s{}&=#]{1,100}$/u.test(name), "is not the name of a query parameter")
  .refine(isStorable, NOT_STORABLE);
const QueryValue = z.union([Template, z.number(), z.boolean(), z.null()], {
  error: "must be a single value, and a { in it must begin a {name}",
});

const few = (values: object) => Object.keys(values).length <= MOST_NAMES;
const TOO_MANY = `is too long (maximum is ${MOST_NAMES} items)`;

/** Source: design, flows, "Connector". */
export const Auth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("bearer") }),
  z.strictObject({
    type: z.literal("basic"),
    username: text(255).refine((name) => !name.includes(":"), "must have no colon"),
  }),
  z.strictObject({ type: z.literal("header"), name: HeaderName }),
  z.strictObject({ type: z.literal("query"), name: QueryName }),
]);
export type Auth = z.output<typeof Auth>;

export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export const Method = z.strictObject({
  method: z.enum(HTTP_METHODS),
  path: faultless(text(2000), (path) => pathFault(path) ?? templateFault(path))
    .describe("Below the connector's address; each `{name}` is one encoded segment or a part of one"),
  query: z.record(QueryName, QueryValue).refine(few, TOO_MANY).optional(),
  headers: z.record(HeaderName, HeaderValue).refine(few, TOO_MANY).optional(),
  body: z.json().refine(isStorable, NOT_STORABLE).optional()
    .describe("Sent as JSON, or as the `content-type` among the headers says; null is none"),
  public: z.boolean().optional().describe("Runs that were started without login may call it"),
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

const EXAMPLE = {
  auth: { type: "bearer" },
  methods: { latest: { method: "GET", path: "/rates/{base}", query: { n: "{n}" }, public: true } },
};

export const ConnectorFields = z.strictObject({
  auth: Auth.optional(),
  methods: z.record(MethodName, Method)
    .refine((methods) => Object.keys(methods).length <= MOST_METHODS, `has more than ${MOST_METHODS} methods`)
    .optional(),
}).superRefine((fields, { addIssue }) => {
  if (JSON.stringify(fields).length > MOST) addIssue(tooLong(MOST));
  for (const { name, path } of clashes(fields)) {
    addIssue({ code: "custom", path, message: `is where the secret stands: ${name}` });
  }
}).meta({ examples: [EXAMPLE] });
export type ConnectorFields = z.output<typeof ConnectorFields>;

/** The header that the secret comes in, in lower case. */
export function secretHeader(auth: Auth | undefined): string | undefined {
  if (auth?.type === "bearer" || auth?.type === "basic") return "authorization";
  return auth?.type === "header" ? auth.name.toLowerCase() : undefined;
}

/** Methods that would write over the secret. */
function clashes({ auth, methods = {} }: { auth?: Auth; methods?: Record<string, Method> }) {
  const header = secretHeader(auth);
  const parameter = auth?.type === "query" ? auth.name : undefined;
  return Object.entries(methods).flatMap(([method, { headers = {}, query = {} }]) => [
    ...Object.keys(headers).filter((name) => name.toLowerCase() === header)
      .map((name) => ({ name, path: ["methods", method, "headers", name] })),
    ...Object.keys(query).filter((name) => name === parameter)
      .map((name) => ({ name, path: ["methods", method, "query", name] })),
  ]);
}
