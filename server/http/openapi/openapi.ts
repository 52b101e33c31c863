/** `GET /openapi.json`: OpenAPI 3.1, written from the same metas, schemas and routes that answer the requests. */
import type { AnyTRPCRouter } from "@trpc/server";
import { loadRouter } from "../../router.ts";
import { respond, variantsOf } from "../files/variants.ts";
import { JSON_TYPE, type PlainRoute } from "../plain_route.ts";
import { routesOf } from "../rest/routes.ts";
import { plainOperation } from "./plain_operation.ts";
import { operation, tagOf } from "./procedure_operation.ts";
import { REFUSAL_SCHEMAS, refusalResponses } from "./refusals.ts";

/** The document itself, which does not describe its own address. */
export const openApiRoute = (plain: readonly PlainRoute[]): PlainRoute => ({
  method: "GET",
  path: "/openapi.json",
  name: "read_openapi",
  tag: "files",
  summary: "Read this document",
  callers: "everyone",
  replies: { 200: { description: "The document", content: { [JSON_TYPE]: { shape: { type: "object" } } } } },
  async answer({ documents, config, call }) {
    const document = await documents.find("openapi", async () => {
      const text = JSON.stringify(describe(await loadRouter(), plain, config.base_url));
      return variantsOf(text, "application/json; charset=utf-8");
    });
    return respond(call.request, document, "public, no-cache", { "access-control-allow-origin": "*" });
  },
});

/** The whole document. */
export function describe(router: AnyTRPCRouter, plain: readonly PlainRoute[], base_url: string) {
  const routes = routesOf(router);
  return {
    openapi: "3.1.0",
    info: {
      title: "Atrium",
      version: "0.1.0",
      description:
        "Departments, apps and what goes with them. Lists are bare arrays with `X-Total-Count` and `Link`; " +
        "times are ISO 8601 in UTC; every answer carries `X-Request-Id`. Queries answer an admin as another user with `X-View-As: <user id>`. The same procedures answer at `/trpc`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: base_url }],
    security: [{ token: [] }],
    tags: [...new Set([...routes.map(tagOf), ...plain.map(({ tag }) => tag)])].map((name) => ({ name })),
    paths: pathsOf([
      ...routes.map((route) => ({ ...route, operation: operation(route) })),
      ...plain.map((route) => ({ ...route, operation: plainOperation(route) })),
    ]),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token: `Authorization: Bearer atr_…`" },
        page: {
          type: "apiKey",
          in: "header",
          name: "X-App-Token",
          description: "The page token that the server writes into an app's page: it names the page's viewer",
        },
      },
      schemas: REFUSAL_SCHEMAS,
      responses: refusalResponses(),
      headers: {
        "X-Request-Id": { description: "Names this request in the server's log", schema: { type: "string" } },
        "X-Total-Count": { description: "Entries over all pages", schema: { type: "integer" } },
        Link: { description: "`first`, `prev`, `next` and `last` page (RFC 8288)", schema: { type: "string" } },
        "Retry-After": { description: "Seconds until it may work", schema: { type: "integer" } },
        RateLimit: { description: 'The limit that was reached: `"writes";r=0;t=12`', schema: { type: "string" } },
        "RateLimit-Policy": { description: 'The limit: `"writes";q=3000;w=60`', schema: { type: "string" } },
        "WWW-Authenticate": { description: "How to authenticate", schema: { type: "string" } },
      },
    },
  };
}

function pathsOf(routes: readonly { method: string; path: string; operation: unknown }[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, path, operation } of routes) {
    const operations = paths[path.replace(/:(\w+)/g, "{$1}")] ??= {};
    operations[method.toLowerCase()] = operation;
  }
  return paths;
}
