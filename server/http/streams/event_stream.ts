/** Server-sent events: an async generator as an answer that ends with the client's connection. */
import { refusalOf } from "../../trpc.ts";
import { CORS, logFault, stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";

/** Proxies close connections that stay silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/** How long a client that lost its connection waits before it reconnects. */
const RETRY_MS = 2_000;

const HEADERS = {
  ...CORS,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

export interface ServerEvent {
  id: number;
  event: string;
  data: unknown;
}

interface EventSource {
  /** Throws the refusals that `events` throws before its first event. HEAD is answered after it, without `events`. */
  prove: () => unknown;
  /** Receives a signal that aborts when the client has left or the server stops. */
  events: (signal: AbortSignal) => AsyncGenerator<ServerEvent>;
}

/**
 * Answers with the events of a generator, as fast as the client takes them. A refusal before the first event is an
 * ordinary answer; a later one is sent as the event `error`, because the status is sent already.
 */
export async function streamEvents(
  { call, flows, log }: HttpContext,
  { prove, events }: EventSource,
): Promise<Response> {
  if (call.is_head) {
    await prove();
    return new Response(null, { headers: { ...HEADERS, ...stamp(call) } });
  }
  const left = new AbortController();
  const source = events(AbortSignal.any([call.request.signal, flows.stopping, left.signal]));
  let first: IteratorResult<ServerEvent> | undefined = await source.next();
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
      const end = (text = "") => {
        clearInterval(heartbeat);
        if (text) controller.enqueue(encoder.encode(text));
        controller.close();
      };
      try {
        const { done, value } = first ?? await source.next();
        first = undefined;
        if (left.signal.aborted) return;
        if (done) return end();
        controller.enqueue(
          encoder.encode(`id: ${value.id}\nevent: ${value.event}\ndata: ${JSON.stringify(value.data)}\n\n`),
        );
      } catch (error) {
        if (left.signal.aborted) return;
        const refusal = refusalOf(error);
        logFault(refusal, "stream", { log, call });
        end(`event: error\ndata: ${JSON.stringify(refusal.body)}\n\n`);
      }
    },
    async cancel() {
      clearInterval(heartbeat);
      left.abort();
      await source.return(undefined);
    },
  });
  return new Response(body, { headers: { ...HEADERS, ...stamp(call) } });
}
