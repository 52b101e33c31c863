/** The API reference is valid and complete, and the server behaves as it says. */
import assert from "node:assert/strict";
import { Validator } from "../../packages/openapi_validator.ts";
import { Ajv2020 } from "../../packages/ajv.ts";
import type { AnyTRPCProcedure } from "@trpc/server";
import addFormats from "../../packages/ajv_formats.ts";
import { describe } from "../../../server/http/openapi/openapi.ts";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { type Route, routesOf } from "../../../server/http/rest/routes.ts";
import { loadRouter } from "../../../server/router.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import { ADMIN_PASSWORD, startServer, type TestServer } from "../../stage/harness.ts";
import { addIdentity, addPasskey, made } from "../../stage/people.ts";

// deno-lint-ignore no-explicit-any -- a JSON document whose shape is what is tested
type Document = any;

const all_routes = routesOf(await loadRouter());
/** Routes that need a login. Pages and visitors call the others. */
const routes = all_routes.filter(({ meta }) => meta.role);
const pathOf = ({ path }: { path: string }) => path.replace(/:(\w+)/g, "{$1}");
const operationOf = (route: Route) => document.paths[pathOf(route)]?.[route.method.toLowerCase()];

const document: Document = JSON.parse(JSON.stringify(describe(await loadRouter(), PLAIN_ROUTES, "http://atrium.test")));

// The sanitizers would report the shared server's own timers and connections as leaks of each test.
const sanitizers = { sanitizeOps: false, sanitizeResources: false };
const shared: { server?: TestServer } = {};
// The examples also test connectors. Without addresses no request leaves this machine.
const noAddress = () => Promise.resolve([]);
Deno.test.beforeAll(async () => void (shared.server = await startServer({}, { lookup: noAddress })));
Deno.test.afterAll(() => shared.server?.close());

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  if (!shared.server) throw new Error("the server has not started");
  await work(shared.server);
}

/** Validates a value against the schema at a JSON pointer of the document. */
function createProof() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "api");
  // Most schemas occur many times, and compiling one takes 10 ms.
  const compiled = new Map<string, ReturnType<typeof ajv.getSchema>>();
  return (value: unknown, ...keys: (string | number)[]) => {
    const pointer = keys.map((key) => `/${encodeURIComponent(String(key).replace(/~/g, "~0").replace(/\//g, "~1"))}`);
    const text = JSON.stringify(keys.reduce((node, key) => node[key], document));
    const validate = compiled.get(text) ?? ajv.getSchema(`api#${pointer.join("")}`);
    compiled.set(text, validate);
    assert.ok(validate?.(value), `${keys.join(" ")}: ${ajv.errorsText(validate?.errors)} in ${JSON.stringify(value)}`);
  };
}

/** Yields every example, of a schema or next to one, with the path of its schema. */
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

/** Yields the schema of each parameter, header and body, and the shared ones, with their paths. */
function* schemasIn(node: Document, keys: string[] = []): Generator<[schema: Document, keys: string[]]> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const path = [...keys, key];
    if (key === "schema" || keys.join() === "components,schemas") yield [value, path];
    else yield* schemasIn(value, path);
  }
}

Deno.test(
  "openapi: valid under a public validator, with every route and nothing that is none",
  sanitizers,
  async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(document.openapi, "3.1.0");
    // The validator leaves the schemas of parameters and bodies unread.
    const ajv = new Ajv2020({ strict: false });
    for (const [schema, keys] of schemasIn(document)) assert.ok(ajv.validateSchema(schema), keys.join(" "));

    const described = Object.entries<Document>(document.paths).flatMap(([path, operations]) =>
      Object.entries<Document>(operations)
        .filter(([, { operationId }]) => operationId.includes("."))
        .map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`)
    );
    const mounted = all_routes.map((route) => `${route.name} ${route.method} ${pathOf(route)}`);
    assert.deepEqual(described.sort(), mounted.sort());
    // A subscription has no REST route: over REST its events are a stream.
    const router = await loadRouter();
    const procedures = Object.values<AnyTRPCProcedure>(router._def.procedures);
    assert.equal(mounted.length, procedures.filter(({ _def }) => _def.type !== "subscription").length);
  },
);

Deno.test(
  "openapi: routes without a procedure are described with exactly their methods",
  sanitizers,
  () =>
    withServer(async ({ request }) => {
      const others = [...PLAIN_ROUTES, ...all_routes.filter(({ meta }) => !meta.role)].map(pathOf);
      for (const path of new Set(others)) {
        const operations = document.paths[path];
        const { status, headers } = await request("OPTIONS", path.replace(/\{(\w+)\}/g, "$1"), { token: null });
        assert.equal(status, 204, path);
        const described = Object.keys(operations).map((method) => method.toUpperCase());
        const allowed = headers.get("allow")?.split(", ").filter((method) => !["HEAD", "OPTIONS"].includes(method));
        assert.deepEqual(described, allowed, path);
        for (const { summary, operationId, responses } of Object.values<Document>(operations)) {
          assert.ok(summary && operationId && Object.keys(responses).length > 0, path);
        }
      }
    }),
);

Deno.test("openapi: each route has its security, parameters, bodies and answers", sanitizers, () => {
  for (const route of routes) {
    const operation = operationOf(route);
    const { params, query, body, meta, name } = route;
    assert.deepEqual(operation.security, [{ token: [] }], name);
    assert.ok(document.components.securitySchemes.token.scheme === "bearer" && operation.summary, name);

    const named = (where: string) =>
      operation.parameters.filter((parameter: Document) => parameter.in === where)
        .map((parameter: Document) => parameter.name);
    assert.deepEqual(named("path"), params, name);
    assert.deepEqual(named("query"), query, name);
    assert.deepEqual([...params, ...query, ...body].sort(), Object.keys(route.input?.shape ?? {}).sort(), name);
    for (const { schema, style } of operation.parameters) {
      assert.ok(schema.type ?? schema.enum ?? schema.anyOf, name);
      assert.equal(style, schema.type === "object" ? "deepObject" : undefined, name);
    }

    const kinds = Object.keys(operation.requestBody?.content ?? {});
    const expected = meta.multipart_only ? ["application/json", "multipart/form-data"] : ["application/json"];
    assert.deepEqual(kinds, body.length > 0 ? expected : [], name);
    const is_blank_refused = meta.wrapper !== undefined ||
      body.some((key) => route.input?.shape[key]?.safeParse(undefined).success === false);
    if (body.length > 0) assert.equal(operation.requestBody.required, is_blank_refused, name);
    assertAnswers(route);
  }
});

Deno.test("openapi: where a key repeats a start, the header is a parameter", sanitizers, () => {
  const keyed = Object.values<Document>(document.paths).flatMap((operations) => Object.values<Document>(operations))
    .filter(({ parameters }) => parameters?.some(({ name }: Document) => name === "Idempotency-Key"));
  assert.deepEqual(keyed.map(({ operationId }) => operationId), ["apps.call_action", "flows.run"]);
});

function assertAnswers(route: Route): void {
  const { name, body, params, query, meta } = route;
  const { responses } = operationOf(route);
  const wanted = [meta.status ?? 200, 401, 403, 429, 500, 503];
  if (params.length > 0) wanted.push(404);
  if (body.length > 0) wanted.push(400, 408, 413, 415, 422);
  if (query.length > 0) wanted.push(400);
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

/** Statuses that the shape of the route does not imply. */
const MORE: Record<string, number[]> = {
  "archive.push": [409],
  "departments.update": [409],
  "user_settings.update": [409],
  "teams.update": [409],
  "groups.update": [409],
  "mailboxes.update": [409],
  "apps.update": [409],
  "apps.replace": [409],
  "apps.restore": [409, 422],
  "flows.drafts.put": [409],
  "flows.drafts.delete": [409],
  "apps.drafts.put": [409],
  "apps.drafts.delete": [409],
  "apps.call_action": [409],
  "flows.run": [409],
  "dbs.update": [409],
  "connectors.update": [409],
  "flows.update": [409],
  "dbs.delete": [409],
  "connectors.delete": [409],
  "flows.delete": [409],
  "flows.restore": [409, 422],
  "crons.update": [409],
  "flow_processes.cancel": [409],
  "approvals.answer": [409],
  "agents.confirmations.answer": [409],
  "flow_processes.retry": [409],
  "flow_processes.retries.create": [409],
  "crons.read_schedule": [422],
  "flow_processes.outcomes": [422],
  "crons.fire": [409],
  "user_settings.delete": [422],
  "passkeys.options": [422],
};

Deno.test("openapi: every example is valid under its own schema", sanitizers, () => {
  const prove = createProof();
  const examples = [...examplesIn(document)];
  for (const [example, keys] of examples) prove(example, ...keys);
  assert.ok(examples.length > 300, `only ${examples.length} examples were found`);
});

/**
 * Routes that create come first, then those that change, then those that read; routes that delete come last, the inner
 * objects first.
 */
const stage = ({ method, name }: Route) =>
  name.endsWith(".create") ? 0 : method === "GET" ? 2 : method === "DELETE" ? 3 : 1;
const inOrder = [
  ...routes.toSorted((a, b) => stage(a) - stage(b)).filter(({ method }) => method !== "DELETE"),
  ...routes.toReversed().filter(({ method }) => method === "DELETE"),
];

/** Ids of records in the examples. */
const RECORD_IDS = ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55", "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e56"];

/** The route's example, with ids of existing records. */
async function exampleFor(route: Route, request: TestServer["request"]): Promise<unknown> {
  const example = operationOf(route).requestBody?.content["application/json"].example;
  if (example === undefined) return example;
  let text = JSON.stringify(example);
  if (route.name.startsWith("dashboards.")) {
    const app = { name: "Tile", app_engine: "html", source_code: "<p>", dashboard_widget: true };
    return JSON.parse(
      text.replaceAll(NO_UUID, made(await request("POST", "/platform/apps.json", { json: { app } })).id),
    );
  }
  if (text.includes('"run_id"')) {
    const [flow] = (await request("GET", "/connect/flows.json")).body;
    const run = await request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    return JSON.parse(text.replaceAll(NO_UUID, run.body.flow_process_id));
  }
  if (!route.name.startsWith("records.")) return example;
  for (const id of RECORD_IDS) {
    const { body } = await request("POST", RECORDS, { json: { record: { data: { message: "Hello" } } } });
    text = text.replaceAll(id, body.id);
  }
  return JSON.parse(text);
}

/** They need a session and a browser with an authenticator. */
const NEED_BROWSER = { "passkeys.options": 422, "passkeys.create": 422 };

/** Routes that refuse: the run in question has ended; no run asks; an API token may not. */
const REFUSED: Record<string, number> = {
  "crons.rotate_address": 404,
  "flow_processes.cancel": 409,
  "flow_processes.retries.find": 404,
  "flow_processes.retries.cancel": 404,
  "approvals.answer": 404,
  "agents.changes": 404,
  "agents.undo": 404,
  "agents.confirmations.answer": 404,
  "passwords.change": 403,
  ...NEED_BROWSER,
};

/** The database that the examples create. */
const DB = "guestbook";
const RECORDS = `/platform/dbs/${DB}/records.json`;

Deno.test(
  "openapi: it is public, every example is accepted, and answers match it",
  sanitizers,
  () =>
    withServer(async ({ request, sql }) => {
      assert.deepEqual((await request("GET", "/openapi.json", { token: null })).body, document);
      const prove = createProof();
      const ids = new Map<string, string | number>([
        ["sessions", await signIn(request)],
        ["passkeys", await addPasskey({ sql }, 1)],
        ["identities", await addIdentity({ sql }, 1)],
      ]);
      for (const route of inOrder) {
        const { name, method, meta } = route;
        const status = REFUSED[name] ?? meta.status ?? 200;
        const [domain = ""] = name.split(".");
        const owner = name.split(".").slice(0, -1).join(".");
        const path = route.path.replace(":id", String(ids.get(domain))).replace(":version", "1").replace(
          ":db_code",
          DB,
        ).replace(":example_id", String(ids.get("flows.examples"))).replace(":view_id", String(ids.get("dbs.views")));
        const json = await exampleFor(route, request);
        const answer = await request(method, path, { json });
        assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
        if (/\.(create|renew)$/.test(name) && status === 201) ids.set(owner, answer.body.id);
        if (name === "flows.run") ids.set("flow_processes", answer.body.flow_process_id);
        if (status === 204 || status >= 400) continue;
        const place = ["paths", pathOf(route), method.toLowerCase(), "responses", status];
        prove(answer.body, ...place, "content", "application/json", "schema");
      }
      await assertFormIsTaken(request);
      await assertTablesAreNamed(request, prove);
    }),
);

/** A request with a missing or wrong table name is answered with the names of the tables. */
async function assertTablesAreNamed(request: TestServer["request"], prove: ReturnType<typeof createProof>) {
  const schema = { tables: { people: { fields: {} }, dogs: { fields: {} } } };
  assert.equal((await request("POST", "/platform/dbs.json", { json: { db: { name: "Zoo", schema } } })).status, 201);
  for (const [query, status] of [["", 400], ["?table_name=cats", 404]] as const) {
    const answer = await request("GET", `/platform/dbs/zoo/search.json${query}`);
    assert.deepEqual([answer.status, answer.body.tables], [status, ["people", "dogs"]]);
    const { $ref } = document.paths["/platform/dbs/{db_code}/search.json"].get.responses[status];
    const place = $ref.slice(2).split("/");
    prove(answer.body, ...place, "content", "application/json", "schema");
    assert.ok(document.components.schemas.Error.properties.tables);
  }
}

/** @returns the id of the admin's new session */
async function signIn(request: TestServer["request"]): Promise<number> {
  const session = { login: "admin", password: ADMIN_PASSWORD };
  return made(await request("POST", "/account/session.json", { json: { session } })).session_id;
}

async function assertFormIsTaken(request: TestServer["request"]): Promise<void> {
  const { example } = document.paths["/account/departments.json"].post.requestBody.content["multipart/form-data"];
  const form = new FormData();
  for (const [name, value] of Object.entries<unknown>(example)) {
    for (const item of Array.isArray(value) ? value : [value]) form.append(name, String(item));
  }
  const { status, body } = await request("POST", "/account/departments.json", { form });
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual([body.name, body.user_setting_ids], [example["department[name]"], [1]]);
}
