/**
 * The front door: every request comes in here and gets its id, its context and its log line. Routes that are known at
 * start, REST and `/a/` first of all, are found in the route table; Hono has the rest.
 *
 * | path | folder |
 * |---|---|
 * | /account/…, /platform/…, /connect/… | rest/, from the metas of the procedures in the domains' routers |
 * | /trpc/… | trpc.ts: the same procedures over tRPC's protocol |
 * | /a/… | pages/ |
 * | …/changes, /account/operations/log | streams/ |
 * | /logos/…, /vendor/…, /platform.d.ts, /schemas/…, exports and imports | files/ |
 * | /openapi.json | openapi/ |
 * | /healthz, /readyz | health.ts |
 */
import type { AnyTRPCRouter } from "@trpc/server";
import { Hono } from "hono";
import { appsHostOf, isForApps } from "../apps_site.ts";
import { contexts } from "../context.ts";
import { notFound } from "../errors.ts";
import { joined } from "../router.ts";
import { bearerToken, type Call } from "../viewer.ts";
import { addressOf, pathOf } from "./address.ts";
import { withoutHook } from "./webhooks.ts";
import { allowed, preflight, refuse, reported } from "./answers.ts";
import { PLAIN_ROUTES } from "./catalog.ts";
import { createDocuments, type Env, type HttpServices } from "./http_context.ts";
import { openApiRoute } from "./openapi/openapi.ts";
import { type Answerer, loadOnDemand } from "./on_demand.ts";
import { isVisit, openUnknown } from "./pages/console/console.ts";
import { missingApp } from "./pages/notices.ts";
import { addRest } from "./rest/rest.ts";
import { createRouteTable } from "./route_table.ts";
import { createTracing } from "./tracing.ts";
import { mountTrpc } from "./trpc.ts";

/** @param info the connection; without it the request comes from this machine */
export type Handler = (request: Request, info?: Connection) => Response | Promise<Response>;

export interface Connection {
  remoteAddr: Deno.Addr;
}

/**
 * @param router all domains; undefined loads each at its first need
 * @param onBroken called where that fails, with the reason
 */
export function createApp(
  services: Omit<HttpServices, "documents">,
  router: AnyTRPCRouter | undefined,
  onBroken: (reason: string) => void = () => {},
): Handler {
  let routes = routesTo(router ?? joined(new Map()));
  const contextOf = contexts({ ...services, documents: createDocuments() });
  const newRequestId = requestIds();
  const { trusted_proxies, has_traces } = services.config;
  const nameSpan = createTracing(has_traces);

  // Without a promise where there is something to answer with at once: cached pages were a tenth faster.
  const answerWithRoutes: Answerer = (context) => {
    const { request, path } = context.call;
    if (appsHostOf(context.config, request.url) && !isForApps(path)) return refuse(notFound());
    const found = routes.table.find(request, path);
    if (!found) return routes.hono.fetch(request, { context });
    const fail = (error: unknown) => refuse(reported(error, {}, context));
    try {
      const answered = found.answer(context, found.params);
      return answered instanceof Promise ? answered.catch(fail) : answered;
    } catch (error) {
      return fail(error);
    }
  };
  let answer = router ? answerWithRoutes : loadOnDemand({
    answer: answerWithRoutes,
    use: (loaded) => routes = routesTo(loaded),
    onAll: () => answer = answerWithRoutes,
    onBroken,
    log: services.log,
  });

  const finished = (call: Call, method: string, response: Response): Response => {
    if (!call.stamped) response.headers.set("x-request-id", call.request_id);
    nameSpan?.(
      method,
      routes.table.find(call.request, call.path)?.path ?? routeOfRest(call.path),
      response.status,
      call,
    );
    report(services, method, response.status, call);
    return response;
  };

  return (request, info) => {
    const { method } = request;
    const is_head = method === "HEAD";
    const address = addressOf(request, info, trusted_proxies);
    const call = callOf(request, is_head, newRequestId, address);
    const answered = answer(contextOf(call));
    if (!is_head && !(answered instanceof Promise)) return finished(call, method, answered);
    return Promise.resolve(answered)
      .then((response) => is_head ? withoutBody(response) : response)
      .then((response) => finished(call, method, response));
  };
}

/** For traces: a name that occurs often, of a path that the table does not have. */
const routeOfRest = (path: string) => /^\/(?:trpc|a)\//.exec(path)?.[0].concat("*") ?? "*";

const routesTo = (router: AnyTRPCRouter) => ({ table: createTable(router), hono: createHono(router) });

/** @param router domains whose procedures have routes */
export function createTable(router: AnyTRPCRouter) {
  const table = createRouteTable();
  addRest(table, router);
  for (const { method, path, answer } of [...PLAIN_ROUTES, openApiRoute(PLAIN_ROUTES)]) {
    table.add(method, path, answer);
  }
  // Says that the database is there and the method is not.
  table.add("POST", "/platform/db/:db_code/:method", (_context, { db_code = "" }) => {
    throw notFound(/^[a-z0-9_]{1,100}$/.test(db_code) ? "Method" : "Database");
  });
  return table;
}

function createHono(router: AnyTRPCRouter) {
  const hono = new Hono<Env>();
  mountTrpc(hono, router);
  hono.get("/a/*", missingApp);
  // Apps call whatever address they are written to call: without a preflight they could not read even its 404.
  hono.options("/platform/apps/:id/action/*", () => preflight(allowed(["GET", "POST"])));
  hono.options("/platform/db/*", () => preflight(allowed(["POST"])));
  hono.notFound((c) => {
    const { context } = c.env;
    return isVisit(context.call.request, context.call.path) ? openUnknown(context) : refuse(notFound());
  });
  hono.onError((error, c) => refuse(reported(error, {}, c.env.context)));
  return hono;
}

/**
 * The answer to HEAD: the headers of GET's answer, with the length of its body. The handlers of streams have answered
 * without a body: a body of unknown length must not be read to its end.
 */
async function withoutBody({ status, headers, body }: Response): Promise<Response> {
  if (body) headers.set("content-length", String((await new Response(body).bytes()).length));
  // Deno says that an answer without a body has the length 0.
  const is_of_unknown_length = !body && status === 200;
  return new Response(is_of_unknown_length ? new Blob([]).stream() : null, { status, headers });
}

function callOf(request: Request, is_head: boolean, newRequestId: () => string, address: string): Call {
  const given = request.headers.get("x-request-id");
  return {
    started: performance.now(),
    request: is_head ? new Request(request, { method: "GET" }) : request,
    is_head,
    path: pathOf(request.url),
    request_id: given && /^[\w.:-]{1,64}$/.test(given) ? given : newRequestId(),
    token: bearerToken(request.headers.get("authorization")),
    address,
    viewer: undefined,
    caller: undefined,
    set_cookie: undefined,
    params: undefined,
    stamped: false,
  };
}

/** Ids that are unique among processes, too: a random prefix, then a count. */
function requestIds(): () => string {
  const process = crypto.randomUUID().slice(0, 13);
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

function report({ log }: Pick<HttpServices, "log">, method: string, status: number, call: Call): void {
  log.request({
    request_id: call.request_id,
    method,
    route: withoutHook(call.path),
    status,
    ms: Math.round((performance.now() - call.started) * 10) / 10,
    account: call.viewer?.account_id,
    user: call.viewer?.viewed_by ?? call.viewer?.user_id,
    viewed_as: call.viewer?.viewed_by === undefined ? undefined : call.viewer.user_id,
  });
}
