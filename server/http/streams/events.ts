/**
 * Server-sent events.
 *
 * | path | events |
 * |---|---|
 * | GET /platform/dbs/:db_code/changes | records as they change; `Last-Event-ID` resumes |
 * | GET /platform/db/:db_code/changes | the same for callers without login, where the public `list` is enabled |
 * | GET /connect/flow_processes/changes | runs of flows as they come on; of one, `id`, with its steps to its end |
 */
import type { Context as HonoContext, Hono } from "hono";
import { type Context, stamp, type Viewer } from "../../context.ts";
import { followProcess, followProcesses } from "../../domains/flow_processes/follow.ts";
import { ChangesInput, publicChanges, recordChanges } from "../../domains/records/changes.ts";
import { badRequest, notFound, unauthorized } from "../../errors.ts";
import { faultOf } from "../../log.ts";
import { Uuid } from "../../input/shapes.ts";
import { allow, refusalOf } from "../../trpc.ts";
import { queryOf } from "../address.ts";
import { callerOf } from "../identity.ts";
import type { PageCache } from "../pages/page_cache.ts";
import { CORS, type Env, mountOthers } from "../rest/rest.ts";

const PATH = "/platform/dbs/:db_code/changes";
const PUBLIC_PATH = "/platform/db/:db_code/changes";
const PROCESSES_PATH = "/connect/flow_processes/changes";

/** Proxies end a connection that says nothing. */
const HEARTBEAT_MS = 15_000;
/** How soon a client that lost its connection should come back. */
const RETRY_MS = 2_000;

export interface ServerEvent {
  id: number;
  event: string;
  data: unknown;
}

export function mountEvents(app: Hono<Env>, pages: PageCache): void {
  app.get(PATH, (c) => answerChanges(c));
  mountOthers(app, PATH, ["GET"]);
  app.get(PUBLIC_PATH, (c) => answerPublicChanges(c, pages));
  mountOthers(app, PUBLIC_PATH, ["GET"]);
  app.get(PROCESSES_PATH, (c) => answerProcesses(c));
  mountOthers(app, PROCESSES_PATH, ["GET"]);
}

async function answerChanges(c: HonoContext<Env>): Promise<Response> {
  const { context } = c.env;
  const prove = prover(context, "records:read");
  await prove();
  const input = inputOf(c);
  const { signal, stop } = stopper(c);
  return await stream(context, recordChanges(context, input, prove, signal), stop);
}

async function answerProcesses(c: HonoContext<Env>): Promise<Response> {
  const { context } = c.env;
  const prove = prover(context, "flow_processes:read");
  await prove();
  const id = queryOf(c.req.raw.url).get("id");
  if (id !== null && !Uuid.safeParse(id).success) throw notFound("Flow process");
  const { signal, stop } = stopper(c);
  const events = id === null ? followProcesses(context, prove, signal) : followProcess(context, id, prove, signal);
  return await stream(context, events, stop);
}

/** Proves who follows, and does so again while they do. */
const prover = (context: Context, scope: string) => async (): Promise<Viewer> => {
  const { call, viewers } = context;
  const viewer = call.viewer = call.token ? await viewers.byToken(call.token) : undefined;
  if (!viewer) throw unauthorized();
  allow(viewer, "user", scope);
  return viewer;
};

function stopper({ req, env: { context } }: HonoContext<Env>) {
  const stopped = new AbortController();
  const signal = AbortSignal.any([req.raw.signal, context.flows.stopping, stopped.signal]);
  return { signal, stop: () => stopped.abort() };
}

async function answerPublicChanges(c: HonoContext<Env>, pages: PageCache): Promise<Response> {
  const { context } = c.env;
  const { db_code, last_event_id } = inputOf(c);
  const caller = await callerOf(context, c.req.raw, pages);
  const { browser } = caller;
  // A browser without a key would get another one each time.
  const prove = async () => ({ ...await callerOf(context, c.req.raw, pages), browser });
  const { signal, stop } = stopper(c);
  const events = publicChanges(context, caller, db_code, last_event_id, prove, signal);
  return await stream(context, events, stop);
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
  if (input.error?.issues.some(({ path }) => path[0] === "table_name")) throw badRequest("table_name names no table");
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
  let left = false;
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
        if (left) return;
        if (done) return last("");
        controller.enqueue(
          encoder.encode(`id: ${value.id}\nevent: ${value.event}\ndata: ${JSON.stringify(value.data)}\n\n`),
        );
      } catch (error) {
        if (left) return;
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
      left = true;
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
