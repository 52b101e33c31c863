/** How a method's body is written, and how its answer is read. */
import { z } from "zod";
import { fieldsOf } from "../../input/messages.ts";
import type { JsonValue } from "../../input/json_value.ts";

export const BodyType = z.enum(["json", "form", "multipart", "text", "graphql"]);
export type BodyType = z.output<typeof BodyType>;

export const AnswerType = z.enum(["json", "text", "csv", "bytes"]);
export type AnswerType = z.output<typeof AnswerType>;

/** The body of a method with `body_type` graphql. The braces of `query` belong to GraphQL, so it has no placeholders. */
export const GraphQl = z.strictObject({
  query: z.string().trim().min(1, "can't be blank"),
  variables: z.record(z.string(), z.json()).optional(),
  operation_name: z.string().min(1).max(255).optional(),
});

/** A type of body whose content type may not be another. */
const FIXED = new Set<BodyType>(["multipart", "graphql"]);

interface Body {
  body_type?: BodyType | undefined;
  body?: JsonValue | undefined;
}

/** The part of a method's body whose texts have placeholders. */
export function templateOfBody({ body_type, body }: Body): JsonValue | undefined {
  if (body_type !== "graphql") return body;
  const { data } = GraphQl.safeParse(body);
  return data?.variables;
}

/** @returns faults with paths from the method on */
export function bodyTypeFaults(
  { body_type, body, headers = {} }: Body & { headers?: Readonly<Record<string, string>> | undefined },
): [path: (string | number)[], message: string][] {
  if (body_type === undefined) return [];
  const faults: [path: (string | number)[], message: string][] = [];
  if (body_type === "graphql") {
    for (const [path, messages] of Object.entries(fieldsOf(GraphQl.safeParse(body).error?.issues ?? []))) {
      faults.push([["body", ...path === "base" ? [] : path.split(".")], messages.join(", ")]);
    }
  }
  const message = shapeFault(body_type, body);
  if (message) faults.push([["body"], message]);
  const content_type = Object.keys(headers).find((name) => name.toLowerCase() === "content-type");
  if (content_type !== undefined && FIXED.has(body_type)) {
    faults.push([["headers", content_type], `is set by the server with the body_type ${body_type}`]);
  }
  return faults;
}

/** A text is accepted where a call's parameter may be the object. */
function shapeFault(body_type: BodyType, body: JsonValue | undefined): string | undefined {
  if (body === undefined || body === null || typeof body === "string") return undefined;
  if (body_type === "text") return "must be a text with the body_type text";
  const is_object = typeof body === "object" && !Array.isArray(body);
  if ((body_type === "form" || body_type === "multipart") && !is_object) {
    return `must be an object with the body_type ${body_type}`;
  }
}

export const hasFixedType = (body_type: BodyType | undefined) => body_type !== undefined && FIXED.has(body_type);
