/** Builds the body of a request, as the method's `body_type` or its content type says. */
import type { JsonValue } from "../../input/json_value.ts";
import type { ConnectorCall } from "../call/call.ts";
import { ConnectorFault } from "../call/fault.ts";
import { GraphQl, templateOfBody } from "../definition/body_type.ts";
import type { Method } from "../definition/method.ts";
import type { Outgoing } from "../egress/redirects.ts";
import { queryPairs } from "./address.ts";
import { multipart } from "./multipart.ts";
import { fillValue, type Room } from "./template.ts";

/** Characters of a text, bytes of a multipart body. */
const MAX_BODY = 2 * 1024 * 1024;

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

const invalid = (message: string) => new ConnectorFault("invalid", message);

/**
 * @param type the content type that the method or the call names
 * @throws {ConnectorFault} `invalid`
 */
export function requestBody(
  method: Method,
  call: ConnectorCall,
  room: Room,
  type: string | undefined,
): Outgoing["body"] {
  const own = call.body === undefined ? fillValue(templateOfBody(method) ?? null, call.params, room) : call.body;
  const body = method.body_type === "graphql" ? graphQl(method.body ?? null, own) : own;
  if (body === null) return undefined;
  if (method.method === "GET" || method.method === "HEAD") throw invalid(`a ${method.method} request has no body`);
  const written = write(method.body_type, body, type);
  if (written.content.length > MAX_BODY) {
    const unit = typeof written.content === "string" ? "characters" : "bytes";
    throw invalid(`the body is larger than ${MAX_BODY.toLocaleString("en")} ${unit}`);
  }
  return written;
}

function write(body_type: Method["body_type"], body: JsonValue, type: string | undefined): Written {
  switch (body_type) {
    case "json":
      return { content: JSON.stringify(body), type: type ?? JSON_TYPE };
    case "form":
      return { content: form(objectIn(body, body_type)), type: type ?? FORM };
    case "multipart":
      return multipart(objectIn(body, body_type));
    case "text":
      if (typeof body === "object") throw invalid("the body must be a text, because the method's body_type is text");
      return { content: String(body), type: type ?? "text/plain; charset=utf-8" };
    case "graphql":
      return { content: JSON.stringify(body), type: JSON_TYPE };
    case undefined:
      return { content: byContentType(body, type ?? JSON_TYPE), type: type ?? JSON_TYPE };
  }
}

type Written = NonNullable<Outgoing["body"]>;

/** A form for the form type, text unchanged for other types that are not JSON, otherwise JSON. */
function byContentType(body: JsonValue, type: string): string {
  if (type.toLowerCase().startsWith(FORM) && typeof body === "object" && body && !Array.isArray(body)) {
    return form(body);
  }
  return typeof body === "string" && !/[/+]json\b/i.test(type) ? body : JSON.stringify(body);
}

const form = (values: Readonly<Record<string, JsonValue>>) =>
  new URLSearchParams(queryPairs(values, "body")).toString();

function objectIn(body: JsonValue, body_type: string): Readonly<Record<string, JsonValue>> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  throw invalid(`the body must be an object, because the method's body_type is ${body_type}`);
}

/** @param variables null sends none */
function graphQl(body: JsonValue, variables: JsonValue): JsonValue {
  const { query, operation_name } = GraphQl.parse(body);
  if (variables !== null) objectIn(variables, "graphql, whose body holds the variables");
  return {
    query,
    ...variables !== null && { variables },
    ...operation_name !== undefined && { operationName: operation_name },
  };
}
