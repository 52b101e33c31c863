/**
 * Server-sent events.
 *
 * | path | events |
 * |---|---|
 * | GET /platform/dbs/:db_code/changes | records as they change; `Last-Event-ID` resumes |
 * | GET /platform/db/:db_code/changes | the same for callers without login, where the public `list` is enabled |
 */
import type { Context as HonoContext, Hono } from "hono";
import { type Context, stamp } from "../context.ts";
import { ChangesInput, publicChanges, recordChanges } from "../domains/records/changes.ts";
import { badRequest, notFound, unauthorized } from "../errors.ts";
import { faultOf } from "../log.ts";
import { allow, refusalOf } from "../trpc.ts";
import { queryOf } from "./address.ts";
import { callerOf } from "./identity.ts";
import type { PageMemory } from "./pages.ts";
import { CORS, type Env, mountOthers } from "./rest.ts";

const PATH = "/platform/dbs/:db_code/changes";
const PUBLIC_PATH = "/platform/db/:db_code/changes";

/** Proxies end a connection that says nothing. */
const HEARTBEAT_MS = 15_000;
/** How soon a client that lost its connection should come back. */
const RETRY_MS = 2_000;

export interface ServerEvent {
  id: number;
  event: string;
  data: unknown;
}

export function mountEvents(app: Hono<Env>, pages: PageMemory): void {
  app.get(PATH, (c) => answerChanges(c));
  mountOthers(app, PATH, ["GET"]);
  app.get(PUBLIC_PATH, (c) => answerPublicChanges(c, pages));
  mountOthers(app, PUBLIC_PATH, ["GET"]);
}

async function answerChanges(c: HonoContext<Env>): Promise<Response> {
  const { context } = c.env;
  const prove = async () => {
    const { call, viewers } = context;
    const viewer = call.viewer = call.token ? await viewers.byToken(call.token) : undefined;
    if (!viewer) throw unauthorized();
    allow(viewer, "user", "records:read");
    return viewer;
  };
  await prove();
  const input = inputOf(c);
  const stopped = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, stopped.signal]);
  return await stream(context, recordChanges(context, input, prove, signal), () => stopped.abort());
}

async function answerPublicChanges(c: HonoContext<Env>, pages: PageMemory): Promise<Response> {
  const { context } = c.env;
  const { db_code, last_event_id } = inputOf(c);
  const caller = await callerOf(context, c.req.raw, pages);
  const { browser } = caller;
  // A browser without a key would get another one each time.
  const prove = async () => ({ ...await callerOf(context, c.req.raw, pages), browser });
  const stopped = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, stopped.signal]);
  const events = publicChanges(context, caller, db_code, last_event_id, prove, signal);
  return await stream(context, events, () => stopped.abort());
}

/** @throws {Refusal} 400, 404 */
function inputOf(c: HonoContext<Env>): ChangesInput {
  const query = queryOf(c.req.raw.url);
  const input = ChangesInput.safeParse({
    db_code: c.req.param("db_code"),
    table_name: query.get("table_name") ?? undefined,
    last_event_id: c.req.header("last-event-id") ?? query.get("last_event_id") ?? undefined,
  });
  if (input.error?.issues.some(({ path }) => path[0] === "db_code")) throw notFound("Database");
  if (!input.success) throw badRequest("last_event_id is not a number of an event");
  return input.data;
}

/**
 * Answers with the events of a generator, as fast as the client takes them, until it leaves. What the generator refuses
 * before its first event is an ordinary answer.
 *
 * @param stop called when the client has left
 */
export async function stream(
  context: Context,
  events: AsyncGenerator<ServerEvent>,
  stop: () => void,
): Promise<Response> {
  let first: IteratorResult<ServerEvent> | undefined = await events.next();
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      }, HEARTBEAT_MS);
    },
    async pull(controller) {
      const last = (text: string) => {
        clearInterval(heartbeat);
        if (text) controller.enqueue(encoder.encode(text));
        controller.close();
      };
      try {
        const { done, value } = first ?? await events.next();
        first = undefined;
        if (done) return last("");
        controller.enqueue(
          encoder.encode(`id: ${value.id}\nevent: ${value.event}\ndata: ${JSON.stringify(value.data)}\n\n`),
        );
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal.status >= 500) {
          context.log.error("stream failed", {
            request_id: context.call.request_id,
            ...faultOf(refusal.cause ?? refusal),
          });
        }
        // The status is sent already: the client comes back and is told then.
        last(`event: error\ndata: ${JSON.stringify(refusal.body)}\n\n`);
      }
    },
    async cancel() {
      clearInterval(heartbeat);
      stop();
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      ...CORS,
      ...stamp(context.call),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    },
  });
}
