/** Rules of every endpoint: paths, methods, headers, logs. `bodies_test.ts` has those of bodies. */
import { CONSOLE_PAGES } from "../../../server/http/pages/console/console.ts";
import assert from "node:assert/strict";
import type { TestServer } from "../../stage/harness.ts";
import { addressOf, NO_UUID, ROUTES } from "../../stage/addresses.ts";
import { addPerson, made } from "../../stage/people.ts";
import { inTurn, type Method, onOwnServer, prove, type Scenario } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onOwnServer();

const ALL = "/account/departments.json";
const PATHS = [...new Set(ROUTES.map(({ path }) => path))];

/** Pages of the console: some have the address of a list without its ending. */
const CONSOLE = new Set(CONSOLE_PAGES.map(({ path }) => path));

inAccount("protocol: paths exactly as documented", async ({ ask, play }) => {
  const { id } = made(await ask("POST", ALL, { json: { department: { name: "There" } } }));
  const missing = (path: string): Scenario => ({ name: `${path} is 404`, method: "GET", path, status: 404 });
  await play([
    ...PATHS.map((path) => addressOf({ path }).replace(/\.json$/, "")).filter((path) => !CONSOLE.has(path)).map(
      missing,
    ),
    ...[
      "/account/",
      "/platform",
      "/account/departments",
      "/account/departments/",
      `${ALL}/`,
      "/nothing.json",
    ]
      .map(missing),
    ...[".json.json", ".JSON", ".xml", ".json/", ".json%00", ".jsonx"].map((ending) =>
      missing(`/account/departments/${id}${ending}`)
    ),
    missing(`/account//departments/${id}.json`),
    missing(`//account/departments/${id}.json`),
    missing(`/ACCOUNT/departments/${id}.json`),
    missing(`/account/departments/${id}%2fset_as_main.json`),
    missing(`/account/departments/..%2f..%2faccount.json`),
    { name: "and this one is there", method: "GET", path: `/account/departments/${id}.json`, status: 200 },
  ]);
  await inTurn(["POST", "PATCH", "DELETE"] as const, async (method) => {
    assert.equal((await ask(method, `/account/departments/${id}`)).status, 404, `${method} without the suffix`);
  });
});

inAccount("protocol: methods", async ({ server, play }) => {
  const methods = new Map<string, string[]>();
  for (const { path, method } of ROUTES) methods.set(path, [...(methods.get(path) ?? []), method]);
  const all: Method[] = ["GET", "POST", "PATCH", "DELETE", "PUT"];
  await play([...methods].flatMap(([path, known]) => {
    const allowed = [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
    const allows = ({ headers }: { headers: Headers }) =>
      assert.deepEqual(headers.get("allow")?.split(/, */).sort(), allowed, path);
    return [
      ...all.filter((method) => !known.includes(method)).map((method): Scenario => ({
        name: `${method} ${path} is 405 with Allow`,
        method,
        path: addressOf({ path }),
        sent: { token: null },
        status: 405,
        then: allows,
      })),
      {
        name: `OPTIONS ${path} needs no token`,
        method: "OPTIONS",
        path: addressOf({ path }),
        sent: {
          token: null,
          headers: {
            origin: "https://other.test",
            "access-control-request-method": known[0] ?? "GET",
            "access-control-request-headers": "authorization, content-type",
          },
        },
        status: 204,
        headers: {
          "access-control-allow-origin": "*",
          "access-control-allow-credentials": null,
          "access-control-allow-headers": /authorization.*content-type/i,
          "access-control-allow-methods": new RegExp(known.join(".*")),
        },
        then: allows,
      } as Scenario,
      ...(known.includes("GET") ? [] : [{
        name: `HEAD ${path} is 405`,
        method: "HEAD",
        path: addressOf({ path }),
        status: 405,
      } as Scenario]),
    ];
  }));
  await play([
    { name: "HEAD of one that is there", method: "HEAD", path: "/account.json", status: 200 },
    { name: "HEAD of one that is missing", method: "HEAD", path: "/account/departments/1.json", status: 404 },
    { name: "HEAD without a token", method: "HEAD", path: ALL, sent: { token: null }, status: 401 },
  ]);
  const trace = await fetch(server.listen() + ALL, { method: "PROPFIND" });
  assert.equal(trace.status, 405, "a method that HTTP does not know by heart");
  await trace.body?.cancel();
});

inAccount("protocol: a page anywhere may call with a token", async ({ ask, play }) => {
  const headers: Scenario["headers"] = {
    "access-control-allow-origin": "*",
    "access-control-allow-credentials": null,
    "access-control-expose-headers": /x-request-id.*x-total-count.*link/i,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "set-cookie": null,
  };
  const from = { headers: { origin: "https://other.test" } };
  const row = (name: string, rest: Partial<Scenario>): Scenario => ({
    name,
    method: "GET",
    path: ALL,
    sent: from,
    status: 200,
    headers,
    ...rest,
  });
  const user = await addPerson(ask, "user");
  await play([
    row("200", {}),
    row("201", { method: "POST", sent: { ...from, json: { department: { name: "D" } } }, status: 201 }),
    row("400", { path: `${ALL}?page=x`, status: 400 }),
    row("401", { sent: { ...from, token: null }, status: 401 }),
    row("403", { sent: { ...from, token: user.token }, status: 403 }),
    row("404 of an object", { path: "/account/departments/999.json", status: 404 }),
    row("422", { method: "POST", sent: { ...from, json: { department: {} } }, status: 422, body: { name: /./ } }),
  ]);
});

inAccount("protocol: X-Request-Id", async ({ ask, play }) => {
  const given = (name: string, id: string, expected: RegExp, path = ALL): Scenario => ({
    name,
    method: "GET",
    path,
    sent: { headers: { "x-request-id": id } },
    status: path === ALL ? 200 : 404,
    headers: { "x-request-id": expected },
  });
  await play([
    given("a given one is kept", "my-request.42", /^my-request\.42$/),
    given("a UUID, too", NO_UUID, new RegExp(`^${NO_UUID}$`)),
    given("of a 404 as well", "abc", /^abc$/, "/nothing"),
    given("one that is too long to log is replaced", "x".repeat(1000), /^(?!x{100}).{8,}$/),
    given("one that would forge a log line is replaced", 'x","level":"error', /^(?!x").{8,}$/),
  ]);
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await ask("GET", ALL)).headers.get("x-request-id")),
  );
  assert.equal(new Set(ids).size, 20, "each request has its own");
});

inAccount("protocol: health", async ({ play }) => {
  const row = (method: Method, path: string, status: number): Scenario => ({
    name: `${method} ${path}`,
    method,
    path,
    sent: { token: null },
    status,
  });
  await play([
    row("GET", "/healthz", 200),
    row("HEAD", "/healthz", 200),
    row("GET", "/readyz", 200),
    row("HEAD", "/readyz", 200),
    row("POST", "/readyz", 405),
    row("GET", "/healthz.json", 404),
  ]);
});

inAccount("protocol: /readyz fails while the database refuses writes", async ({ server, play }) => {
  const { sql } = server;
  const row = (name: string, status: number, body: unknown): Scenario => ({
    name,
    method: "GET",
    path: "/readyz",
    sent: { token: null },
    status,
    body,
  });
  await sql`
    create function refuse_write() returns trigger language plpgsql as $$
    begin
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end
    $$
  `;
  await sql`create trigger full_disk before update on readiness execute function refuse_write()`;
  const answer = await server.request("GET", "/readyz", { token: null });
  await sql`drop trigger full_disk on readiness`;
  assert.deepEqual([answer.status, answer.body], [503, { status: "unavailable", database: false, kv: true }]);
  await play([row("afterwards", 200, { status: "ok", database: true, kv: true })]);
});

interface Line {
  request_id?: string;
  [key: string]: unknown;
}

/** Waits for the log line of a request: the log gathers lines before it writes them. */
async function lineOf({ logged }: TestServer, request_id: string): Promise<Line> {
  const find = () => logged.map((line): Line => JSON.parse(line)).filter((line) => line.request_id === request_id);
  await until(() => find().length > 0, `${request_id} is logged`);
  const [line, ...more] = find();
  assert.deepEqual(more, [], "one line a request");
  return line ?? {};
}

inAccount("protocol: the log says who did what, and never what was sent", async ({ server, ask, admin }) => {
  const canary = "canary-7f3a9c";
  const person = await addPerson(ask, "manager", { name: canary, password: `${canary}-password` });
  const headers = (id: string) => ({ "x-request-id": id, "x-secret": canary, cookie: `sid=${canary}` });
  const department = { name: canary, description: canary, email: `${canary}@example.com` };
  await ask("POST", ALL, { json: { department }, headers: headers("created") });
  await ask("POST", ALL, { json: { department: { ...department, email: canary } }, headers: headers("refused") });
  await ask("POST", ALL, {
    raw: `{"${canary}`,
    headers: { ...headers("malformed"), "content-type": "application/json" },
  });
  await ask("GET", `${ALL}?sort=${canary}`, { headers: headers("query") });
  await ask("GET", "/account/departments/999.json", { token: person.token, headers: headers("missing") });
  await ask("GET", ALL, { token: `${canary}-token`, headers: headers("stranger") });
  await ask("GET", "/nothing", { token: null, headers: headers("nowhere") });
  const account = (await ask("GET", "/account.json")).body.id;
  const expected: [id: string, method: string, route: string, status: number, user?: number][] = [
    ["created", "POST", ALL, 201, admin.id],
    ["refused", "POST", ALL, 422, admin.id],
    ["malformed", "POST", ALL, 400, admin.id],
    ["query", "GET", ALL, 400, admin.id],
    ["missing", "GET", "/account/departments/", 404, person.id],
    ["stranger", "GET", ALL, 401],
    ["nowhere", "GET", "/nothing", 404],
  ];
  await inTurn(expected, async ([id, method, route, status, user]) => {
    const line = await lineOf(server, id);
    assert.equal(line.method, method, id);
    assert.ok(String(line.route).startsWith(route), `${id}: ${line.route}`);
    assert.equal(line.status, status, id);
    assert.equal(line.account, user === undefined ? undefined : account, id);
    assert.equal(line.user, user, id);
    assert.ok(typeof line.ms === "number" && line.ms >= 0 && line.ms < 10_000, id);
    assert.ok(!Number.isNaN(Date.parse(String(line.time))), id);
  });
  const log = server.logged.join("\n");
  for (const secret of [canary, person.token, admin.token, "Bearer"]) {
    assert.ok(!log.includes(secret), `${secret} is in the log`);
  }
});

inAccount("protocol: over the wire", async ({ server }) => {
  const url = server.listen();
  const headers = { authorization: "Bearer admin-token-of-the-tests" };
  const path = `${ALL}?per_page=5`;
  const response = await fetch(url + path, { headers });
  const text = await response.text();
  prove("GET", path, { status: response.status, headers: response.headers, body: JSON.parse(text) });
  const head = await fetch(url + path, { method: "HEAD", headers });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  assert.equal(head.headers.get("x-total-count"), "0");
  const deleted = await fetch(`${url}/account/departments/1.json`, { method: "DELETE", headers });
  assert.equal(deleted.status, 404);
  await deleted.body?.cancel();
});
