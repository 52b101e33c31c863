/** Refusals in the API reference. */
import type { RefusalStatus } from "../../errors.ts";
import type { Route } from "../rest/routes.ts";

interface RefusalShape {
  status: RefusalStatus;
  description: string;
  /** The body's `code`; absent where the body has fields with messages. */
  code?: string;
  headers?: string[];
  /** Whether the shape of a procedure's route implies it; a meta's `refuses` names the others. */
  when: (route: Route) => boolean;
}

const always = () => true;
const never = () => false;
const has_body = ({ body }: Route) => body.length > 0;
const has_query = ({ query }: Route) => query.length > 0;

const REFUSALS: Record<string, RefusalShape> = {
  BadRequest: {
    status: 400,
    description: "Malformed body, missing wrapper or wrong query parameter",
    code: "bad_request",
    when: (route) => has_body(route) || has_query(route),
  },
  Unauthorized: {
    status: 401,
    description: "No valid token",
    code: "unauthorized",
    headers: ["WWW-Authenticate"],
    when: always,
  },
  Forbidden: { status: 403, description: "The role or the scope is missing", code: "forbidden", when: always },
  NotFound: {
    status: 404,
    description: "It does not exist, or is hidden from the caller",
    code: "not_found",
    when: ({ params }) => params.length > 0,
  },
  RequestTimeout: {
    status: 408,
    description: "The body took longer than 30 s",
    code: "request_timeout",
    when: has_body,
  },
  Conflict: {
    status: 409,
    description:
      "Somebody else has changed it meanwhile, and `current` holds it as it is now; or `used_by` names what uses it; or as " +
      "many runs of the flow are in progress as it may have",
    code: "conflict",
    when: never,
  },
  PayloadTooLarge: {
    status: 413,
    description: "The body is larger than 2 MiB, as a form than 6 MiB",
    code: "payload_too_large",
    when: has_body,
  },
  UnsupportedMediaType: {
    status: 415,
    description: "The Content-Type is not taken here",
    code: "unsupported_media_type",
    when: has_body,
  },
  Unprocessable: {
    status: 422,
    description: "Field names with arrays of messages; nested fields by dotted path, `base` for the whole",
    when: (route) => has_body(route) && !route.meta.lenient_body,
  },
  TooManyRequests: {
    status: 429,
    description:
      "Too many requests, writes, compilations or runs of the caller or its account, too many writes of a caller without " +
      "login, or too many wrong tokens; try again after `Retry-After` seconds",
    code: "too_many_requests",
    headers: ["Retry-After", "RateLimit", "RateLimit-Policy"],
    when: always,
  },
  InternalError: { status: 500, description: "A fault of the server's", code: "internal_error", when: always },
  Unavailable: {
    status: 503,
    description: "The database is away or the server is busy; try again after `Retry-After` seconds",
    code: "unavailable",
    headers: ["Retry-After"],
    when: always,
  },
};

/** The refusals that a procedure's route may answer with, by status. */
export const refusalsOf = (route: Route) =>
  references(({ status, when }) => when(route) || Boolean(route.meta.refuses?.includes(status)));

/** The refusals of these statuses. */
export const referencesTo = (statuses: readonly RefusalStatus[]) =>
  references(({ status }) => statuses.includes(status));

const references = (chosen: (refusal: RefusalShape) => boolean) =>
  Object.fromEntries(
    Object.entries(REFUSALS)
      .filter(([, refusal]) => chosen(refusal))
      .map(([name, { status }]) => [String(status), { $ref: `#/components/responses/${name}` }]),
  );

/** For `components.responses`. */
export const refusalResponses = () =>
  Object.fromEntries(Object.entries(REFUSALS).map(([name, refusal]) => [name, responseOf(refusal)]));

function responseOf({ description, code, headers = [] }: RefusalShape) {
  const schema = { $ref: `#/components/schemas/${code ? "Error" : "Fields"}` };
  const example = code
    ? { error: description, code, ...(code === "conflict" && { current: { id: 1, lock_version: 2 } }) }
    : { name: ["can't be blank"] };
  return {
    description,
    headers: headersOf("X-Request-Id", ...headers),
    content: { "application/json": { schema, example } },
  };
}

/** References to `components.headers`. */
export const headersOf = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** For `components.schemas`. */
export const REFUSAL_SCHEMAS = {
  Error: {
    type: "object",
    properties: {
      error: { type: "string", description: "A sentence for a person" },
      code: { type: "string", description: "A word for a program" },
      current: { type: "object", description: "With 409: the object as it is now" },
      used_by: {
        type: "array",
        items: { type: "object" },
        description: "With 409 of a delete: what uses the object, as far as the caller may see it",
      },
      tables: {
        type: "array",
        items: { type: "string" },
        description: "With 400 `table_name_required`, and with 404 of a table: the database's tables",
      },
    },
    required: ["error", "code"],
  },
  Fields: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
};
