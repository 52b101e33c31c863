/**
 * Scenario tables: name, request, expected answer. Every answer is also checked against what its route declares: a
 * success against the output schema, with exactly its keys, and a refusal against the error shapes of the
 * specification.
 */
import assert from "node:assert/strict";
import { type Route, routesOf } from "../../server/http/rest/routes.ts";
import { loadRouter } from "../../server/router.ts";
import { ADMIN_TOKEN, type Answer, type Sent, startServer, type TestServer } from "./harness.ts";
import { addAccount, as, type Ask, type Method, type Person } from "./people.ts";
import { share, type Shared } from "../run/shared.ts";
import { z } from "zod";

export type { Ask, Method } from "./people.ts";

export interface Scenario {
  /** The rule that the row checks. */
  name: string;
  method: Method;
  path: string;
  sent?: Sent;
  status: number;
  /**
   * The expected body. Other keys of an object may have any value; a list must have exactly these items; a pattern must
   * match a text or a list of messages. A 422 must name exactly these fields.
   */
  body?: unknown;
  /** Null for a header that must be missing. */
  headers?: Record<string, string | RegExp | null>;
  /** Further checks of the answer. */
  then?: (answer: Answer) => void | Promise<void>;
}

export interface Stage {
  server: TestServer;
  /** An admin of the test's account. */
  admin: Person;
  /** Sends the admin's token by default, as `play` does. */
  ask: Ask;
  /** Runs the rows in order, each as a step of the test. */
  play(scenarios: readonly Scenario[]): Promise<void>;
}

type OnAccount = (name: string, work: (stage: Stage) => Promise<void>) => void;

type OnAccountOrDefault = (
  name: string,
  work: (stage: Stage) => Promise<void>,
  options?: { of_default?: boolean },
) => void;

/** For tests of a file with a shared server. The sanitizers would report its timers and connections as their leaks. */
export const BESIDE_SERVER = { sanitizeOps: false, sanitizeResources: false };

/** Declares a test beside such a server. It has a server of its own, or none. */
export const testBeside = (test: Pick<Deno.TestDefinition, "name" | "ignore" | "fn">): void =>
  Deno.test({ ...test, ...BESIDE_SERVER });

/** By environment, for the files of a bundle (test/run/bundles.ts), which share this module. */
const servers = new Map<string, Shared<TestServer>>();

/**
 * Returns a function that declares tests on one server for the whole bundle, because a start takes longer than most
 * tests. Each test has a new account.
 *
 * @param environment further environment variables of the server
 */
export function onSharedServer(environment: Record<string, string> = {}): OnAccount {
  return declare(servers.getOrInsertComputed(JSON.stringify(environment), () => serverWith(environment)));
}

/**
 * As `onSharedServer`, with a server for this file. With `of_default`, a test uses the default account, which it shares
 * with the other tests of the file and to which requests with an unknown host belong.
 */
export function onOwnServer(environment: Record<string, string> = {}): OnAccountOrDefault {
  return declare(serverWith(environment));
}

const serverWith = (environment: Record<string, string>) =>
  share(() => startServer(environment), (server) => server.close());

const declare = (shared: Shared<TestServer>): OnAccountOrDefault => (name, work, { of_default = false } = {}) => {
  shared.expect();
  Deno.test({
    name,
    ...BESIDE_SERVER,
    fn: (t) =>
      shared.use(async (server) => {
        const admin = of_default ? { id: 1, token: ADMIN_TOKEN } : await addAccount(server);
        const ask = as(proven(server.request), admin.token);
        await work({ server, ask, admin, play: player(t, ask) });
      }),
  });
};

export const player = (t: Deno.TestContext, ask: Ask): Stage["play"] => (scenarios) =>
  inTurn(scenarios, (scenario) => t.step(scenario.name, () => playOne(ask, scenario)));

/**
 * Runs `work` for one item after the other, so that later items build on earlier ones and the first failure is
 * reported.
 */
export async function inTurn<T>(items: Iterable<T>, work: (item: T, index: number) => unknown): Promise<void> {
  let index = 0;
  for (const item of items) await work(item, index++);
}

async function playOne(ask: Ask, { method, path, sent, status, body, headers = {}, then }: Scenario): Promise<void> {
  const answer = await ask(method, path, sent);
  assert.equal(answer.status, status, `status ${answer.status}: ${JSON.stringify(answer.body)?.slice(0, 500)}`);
  if (status === 422) assert.deepEqual(Object.keys(answer.body).sort(), Object.keys(Object(body)).sort());
  if (body !== undefined) says(answer.body, body);
  for (const [header, expected] of Object.entries(headers)) headerSays(answer.headers, header, expected);
  await then?.(answer);
}

function headerSays(headers: Headers, header: string, expected: string | RegExp | null): void {
  const actual = headers.get(header);
  if (expected instanceof RegExp) assert.match(actual ?? "", expected, header);
  else assert.equal(actual, expected, header);
}

/** Checks a value against an expectation as in `Scenario.body`. */
export function says(actual: unknown, expected: unknown, path = "body"): void {
  if (expected instanceof RegExp) {
    const text = Array.isArray(actual) ? actual.join("\n") : actual;
    assert.equal(typeof text, "string", `${path} is ${JSON.stringify(actual)}`);
    return assert.match(String(text), expected, path);
  }
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path} is no list: ${JSON.stringify(actual)}`);
    assert.equal(actual.length, expected.length, `${path} has ${actual.length} items: ${JSON.stringify(actual)}`);
    return expected.forEach((item, index) => says(actual[index], item, `${path}.${index}`));
  }
  if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof actual === "object" && actual !== null, `${path} is ${JSON.stringify(actual)}`);
    for (const [key, value] of Object.entries(expected)) says(Reflect.get(actual, key), value, `${path}.${key}`);
    return;
  }
  assert.deepEqual(actual, expected, path);
}

const ROUTES = routesOf(await loadRouter()).map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replace(/[.]/g, "\\$&").replace(/:\w+/g, "[^/]+")}$`),
}));

/** The codes of refusals, by status. */
const WORDS: Record<number, string> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  409: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "too_many_requests",
  500: "internal_error",
  503: "unavailable",
};

/** Headers that a refusal must have. */
const BRINGS: Record<number, [header: string, value: RegExp]> = {
  401: ["www-authenticate", /^Bearer\b/],
  405: ["allow", /OPTIONS/],
  429: ["retry-after", /^\d+$/],
  503: ["retry-after", /^\d+$/],
};

const Fields = z.record(z.string().min(1), z.array(z.string().min(1)).min(1))
  .refine((fields) => Object.keys(fields).length > 0, "names no field");

/** SQL, stack traces and package names, which no answer may contain. */
const INSIDE =
  /\b(select|insert into|update|delete from) .{0,80}\b(from|set|values|where)\b|\bat .+\.(ts|js):\d+|npm:|postgres(\.js|error)/i;

export function proven(request: TestServer["request"]): Ask {
  return async (method, path, sent) => {
    const answer = await request(method, path, sent);
    prove(method, path, answer);
    return answer;
  };
}

/** @throws {AssertionError} if the answer differs from what its route declares */
export function prove(method: string, path: string, answer: Answer): void {
  const { status, headers, body } = answer;
  assert.match(headers.get("x-request-id") ?? "", /^.+$/, "X-Request-Id");
  if (method === "HEAD" || method === "OPTIONS" || status === 304) {
    return assert.equal(body, undefined, "a body where none belongs");
  }
  if (status >= 400) return proveRefusal(answer);
  const [pathname = "", query] = path.split("?");
  const routes = ROUTES.filter((route) => route.method === method && route.pattern.test(pathname));
  // A written-out segment goes before a parameter.
  const route = routes.find((route) => route.path === pathname) ?? routes[0];
  if (!route) return;
  assert.equal(status, route.meta.status ?? 200, "the status that the route declares");
  if (status === 204) return assert.equal(body, undefined, "204 is empty");
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.ok(route.output, `${route.name} declares no output`);
  assert.deepEqual(route.output.parse(body), body, `${route.name}: keys that its output does not declare`);
  if (method === "GET" && route.output instanceof z.ZodArray) proveCount(route, query, headers);
}

/** Lists of records are counted on request, lists of runs unless `count` is false, other lists with pages always. */
function proveCount({ input, path }: Route, query: string | undefined, headers: Headers): void {
  const count = new URLSearchParams(query).get("count") ?? "";
  const counts = path.startsWith("/connect/flow_processes")
    ? !["false", "0"].includes(count)
    : input?.shape.page !== undefined && !input.shape.count || ["true", "1"].includes(count);
  if (counts) {
    assert.match(headers.get("x-total-count") ?? "", /^\d+$/);
    assert.match(headers.get("link") ?? "", /rel="first".*rel="last"/);
  } else {
    assert.equal(headers.get("x-total-count"), null);
    assert.match(headers.get("link") ?? "", /^(<[^>]+>; rel="next")?$/);
  }
}

function proveRefusal({ status, headers, body }: Answer): void {
  assert.doesNotMatch(typeof body === "string" ? body : JSON.stringify(body), INSIDE);
  const [header, value] = BRINGS[status] ?? [];
  if (header && value) assert.match(headers.get(header) ?? "", value, header);
  if (headers.get("content-type")?.startsWith("text/html")) return;
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  if (status === 422) return void Fields.parse(body);
  const words = [WORDS[status], ...status === 400 ? ["table_name_required"] : []];
  assert.ok(words.includes(body.code), `status ${status} with code ${body.code}`);
  assert.match(body.error, /^(\w[\w.]*|filter\[[^]*\]:?) \S+/, "a sentence for a person");
  const more = status === 409
    ? [body.used_by === undefined ? "current" : "used_by"]
    : [400, 404].includes(status) && body.tables !== undefined
    ? ["tables"]
    : [];
  assert.deepEqual(Object.keys(body).sort(), ["code", "error", ...more].sort(), "keys of a refusal");
  if (body.code === "table_name_required") assert.ok(body.tables.length > 0);
}
