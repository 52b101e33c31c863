/**
 * A server with prepared answers, which it sends in order, and a record of its requests. While it runs, `fetch` sends
 * requests for root-relative addresses to it, as in a page.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { PlatformError } from "../../client/app/platform_error.js";

/**
 * JSON, or `text` if it is set. `unreachable`: the connection is refused; `cut`: the answer ends in the middle of its
 * body; `never`: no answer is sent.
 */
export type Reply =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | "unreachable"
  | "cut"
  | "never";

export interface Asked {
  method: string;
  /** The path with its query. */
  path: string;
  headers: Record<string, string>;
  /** The parsed JSON; undefined if the body is empty. */
  body: unknown;
}

export interface StandIn extends AsyncDisposable {
  /** The requests in order, without those that were `unreachable`. */
  asked: Asked[];
  /** Resolves when this many requests have arrived. */
  asks(count: number): Promise<void>;
}

export function standIn(...replies: Reply[]): StandIn {
  const asked: Asked[] = [];
  let arrived = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const text = await request.text();
    const { pathname, search } = new URL(request.url);
    asked.push({
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: text === "" ? undefined : JSON.parse(text),
    });
    arrived.resolve();
    arrived = Promise.withResolvers();
    const reply = replies.shift();
    if (reply === "cut") return new Response(HALF_AN_ANSWER, { headers: { "content-encoding": "gzip" } });
    if (typeof reply === "string") await leave.promise;
    return typeof reply === "object" ? answerOf(reply) : new Response("nobody told what to answer", { status: 500 });
  });
  const page = globalThis.fetch;
  globalThis.fetch = (address, init) => {
    assert.match(String(address), /^\/(?!\/)/, "root-relative");
    if (replies[0] !== "unreachable") return page(`http://127.0.0.1:${server.addr.port}${address}`, init);
    replies.shift();
    return page(`http://127.0.0.1:${closedPort()}${address}`, init);
  };
  return {
    asked,
    async asks(count) {
      while (asked.length < count) await arrived.promise;
    },
    async [Symbol.asyncDispose]() {
      globalThis.fetch = page;
      leave.resolve();
      await server.shutdown();
      assert.deepEqual(replies, [], "every answer was asked for");
    },
  };
}

function answerOf({ status = 200, json, text = JSON.stringify(json), headers }: Exclude<Reply, string>): Response {
  return new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
}

const HALF_AN_ANSWER = new Uint8Array(gzipSync(`{"flow_process_id":"p","status":"finished"}`)).slice(0, 30);

function closedPort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** The fields of the `PlatformError` that a call throws. */
export async function errorOf(call: Promise<unknown>) {
  const error = await call.then((value) => assert.fail(`answered ${JSON.stringify(value)}`), (error) => error);
  assert.ok(error instanceof PlatformError, String(error));
  const { message, status, code, fields, flow_process_id, retry_after } = error;
  return { message, status, code, fields, flow_process_id, retry_after };
}
