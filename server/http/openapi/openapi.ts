/** `GET /openapi.json`: OpenAPI 3.1, written from the same metas and schemas that answer the requests. */
import type { AnyTRPCRouter } from "@trpc/server";
import type { Hono } from "hono";
import { z } from "zod";
import type { Config } from "../../config.ts";
import { ACTION_PATHS } from "./actions.ts";
import { DB_PATHS } from "./dbs.ts";
import { exampleOf } from "./examples.ts";
import { FILE_PATHS } from "./files.ts";
import { headersOf, REFUSAL_SCHEMAS, refusalResponses, refusalsOf } from "./refusals.ts";
import { asForm, bodySchemaOf, type JsonSchema, schemaOf, withoutFiles } from "./schemas.ts";
import { type Env, mountOthers } from "../rest/rest.ts";
import { type Route, routesOf } from "../rest/routes.ts";
import { respond, type Variants, variantsOf } from "../files/variants.ts";

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
  const routes = routesOf(router);
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
    tags: [...new Set([...routes.map(domainOf), "public", "files", "health"])].map((name) => ({ name })),
    paths: { ...pathsOf(routes), ...ACTION_PATHS, ...DB_PATHS, ...FILE_PATHS },
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token: `Authorization: Bearer atr_…`" },
        page: {
          type: "apiKey",
          in: "header",
          name: "X-App-Token",
          description: "What the server writes into an app's page: who looks at it",
        },
      },
      schemas: REFUSAL_SCHEMAS,
      responses: refusalResponses(),
      headers: {
        "X-Request-Id": { description: "Names this request in the server's log", schema: { type: "string" } },
        "X-Total-Count": { description: "Entries over all pages", schema: { type: "integer" } },
        Link: { description: "`first`, `prev`, `next` and `last` page (RFC 8288)", schema: { type: "string" } },
        "Retry-After": { description: "Seconds until it may work", schema: { type: "integer" } },
        "WWW-Authenticate": { description: "How to authenticate", schema: { type: "string" } },
      },
    },
  };
}

function pathsOf(routes: Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = paths[route.path.replace(/:(\w+)/g, "{$1}")] ??= {};
    path[route.method.toLowerCase()] = operation(route);
  }
  return paths;
}

const domainOf = ({ name }: Route) => name.split(".", 1)[0] ?? name;

function operation(route: Route) {
  const { meta, name, type, body } = route;
  const domain = domainOf(route);
  const role = meta.role && meta.role !== "guest" ? `Role: ${meta.role}. ` : "";
  const scope = `${role}Scope: \`${domain}:${type === "mutation" ? "write" : "read"}\`.`;
  return {
    operationId: name,
    tags: [domain],
    summary: meta.summary,
    description: meta.description ? `${meta.description}\n\n${scope}` : scope,
    security: [{ token: [] }],
    parameters: parametersOf(route),
    ...(body.length > 0 && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: { [String(meta.status ?? 200)]: success(route), ...refusalsOf(route) },
  };
}

function parametersOf({ input, params, query }: Route) {
  return [...params, ...query].map((key) => {
    const field = input?.shape[key];
    const { description, ...schema } = field ? schemaOf(field, "input") : {};
    const in_path = params.includes(key);
    return {
      name: key,
      in: in_path ? "path" : "query",
      required: in_path,
      description,
      // `filter[author]=Ada`
      ...(schema.type === "object" && { style: "deepObject", explode: true }),
      schema,
      ...shown(schema),
    };
  });
}

function bodyOf(route: Route) {
  const schema = bodySchemaOf(route);
  if (!route.meta.multipart_only) return { "application/json": { schema, ...shown(schema) } };
  const json = withoutFiles(schema, route);
  const form = asForm(schema, route);
  return {
    "application/json": { schema: json, ...shown(json) },
    "multipart/form-data": { schema: form, ...shown(form) },
  };
}

function success({ meta, method, output }: Route) {
  const description = meta.summary ?? "Done";
  if (meta.status === 204 || !output) return { description, headers: headersOf("X-Request-Id") };
  const is_list = method === "GET" && output instanceof z.ZodArray;
  const schema = schemaOf(output, "output");
  return {
    description,
    headers: headersOf("X-Request-Id", ...(is_list ? ["X-Total-Count", "Link"] : [])),
    content: { "application/json": { schema, ...shown(schema) } },
  };
}

const shown = (schema: JsonSchema) => {
  const example = exampleOf(schema);
  return example === undefined ? {} : { example };
};
