/**
 * The shape of a route that is no procedure: a stream, a file, a page. Each is declared next to its handler. The route
 * table, the API reference and the tests read it.
 */
import type { z } from "zod";
import type { RefusalStatus } from "../errors.ts";
import type { Answer } from "./route_table.ts";

/** A JSON Schema, or a zod schema that is turned into one. */
export type Shape = z.ZodType | Record<string, unknown>;

export interface Content {
  /** Text unless set. */
  shape?: Shape;
  example?: unknown;
}

export interface Reply {
  description: string;
  /** By content type; absent where the answer has no body. */
  content?: Record<string, Content>;
}

interface NamedParameter {
  in: "path" | "query" | "header";
  name: string;
  description?: string;
  /** Only parameters of the path, and those that say so. */
  required?: boolean;
}

/** Without a shape, a parameter has the type of its example. */
export type Parameter =
  & NamedParameter
  & ({ shape: Shape; example?: unknown } | { shape?: never; example: string | number });

export interface PlainRoute {
  method: "GET" | "POST" | "DELETE";
  /** `/platform/dbs/:db_code/changes` */
  path: string;
  /** For the API reference: unique among operations, without a dot. */
  name: string;
  tag: string;
  summary: string;
  description?: string;
  /**
   * The credentials that it takes: an API token, which it needs; a token or none; anything that proves a caller, or
   * none; none at all.
   */
  callers: "viewers" | "viewers and visitors" | "any caller" | "everyone";
  parameters?: readonly Parameter[];
  /** By content type. */
  body?: Record<string, Content>;
  replies: Record<number, Reply>;
  refuses?: readonly RefusalStatus[];
  answer: Answer;
}

export const JSON_TYPE = "application/json";

/** A refusal that says more than the general one of its status. */
export const refusedAs = (description: string): Reply => ({
  description,
  content: { [JSON_TYPE]: { shape: { $ref: "#/components/schemas/Error" } } },
});

/** For files with an ETag. */
export const UNCHANGED: Reply = { description: "Unchanged since the `ETag` in `If-None-Match`" };
