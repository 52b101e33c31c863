/** `/trpc`: the procedures over tRPC's own protocol, with superjson; for the typed client and the console. */
import type { AnyTRPCRouter } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Hono } from "hono";
import type { Context } from "../context.ts";
import { badRequest, unsupported } from "../errors.ts";
import { faultOf } from "../log.ts";
import { DEPTH_LIMIT, deeperThan, FORM_LIMIT, JSON_LIMIT, readBytes } from "./body.ts";
import { type Env, mountOthers } from "./rest.ts";

const ENDPOINT = "/trpc";
/** Calls in one batched request. */
const BATCH_LIMIT = 50;

export function mountTrpc(app: Hono<Env>, router: AnyTRPCRouter): void {
  app.on(["GET", "POST"], `${ENDPOINT}/*`, async (c) => {
    const { context } = c.env;
    return await fetchRequestHandler({
      endpoint: ENDPOINT,
      req: await boundedRequest(c.req.raw),
      router,
      createContext: () => context,
      onError: ({ error }) => report(context, error),
      maxBatchSize: BATCH_LIMIT,
    });
  });
  mountOthers(app, `${ENDPOINT}/*`, ["GET", "POST"]);
}

/** tRPC itself reads a body of any size and depth. */
async function boundedRequest(request: Request): Promise<Request> {
  if (request.method !== "POST") return request;
  const type = request.headers.get("content-type") ?? "";
  const form = /^multipart\/form-data\s*;/i.test(type);
  if (!form && !/^application\/json\s*(;|$)/i.test(type)) {
    throw unsupported("Send application/json or multipart/form-data");
  }
  const body = await readBytes(request, form ? FORM_LIMIT : JSON_LIMIT);
  if (!form && deeperThan(new TextDecoder().decode(body), DEPTH_LIMIT)) {
    throw badRequest(`The body is nested deeper than ${DEPTH_LIMIT} levels`);
  }
  return new Request(request.url, { method: "POST", headers: request.headers, body, signal: request.signal });
}

function report({ log, call }: Context, error: Error & { code: string }): void {
  if (!/^(INTERNAL_SERVER_ERROR|SERVICE_UNAVAILABLE)$/.test(error.code)) return;
  log.error("request failed", { request_id: call.request_id, ...faultOf(error.cause ?? error) });
}
