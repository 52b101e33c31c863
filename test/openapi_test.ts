/** The API reference: valid, whole, and true of the server that it describes. */
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Route, routesOf } from "../server/http/routes.ts";
import { appRouter } from "../server/router.ts";
import { startServer, type TestServer } from "./harness.ts";

// deno-lint-ignore no-explicit-any -- a JSON document whose shape is what is tested
type Document = any;

const routes = routesOf(appRouter);
const pathOf = ({ path }: Route) => path.replace(/:(\w+)/g, "{$1}");
const operationOf = (document: Document, route: Route) => document.paths[pathOf(route)]?.[route.method.toLowerCase()];

async function withServer(work: (server: TestServer, document: Document) => Promise<void>): Promise<void> {
  const server = await startServer();
  try {
    const { status, body } = await server.request("GET", "/openapi.json", { token: null });
    assert.equal(status, 200);
    await work(server, body);
  } finally {
    await server.close();
  }
}

/** Validates values against the schemas that stand in the document at a JSON pointer. */
function validatorOf(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "api");
  return (value: unknown, ...keys: (string | number)[]) => {
    const pointer = keys.map((key) => `/${encodeURIComponent(String(key).replace(/~/g, "~0").replace(/\//g, "~1"))}`);
    const validate = ajv.compile({ $ref: `api#${pointer.join("")}` });
    assert.ok(validate(value), `${keys.join(" ")}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  };
}

/** Every schema with an example beside it, and every schema's own examples. */
function* examplesIn(node: Document, keys: string[] = []): Generator<[example: unknown, keys: string[]]> {
  if (typeof node !== "object" || node === null) return;
  if ("schema" in node && "example" in node) yield [node.example, [...keys, "schema"]];
  if (Array.isArray(node.examples) && keys.at(-1) !== "properties") {
    for (const example of node.examples) yield [example, keys];
  }
  for (const [key, value] of Object.entries(node)) {
    if (!/^examples?$/.test(key) || keys.at(-1) === "properties") yield* examplesIn(value, [...keys, key]);
  }
}

Deno.test("openapi: valid under a public validator, with every route and nothing that is none", () =>
  withServer(async ({ base_url }, document) => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(document.openapi, "3.1.0");
    assert.deepEqual(document.servers, [{ url: base_url }]);

    const described = Object.entries<Document>(document.paths).flatMap(([path, operations]) =>
      Object.entries<Document>(operations)
        .filter(([, { tags: [tag] }]) => !["files", "health"].includes(tag))
        .map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`)
    );
    const mounted = routes.map((route) => `${route.name} ${route.method} ${pathOf(route)}`);
    assert.deepEqual(described.sort(), mounted.sort());
    assert.equal(mounted.length, Object.keys(appRouter._def.procedures).length);
  }));

Deno.test("openapi: each route says its security, parameters, bodies and every answer it may give", () =>
  withServer((_server, document) => {
    for (const route of routes) {
      const operation = operationOf(document, route);
      const { method, params, body, meta, name } = route;
      assert.deepEqual(operation.security, [{ token: [] }], name);
      assert.ok(document.components.securitySchemes.token.scheme === "bearer" && operation.summary, name);

      const named = (where: string) =>
        operation.parameters.filter((parameter: Document) => parameter.in === where)
          .map((parameter: Document) => parameter.name);
      assert.deepEqual(named("path"), params, name);
      const keys = Object.keys(route.input?.shape ?? {}).filter((key) => !params.includes(key));
      assert.deepEqual(named("query"), method === "GET" ? keys : [], name);
      for (const { schema } of operation.parameters) assert.ok(schema.type ?? schema.enum ?? schema.anyOf, name);

      const kinds = Object.keys(operation.requestBody?.content ?? {});
      const expected = meta.multipart_only ? ["application/json", "multipart/form-data"] : ["application/json"];
      assert.deepEqual(kinds, body.length > 0 ? expected : [], name);
      assertAnswers(document, route);
    }
    return Promise.resolve();
  }));

function assertAnswers(document: Document, route: Route): void {
  const { method, name, body, params, meta } = route;
  const { responses } = operationOf(document, route);
  const wanted = [meta.status ?? 200, 401, 403, 500, 503];
  if (params.length > 0) wanted.push(404);
  if (body.length > 0) wanted.push(400, 408, 413, 415, 422);
  if (method === "GET" && Object.keys(route.input?.shape ?? {}).length > params.length) wanted.push(400);
  wanted.push(...MORE[name] ?? []);
  assert.deepEqual(Object.keys(responses), wanted.sort((a, b) => a - b).map(String), name);
  for (const [status, response] of Object.entries<Document>(responses)) {
    const answer = response.$ref ? document.components.responses[response.$ref.split("/").at(-1)] : response;
    assert.ok(answer.description && answer.headers["X-Request-Id"], `${name} ${status}`);
    const content = answer.content?.["application/json"];
    if (status === "204") assert.equal(content, undefined);
    else assert.ok(content.schema && content.example !== undefined, `${name} ${status}`);
  }
}

/** What the shape of a route does not tell. */
const MORE: Record<string, number[]> = {
  "departments.update": [409],
  "apps.update": [409],
  "apps.replace": [409],
  "apps.restore": [409, 422],
  "user_settings.delete": [422],
};

Deno.test("openapi: every example is valid under its own schema", () =>
  withServer((_server, document) => {
    const prove = validatorOf(document);
    const examples = [...examplesIn(document)];
    for (const [example, keys] of examples) prove(example, ...keys);
    assert.ok(examples.length > 300, `only ${examples.length} examples were found`);
    return Promise.resolve();
  }));

/** What creates stands before what changes, that before what reads, and what deletes comes last. */
const stage = ({ method, name }: Route) =>
  name.endsWith(".create") ? 0 : method === "GET" ? 2 : method === "DELETE" ? 3 : 1;
const inOrder = routes.toSorted((a, b) => stage(a) - stage(b));

Deno.test("openapi: the server takes every example, and answers as documented", () =>
  withServer(async (server, document) => {
    const prove = validatorOf(document);
    const ids = new Map<string, string | number>();
    for (const route of inOrder) {
      const { name, method, meta } = route;
      const [domain = ""] = name.split(".");
      const operation = operationOf(document, route);
      const path = route.path.replace(":id", String(ids.get(domain))).replace(":version", "1");
      const json = operation.requestBody?.content["application/json"].example;
      // deno-lint-ignore no-await-in-loop -- each stands on what the one before made
      const answer = await server.request(method, path, { json });
      const status = meta.status ?? 200;
      assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
      if (name.endsWith(".create")) ids.set(domain, answer.body.id);
      if (status === 204) continue;
      prove(
        answer.body,
        "paths",
        pathOf(route),
        method.toLowerCase(),
        "responses",
        status,
        "content",
        "application/json",
        "schema",
      );
    }
  }));

Deno.test("openapi: a form made of the example is taken, too", () =>
  withServer(async (server, document) => {
    const { example } = document.paths["/account/departments.json"].post.requestBody.content["multipart/form-data"];
    const form = new FormData();
    for (const [name, value] of Object.entries<unknown>(example)) {
      if (Array.isArray(value)) { for (const item of value) form.append(name, String(item)); }
      else form.append(name, String(value));
    }
    const { status, body } = await server.request("POST", "/account/departments.json", { form });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual([body.name, body.user_setting_ids], [example["department[name]"], [1]]);
  }));
