/**
 * The front door. Every request comes in here: request id, context, log line; then `/trpc`, REST, `/a/`, files.
 *
 * | path | file |
 * |---|---|
 * | /healthz, /readyz | health.ts |
 * | /trpc/* | trpc.ts |
 * | /openapi.json | openapi.ts |
 * | /account/…, /platform/… | rest.ts, from the procedures' metas |
 * | /platform/dbs/:db_code/changes, /platform/db/:db_code/changes | events.ts |
 * | /platform/dbs/:db_code/types.d.ts, export.…, import.… | db_files.ts |
 * | /platform/db/… | public_db.ts |
 * | /platform/apps/:id/action/… | actions.ts |
 * | /a/… | apps.ts |
 * | /logos/…, /vendor/… | assets.ts |
 * | /platform.d.ts | platform_types.ts |
 * | /schemas/flow.json | schemas.ts |
 */
import { Hono } from "hono";
import { type Call, contexts, type Services } from "../context.ts";
import { notFound } from "../errors.ts";
import { appRouter } from "../router.ts";
import { addressOf, pathOf } from "./address.ts";
import { mountActions } from "./actions.ts";
import { mountApps } from "./pages/open_app.ts";
import { mountAssets } from "./files/assets.ts";
import { mountDbFiles } from "./files/db_files.ts";
import { mountEvents } from "./streams/events.ts";
import { mountHealth } from "./health.ts";
import { mountOpenApi } from "./openapi/openapi.ts";
import type { PageCache } from "./pages/page_cache.ts";
import { mountPlatformTypes } from "./files/platform_types.ts";
import { mountPublicDb } from "./public_db.ts";
import { type Env, mountOptions, mountRest, refuse, reported } from "./rest/rest.ts";
import { mountSchemas } from "./files/json_schemas.ts";
import { mountTrpc } from "./trpc.ts";

/** @param info who is connected; without it the request comes from this machine */
export type Handler = (request: Request, info?: Connection) => Promise<Response>;

export interface Connection {
  remoteAddr: Deno.Addr;
}

export function createApp(services: Services & { pages: PageCache }): Handler {
  const app = new Hono<Env>();
  mountHealth(app);
  mountTrpc(app, appRouter);
  mountOpenApi(app, appRouter, services.config);
  mountRest(app, appRouter);
  mountEvents(app, services.pages);
  mountDbFiles(app);
  mountPublicDb(app, services.pages);
  mountActions(app, services.pages);
  mountApps(app, services.pages);
  mountAssets(app);
  mountPlatformTypes(app);
  mountSchemas(app);
  // Apps call whatever they name: whether it is there or not, they can read the answer.
  mountOptions(app, "/platform/apps/:id/action/*", ["GET", "POST"]);
  mountOptions(app, "/platform/db/*", ["POST"]);
  app.notFound(() => refuse(notFound()));
  app.onError((error, c) => refuse(reported(error, {}, c.env.context)));
  const contextOf = contexts(services);
  const newRequestId = requestIds();
  const { trusted_proxies } = services.config;
  return async (request, info) => {
    const started = performance.now();
    const call = callOf(request, newRequestId, addressOf(request, info?.remoteAddr, trusted_proxies));
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

function callOf({ headers }: Request, newRequestId: () => string, address: string): Call {
  const given = headers.get("x-request-id");
  const authorization = headers.get("authorization");
  return {
    request_id: given && /^[\w.:-]{1,64}$/.test(given) ? given : newRequestId(),
    token: authorization?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1],
    address,
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
