/** What the API reference's pages on addresses that are no procedures have in common. */
import type { z } from "zod";
import { exampleOf } from "./examples.ts";
import { headersOf } from "./refusals.ts";
import { schemaOf } from "./schemas.ts";

export const PRIVATE = [{ token: [] }];
/** A login and a page's token only say who it is. */
export const ANYONE = [{}, { token: [] }, { page: [] }];

export type Status = keyof typeof REFUSALS;
const REFUSALS = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  408: "RequestTimeout",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Unprocessable",
  429: "TooManyRequests",
  500: "InternalError",
  503: "Unavailable",
} as const;

export const refused = (...statuses: Status[]) =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status]}` }]));
export const ALWAYS: Status[] = [500, 503];

/** What a value of a schema looks like, in and out. */
export function shape(type: z.ZodType, io: "input" | "output") {
  const schema = schemaOf(type, io);
  return { schema, example: exampleOf(schema) };
}

export const answer = (description: string, content: Record<string, unknown>) => ({
  description,
  headers: headersOf("X-Request-Id"),
  content,
});
export const jsonAnswer = (description: string, type: z.ZodType) =>
  answer(description, { "application/json": shape(type, "output") });

export const text = (example: string) => ({ schema: { type: "string" }, example });

export const parameter = (
  place: "path" | "query" | "header",
  name: string,
  example: unknown,
  description?: string,
) => ({
  name,
  in: place,
  required: place === "path",
  description,
  schema: { type: typeof example },
  example,
});
