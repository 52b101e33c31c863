/**
 * The front door. Every request comes in here: request id, context, log line; then `/trpc`, REST, `/a/`, files.
 *
 * | path | file |
 * |---|---|
 * | /healthz, /readyz | health.ts |
 * | /trpc/* | trpc.ts |
 * | /openapi.json | openapi.ts |
 * | /account/…, /platform/… | rest.ts, from the procedures' metas |
 * | /a/… | apps.ts |
 * | /logos/…, /vendor/… | assets.ts |
 */
import { Hono } from "hono";
import { type Call, contexts, type Services } from "../context.ts";
import { internal, notFound, Refusal } from "../errors.ts";
import { faultOf } from "../log.ts";
import { appRouter } from "../router.ts";
import { mountApps } from "./apps.ts";
import { mountAssets } from "./assets.ts";
import { mountHealth } from "./health.ts";
import { mountOpenApi } from "./openapi.ts";
import type { PageMemory } from "./pages.ts";
import { type Env, mountRest, refuse } from "./rest.ts";
import { mountTrpc } from "./trpc.ts";

export type Handler = (request: Request) => Promise<Response>;

export function createApp(services: Services & { pages: PageMemory }): Handler {
  const app = new Hono<Env>();
  mountHealth(app);
  mountTrpc(app, appRouter);
  mountOpenApi(app, appRouter, services.config);
  mountRest(app, appRouter);
  mountApps(app, services.pages);
  mountAssets(app);
  app.notFound(() => refuse(notFound()));
  app.onError((error, c) => {
    if (error instanceof Refusal) return refuse(error);
    const { log, call } = c.env.context;
    log.error("request failed", { request_id: call.request_id, ...faultOf(error) });
    return refuse(internal(error));
  });
  const contextOf = contexts(services);
  const newRequestId = requestIds();
  return async (request) => {
    const started = performance.now();
    const call = callOf(request, newRequestId);
    const response = await app.fetch(request, { context: contextOf(call) });
    if (!call.stamped) response.headers.set("x-request-id", call.request_id);
    report(services, request, response, call, started);
    return response;
  };
}

function callOf({ headers }: Request, newRequestId: () => string): Call {
  const given = headers.get("x-request-id");
  const authorization = headers.get("authorization");
  return {
    request_id: given && /^[\w.:-]{1,64}$/.test(given) ? given : newRequestId(),
    token: authorization?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1],
    viewer: undefined,
    stamped: false,
  };
}

/** Ids that no other process gives either: a random beginning, then a count. */
function requestIds(): () => string {
  const process = crypto.randomUUID().slice(0, 13);
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}

/** The path without its query, which may hold what a person typed. */
function pathOf(url: string): string {
  const query = url.indexOf("?");
  return url.slice(url.indexOf("/", 8), query === -1 ? undefined : query);
}

function report({ log }: Services, request: Request, response: Response, call: Call, started: number): void {
  log.request({
    request_id: call.request_id,
    method: request.method,
    route: pathOf(request.url),
    status: response.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    account: call.viewer?.account_id,
    user: call.viewer?.user_id,
  });
}
