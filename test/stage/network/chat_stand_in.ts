/** A language model on this machine that speaks OpenAI's chat completions, and says what the test tells it to. */

export interface ChatStandIn extends AsyncDisposable {
  /** For `AI_URL`. */
  url: string;
  /** What the next requests are answered with, in this order. */
  answers: ChatAnswer[];
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  requests: { path: string; key: string | null; body: any }[];
  /** Whether a client has left a silent answer. */
  left(): boolean;
}

/** Text that is streamed in pieces, or what goes wrong instead of it. */
export type ChatAnswer =
  | { text: string; ends?: "stop" | "length" | "cut" }
  | { status: number; body?: string }
  /** Sent as the stream of events. */
  | { raw: string }
  /** The stream stays open and silent. */
  | { silent: true };

/** Characters of a piece: fences and JSON are cut everywhere. */
const PIECE = 7;

export function chatStandIn(): ChatStandIn {
  const answers: ChatAnswer[] = [];
  const requests: ChatStandIn["requests"] = [];
  let left = false;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    requests.push({ path: pathname, key: request.headers.get("authorization"), body: await request.json() });
    const answer = answers.shift() ?? { status: 500 };
    if ("status" in answer) return new Response(answer.body ?? "", { status: answer.status });
    const headers = { "content-type": "text/event-stream" };
    if ("raw" in answer) return new Response(answer.raw, { headers });
    if ("silent" in answer) {
      request.signal.addEventListener("abort", () => left = true);
      return new Response(new ReadableStream({ cancel: () => void (left = true) }), { headers });
    }
    return new Response(streamOf(answer), { headers });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    answers,
    requests,
    left: () => left,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const encoder = new TextEncoder();

function streamOf({ text, ends = "stop" }: Extract<ChatAnswer, { text: string }>): ReadableStream<Uint8Array> {
  const pieces = text.match(new RegExp(`[^]{1,${PIECE}}`, "g")) ?? [];
  const event = (choice: unknown) => encoder.encode(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  return new ReadableStream({
    pull(controller) {
      const content = pieces.shift();
      if (content !== undefined) return controller.enqueue(event({ delta: { content } }));
      if (ends === "cut") return controller.close();
      controller.enqueue(event({ delta: {}, finish_reason: ends }));
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
}
