/** `GET /openapi.json`: OpenAPI 3.1, written from the same metas and schemas that answer the requests. */
import type { AnyTRPCRouter } from "@trpc/server";
import type { Hono } from "hono";
import { z } from "zod";
import type { Config } from "../config.ts";
import { type Env, mountOthers } from "./rest.ts";
import { type Route, routesOf } from "./routes.ts";
import { respond, type Variants, variantsOf } from "./variants.ts";

type Schema = Record<string, unknown>;

export function mountOpenApi(app: Hono<Env>, router: AnyTRPCRouter, config: Config): void {
  let document: Variants | undefined;
  app.get("/openapi.json", (c) => {
    document ??= variantsOf(JSON.stringify(describe(router, config.base_url)), "application/json; charset=utf-8");
    return respond(c.req.raw, document, "public, no-cache", { "access-control-allow-origin": "*" });
  });
  mountOthers(app, "/openapi.json", ["GET"]);
}

/** The whole document. */
export function describe(router: AnyTRPCRouter, base_url: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  const routes = routesOf(router);
  for (const route of routes) {
    const path = paths[route.path.replace(/:(\w+)/g, "{$1}")] ??= {};
    path[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Atrium",
      version: "0.1.0",
      description:
        "Departments, apps and what goes with them. Lists are bare arrays with `X-Total-Count` and `Link`; " +
        "times are ISO 8601 in UTC; every answer carries `X-Request-Id`. The same procedures answer at `/trpc`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: base_url }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map(domainOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token: `Authorization: Bearer atr_…`" },
      },
      schemas: { Error: ERROR, Fields: FIELDS },
      responses: Object.fromEntries(REFUSALS.map(({ name, ...refusal }) => [name, refusalResponse(refusal)])),
      headers: {
        "X-Request-Id": { description: "Names this request in the server's log", schema: { type: "string" } },
        "X-Total-Count": { description: "Entries over all pages", schema: { type: "integer" } },
        Link: { description: "`first`, `prev`, `next` and `last` page (RFC 8288)", schema: { type: "string" } },
      },
    },
  };
}

const domainOf = ({ name }: Route) => name.split(".", 1)[0] ?? name;

function operation(route: Route) {
  const { meta, name, output } = route;
  const mutates = route.type === "mutation";
  const takes_fields = route.body.length > 0;
  return {
    operationId: name,
    tags: [domainOf(route)],
    summary: meta.summary,
    description: [meta.description, `Scope: \`${domainOf(route)}:${mutates ? "write" : "read"}\`.`]
      .filter(Boolean).join("\n\n"),
    security: [{ token: [] }],
    parameters: [...route.params, ...queryOf(route)].map((key) => parameter(route, key)),
    ...(takes_fields && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: {
      [String(meta.status ?? 200)]: success(route, output),
      ...refusalsOf(route),
    },
  };
}

const queryOf = ({ method, input, params }: Route) =>
  method === "GET" ? Object.keys(input?.shape ?? {}).filter((key) => !params.includes(key)) : [];

function parameter({ input, params }: Route, key: string) {
  const schema = input?.shape[key];
  const { description, ...json }: Schema = schema ? toSchema(schema, "input") : { type: "string" };
  const where = params.includes(key) ? "path" : "query";
  return { name: key, in: where, required: where === "path", description, schema: json };
}

function bodyOf({ input, body, meta }: Route) {
  const schema = z.object(Object.fromEntries(body.flatMap((key) => {
    const field = input?.shape[key];
    return field ? [[key, field]] : [];
  })));
  const json = toSchema(schema, "input");
  const { wrapper = "", multipart_only = [] } = meta;
  if (multipart_only.length === 0) return { "application/json": { schema: json, ...exampleOf(json) } };
  return {
    "application/json": {
      schema: without(json, wrapper, multipart_only),
      ...exampleOf(without(json, wrapper, multipart_only)),
    },
    "multipart/form-data": { schema: flat(json, wrapper) },
  };
}

type ObjectSchema = Schema & { properties?: Record<string, ObjectSchema>; required?: string[] };

function without(schema: ObjectSchema, wrapper: string, names: readonly string[]): ObjectSchema {
  const inner = schema.properties?.[wrapper];
  const properties = Object.fromEntries(
    Object.entries(inner?.properties ?? {}).filter(([name]) => !names.includes(name)),
  );
  return { ...schema, properties: { ...schema.properties, [wrapper]: { ...inner, properties } } };
}

/** A form has no objects: `department[name]`, and lists end in `[]`. */
function flat(schema: ObjectSchema, wrapper: string): Schema {
  const inner = schema.properties?.[wrapper];
  const nameOf = (name: string, field?: Schema) => `${wrapper}[${name}]${field?.type === "array" ? "[]" : ""}`;
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(inner?.properties ?? {}).map(([name, field]) => [nameOf(name, field), field]),
    ),
    ...(inner?.required && { required: inner.required.map((name) => nameOf(name)) }),
  };
}

function success({ meta, method }: Route, output: z.ZodType | undefined) {
  const headers: Schema = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  if (meta.status === 204 || !output) return { description: "Done", headers };
  const schema = toSchema(output, "output");
  if (method === "GET" && output instanceof z.ZodArray) {
    for (const name of ["X-Total-Count", "Link"]) headers[name] = { $ref: `#/components/headers/${name}` };
  }
  return {
    description: meta.summary ?? "Done",
    headers,
    content: { "application/json": { schema, ...exampleOf(schema) } },
  };
}

interface RefusalShape {
  status: number;
  description: string;
  code?: string;
  when: (route: Route) => boolean;
}

const always = () => true;
const has_body = ({ body }: Route) => body.length > 0;

/** Every refusal that a route may answer with (decisions, "All other errors"). */
const REFUSALS: (RefusalShape & { name: string })[] = [
  {
    name: "BadRequest",
    status: 400,
    description: "Malformed body, missing wrapper or wrong query parameter",
    code: "bad_request",
    when: (route) => has_body(route) || queryOf(route).length > 0,
  },
  { name: "Unauthorized", status: 401, description: "No valid token", code: "unauthorized", when: always },
  { name: "Forbidden", status: 403, description: "The role or the scope is missing", code: "forbidden", when: always },
  {
    name: "NotFound",
    status: 404,
    description: "It does not exist, or is hidden from the caller",
    code: "not_found",
    when: ({ params }) => params.length > 0,
  },
  {
    name: "RequestTimeout",
    status: 408,
    description: "The body took longer than 30 s",
    code: "request_timeout",
    when: has_body,
  },
  {
    name: "Conflict",
    status: 409,
    description: "`lock_version` is stale; `current` holds the object as it is",
    code: "conflict",
    when: ({ method, meta }) => method === "PATCH" && Boolean(meta.wrapper) || meta.rest?.includes("/replace") || false,
  },
  {
    name: "PayloadTooLarge",
    status: 413,
    description: "The body is too large",
    code: "payload_too_large",
    when: has_body,
  },
  {
    name: "UnsupportedMediaType",
    status: 415,
    description: "The Content-Type is not taken here",
    code: "unsupported_media_type",
    when: has_body,
  },
  {
    name: "Unprocessable",
    status: 422,
    description: "Field names with arrays of messages; nested fields by dotted path, `base` for the whole",
    when: ({ type }) => type === "mutation",
  },
  { name: "InternalError", status: 500, description: "A fault of the server's", code: "internal_error", when: always },
  {
    name: "Unavailable",
    status: 503,
    description: "The database is away or the server is busy; try again after `Retry-After` seconds",
    code: "unavailable",
    when: always,
  },
];

const refusalsOf = (route: Route) =>
  Object.fromEntries(
    REFUSALS.filter(({ when }) => when(route)).map(({ name, status }) => [
      String(status),
      { $ref: `#/components/responses/${name}` },
    ]),
  );

const ERROR = {
  type: "object",
  properties: {
    error: { type: "string", description: "A sentence for a person" },
    code: { type: "string", description: "A word for a program" },
    current: { type: "object", description: "With 409: the object as it is now" },
  },
  required: ["error", "code"],
};

const FIELDS = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };

function refusalResponse({ description, code }: Omit<RefusalShape, "when">) {
  const schema = { $ref: `#/components/schemas/${code ? "Error" : "Fields"}` };
  const example = code ? { error: description, code } : { name: ["can't be blank"] };
  return { description, content: { "application/json": { schema, example } } };
}

const toSchema = (schema: z.core.$ZodType, io: "input" | "output"): ObjectSchema => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: describeFile });
  return json as ObjectSchema;
};

/** A file is its bytes, as OpenAPI 3.1 says it. */
function describeFile({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Schema }): void {
  if (zodSchema instanceof z.ZodFile) Object.assign(jsonSchema, { type: "string", format: "binary" });
}

/** An example made of the schema's own examples, defaults and first choices. */
function exampleOf(schema: ObjectSchema): { example: unknown } {
  return { example: sample(schema) };
}

function sample(
  schema: ObjectSchema & { items?: ObjectSchema; anyOf?: ObjectSchema[]; enum?: unknown[]; examples?: unknown[] },
): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (schema.enum?.length) return schema.enum[0];
  if (schema.anyOf) return schema.anyOf.some(({ type }) => type === "null") ? null : sample(schema.anyOf[0] ?? {});
  switch (schema.type) {
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, field]) => [key, sample(field)]));
    case "array":
      return schema.items?.type === "object" ? [sample(schema.items)] : [];
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "string":
      return schema.format === "date-time" ? "2027-01-01T00:00:00Z" : "text";
    default:
      return null;
  }
}
