/**
 * Refusals: the errors that a client receives. The private cause is kept separately and appears in the log only.
 *
 * A `Refusal` is a tRPC error that also has the REST body. It can be thrown anywhere inside a procedure.
 */
import { TRPCError } from "@trpc/server";

/** Messages by field, or by the dotted path of a nested field. `base` is for rules on no single field. */
export type Fields = Record<string, string[]>;

type TrpcCode = TRPCError["code"];

/** Every status of a refusal, with the `code` in its body and the code of tRPC. */
const WORDS = {
  400: ["bad_request", "BAD_REQUEST"],
  401: ["unauthorized", "UNAUTHORIZED"],
  403: ["forbidden", "FORBIDDEN"],
  404: ["not_found", "NOT_FOUND"],
  405: ["method_not_allowed", "METHOD_NOT_SUPPORTED"],
  408: ["request_timeout", "TIMEOUT"],
  409: ["conflict", "CONFLICT"],
  413: ["payload_too_large", "PAYLOAD_TOO_LARGE"],
  415: ["unsupported_media_type", "UNSUPPORTED_MEDIA_TYPE"],
  422: ["unprocessable", "UNPROCESSABLE_CONTENT"],
  429: ["too_many_requests", "TOO_MANY_REQUESTS"],
  500: ["internal_error", "INTERNAL_SERVER_ERROR"],
  503: ["unavailable", "SERVICE_UNAVAILABLE"],
} as const satisfies Record<number, readonly [string, TrpcCode]>;

export type RefusalStatus = keyof typeof WORDS;

interface Options {
  /** With status 422 only. */
  fields?: Fields;
  /** Further keys of the body, such as `current` of a conflict. */
  more?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

export class Refusal extends TRPCError {
  override name = "Refusal";
  readonly fields: Fields | undefined;
  readonly headers: Record<string, string>;
  /** The JSON body, the same over REST and under `data.body` over tRPC. */
  readonly body: Record<string, unknown>;

  constructor(readonly status: RefusalStatus, message: string, { fields, more, headers = {}, cause }: Options = {}) {
    super({ code: WORDS[status][1], message, cause });
    this.fields = fields;
    this.headers = headers;
    this.body = fields ?? { error: message, code: WORDS[status][0], ...more };
  }
}

export const badRequest = (message: string, more?: Record<string, unknown>) => new Refusal(400, message, { more });

export const unauthorized = (message = "A valid access token is needed") =>
  new Refusal(401, message, { headers: { "www-authenticate": "Bearer" } });

export const forbidden = (message: string) => new Refusal(403, message);

/** @param thing what was not found, as people call it, for example "Department" */
export const notFound = (thing?: string) => new Refusal(404, thing ? `${thing} not found` : "Not found");

/** @param current the object as it is now */
export const conflict = (current: unknown, message = "Somebody else has changed this in the meantime") =>
  new Refusal(409, message, { more: { current } });

export const tooLarge = (limit: number) =>
  new Refusal(413, `The body is larger than ${limit.toLocaleString("en")} bytes`, { headers: { connection: "close" } });

export const unsupported = (message: string) => new Refusal(415, message);

export function invalid(fields: Fields): Refusal {
  const sentences = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => field === "base" ? message : `${field} ${message}`)
  );
  return new Refusal(422, sentences.join("; "), { fields });
}

/** @param retry_after in seconds */
export const unavailable = (message: string, cause?: unknown, retry_after = 1) =>
  new Refusal(503, message, { headers: { "retry-after": String(retry_after) }, cause });

export const internal = (cause: unknown) => new Refusal(500, "Something went wrong on our side", { cause });
