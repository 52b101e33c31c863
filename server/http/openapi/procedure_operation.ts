/** A procedure's route as an OpenAPI operation. */
import { z } from "zod";
import type { Route } from "../rest/routes.ts";
import { withExample } from "./examples.ts";
import { headersOf, refusalsOf } from "./refusals.ts";
import { asForm, bodySchemaOf, schemaOf, withoutFiles } from "./schemas.ts";
import { SECURITY } from "./security.ts";

export const tagOf = ({ name, meta }: Route): string => meta.tag ?? domainOf(name);

/** Also the domain of its scope. */
const domainOf = (name: string) => name.split(".", 1)[0] ?? name;

export function operation(route: Route) {
  const { meta, name, body } = route;
  return {
    operationId: name,
    tags: [tagOf(route)],
    summary: meta.summary,
    description: [meta.description, scopeOf(route)].filter(Boolean).join("\n\n"),
    security: SECURITY[meta.role ? "viewers" : meta.open ? "everyone" : "any caller"],
    parameters: parametersOf(route),
    ...(body.length > 0 && { requestBody: bodyOf(route) }),
    responses: { [String(meta.status ?? 200)]: success(route), ...refusalsOf(route) },
    ...extensionsOf(route),
  };
}

/** For tools: what the typed client calls, and what the description says of role and scope. */
function extensionsOf(route: Route) {
  const { name, type, meta: { role, whole_body } } = route;
  return {
    "x-procedure": { name, type, ...(whole_body !== undefined && { body: whole_body }) },
    ...(role && { "x-role": role, "x-scope": neededScope(route) }),
  };
}

/** Null where any token may call, whatever its scopes. */
const neededScope = ({ meta: { any_scope }, name, type }: Route): string | null =>
  any_scope ? null : `${domainOf(name)}:${type === "mutation" ? "write" : "read"}`;

/** Absent where callers need no login: such a procedure describes its own rules. */
function scopeOf(route: Route): string | undefined {
  const { role } = route.meta;
  if (!role) return undefined;
  const scope = neededScope(route);
  if (scope === null) return "Any token may read this, whatever its scopes.";
  return `${role === "guest" ? "" : `Role: ${role}. `}Scope: \`${scope}\`.`;
}

function parametersOf(route: Route) {
  const { params, query, takes_key } = route;
  return [
    ...params.map((key) => parameter(route, key, "path")),
    ...query.map((key) => parameter(route, key, "query")),
    ...(takes_key ? [parameter(route, "idempotency_key", "header", "Idempotency-Key")] : []),
  ];
}

function parameter({ input }: Route, key: string, place: "path" | "query" | "header", name = key) {
  const field = input?.shape[key];
  const { description, ...schema } = field ? schemaOf(field, "input") : {};
  return {
    name,
    in: place,
    required: place === "path" || place === "query" && field?.safeParse(undefined).success === false,
    description,
    // `filter[author]=Ada`
    ...(schema.type === "object" && { style: "deepObject", explode: true }),
    ...withExample(schema),
  };
}

function bodyOf(route: Route) {
  const { meta } = route;
  const schema = bodySchemaOf(route);
  const required = Boolean(schema.required?.length);
  if (!meta.multipart_only) return { required, content: { "application/json": withExample(schema) } };
  return {
    required,
    content: {
      "application/json": withExample(withoutFiles(schema, route)),
      "multipart/form-data": withExample(asForm(schema, route)),
    },
  };
}

function success({ meta, method, output }: Route) {
  const description = meta.summary ?? "Done";
  if (meta.status === 204 || !output) return { description, headers: headersOf("X-Request-Id") };
  const is_list = method === "GET" && output instanceof z.ZodArray;
  return {
    description,
    headers: headersOf("X-Request-Id", ...(is_list ? ["X-Total-Count", "Link"] : [])),
    content: { "application/json": withExample(schemaOf(output, "output")) },
  };
}
