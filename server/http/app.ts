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
import { notFound } from "../errors.ts";
import { appRouter } from "../router.ts";
import { pathOf } from "./address.ts";
import { mountApps } from "./apps.ts";
import { mountAssets } from "./assets.ts";
import { mountHealth } from "./health.ts";
import { mountOpenApi } from "./openapi.ts";
import type { PageMemory } from "./pages.ts";
import { type Env, mountRest, refuse, reported } from "./rest.ts";
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
  app.onError((error, c) => refuse(reported(error, {}, c.env.context)));
  const contextOf = contexts(services);
  const newRequestId = requestIds();
  return async (request) => {
    const started = performance.now();
    const call = callOf(request, newRequestId);
    const answer = (request: Request) => app.fetch(request, { context: contextOf(call) });
    const response = request.method === "HEAD" ? await headOf(answer, request) : await answer(request);
    if (!call.stamped) response.headers.set("x-request-id", call.request_id);
    report(services, request, response, call, started);
    return response;
  };
}

/** What GET answers, its length too, without the body. */
async function headOf(answer: (request: Request) => Response | Promise<Response>, request: Request): Promise<Response> {
  const { status, headers, body } = await answer(new Request(request, { method: "GET" }));
  if (body) headers.set("content-length", String((await new Response(body).bytes()).length));
  return new Response(null, { status, headers });
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
