/** A connector's `fields`: authentication and methods. Unknown keys are refused and named by their dotted path. */
import { z } from "zod";
import { tooLong } from "../../input/messages.ts";
import { Auth, authHeaders } from "./auth.ts";
import { Method, MethodName } from "./method.ts";

/** Characters of JSON. Bounded because lists of connectors contain the fields. */
const MAX_LENGTH = 65_536;
const MAX_METHODS = 100;

const EXAMPLE = {
  auth: { type: "bearer" },
  methods: { latest: { method: "GET", path: "/rates/{base}", query: { n: "{n}" }, public: true } },
};

export const ConnectorFields = z.strictObject({
  auth: Auth.optional(),
  methods: z.record(MethodName, Method)
    .refine((methods) => Object.keys(methods).length <= MAX_METHODS, `has more than ${MAX_METHODS} methods`)
    .optional(),
  per_second: z.number().min(0.01).max(1000).optional()
    .describe("Calls a second, evenly spaced. Runs take turns; the wait is not counted as a step's time"),
}).superRefine((fields, { addIssue }) => {
  if (JSON.stringify(fields).length > MAX_LENGTH) addIssue(tooLong(MAX_LENGTH));
  for (const { name, path } of secretClashes(fields)) {
    addIssue({ code: "custom", path, message: `is reserved for the secret: ${name}` });
  }
}).meta({ examples: [EXAMPLE] });
export type ConnectorFields = z.output<typeof ConnectorFields>;

/** Headers and query parameters of methods that would overwrite the secret. */
function secretClashes({ auth, methods = {} }: { auth?: Auth; methods?: Record<string, Method> }) {
  const headers_of_auth = authHeaders(auth);
  const parameter = auth?.type === "query" ? auth.name : undefined;
  return Object.entries(methods).flatMap(([method, { headers = {}, query = {} }]) => [
    ...Object.keys(headers).filter((name) => headers_of_auth.includes(name.toLowerCase()))
      .map((name) => ({ name, path: ["methods", method, "headers", name] })),
    ...Object.keys(query).filter((name) => name === parameter)
      .map((name) => ({ name, path: ["methods", method, "query", name] })),
  ]);
}
