/** What the client reports of a request, in every order. Against real servers: test/rest/connectors/. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Dispatcher } from "undici";
import { exchange } from "./exchange.ts";
import { MAX_DISCARDED_BYTES } from "./limits.ts";

type Handler = Required<Dispatcher.DispatchHandler>;
type Report = (handler: Handler, controller: Dispatcher.DispatchController) => void;

/** An abort is reported as an error, as undici does. Like undici's, its methods need their object. */
class Controller implements Dispatcher.DispatchController {
  paused = false;
  reason = null;
  rawHeaders = null;
  rawTrailers = null;
  readonly #handler: Handler;
  readonly #aborted: unknown[];

  constructor(handler: Handler, aborted: unknown[]) {
    this.#handler = handler;
    this.#aborted = aborted;
  }

  get aborted() {
    return this.#aborted.length > 0;
  }

  pause() {}
  resume() {}

  abort(reason: Error) {
    this.#aborted.push(reason);
    this.#handler.onResponseError(this, reason);
  }
}

/** A client that reports what the test says. */
function reporting(report: Report) {
  const aborted: unknown[] = [];
  const dispatch = (_: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) => {
    const handler = given as Handler;
    report(handler, new Controller(handler, aborted));
    return true;
  };
  return { aborted, dispatch };
}

const send = (
  client: ReturnType<typeof reporting>,
  { most_bytes = 10, is_discarded = false, signal = new AbortController().signal } = {},
) =>
  exchange(client, {
    options: { path: "/", method: "GET" },
    signal,
    most_bytes,
    isDiscarded: () => is_discarded,
  });

const text = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes);

Deno.test("exchange: an answer in parts, after an informational one", async () => {
  const client = reporting((handler, controller) => {
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 103, { link: "</a>" });
    handler.onResponseStart(controller, 200, { "X-Rows": "2", link: ["<a>", "<b>"], none: undefined });
    handler.onResponseData(controller, Buffer.from("abc"));
    handler.onResponseData(controller, Buffer.from("de"));
    handler.onResponseEnd(controller, {});
  });
  const answer = await send(client);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.headers, { "x-rows": "2", link: "<a>, <b>", none: "" });
  assert.equal(text(answer), "abcde");
});

Deno.test("exchange: a request that the client starts again has the second answer only", async () => {
  const client = reporting((handler, controller) => {
    handler.onRequestStart(controller, {});
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 200, {});
    handler.onResponseData(controller, Buffer.from("second"));
    handler.onResponseEnd(controller, {});
  });
  assert.equal(text(await send(client)), "second");
});

Deno.test("exchange: a body may have as many bytes as the limit, and not one more", async () => {
  const withBody = (size: number) =>
    reporting((handler, controller) => {
      handler.onRequestStart(controller, {});
      handler.onResponseStart(controller, 200, {});
      for (let at = 0; at < size && !controller.aborted; at++) {
        handler.onResponseData(controller, Buffer.from("x"));
      }
      if (!controller.aborted) handler.onResponseEnd(controller, {});
    });
  assert.equal(text(await send(withBody(10))).length, 10);
  const client = withBody(11);
  await assert.rejects(send(client), { kind: "too_large" });
  assert.equal(client.aborted.length, 1, "the connection is given up");
});

Deno.test("exchange: of a discarded answer the head counts, whatever becomes of its body", async () => {
  const bodies: Record<string, Report> = {
    short: (handler, controller) => {
      handler.onResponseData(controller, Buffer.from("moved"));
      handler.onResponseEnd(controller, {});
    },
    long: (handler, controller) => handler.onResponseData(controller, Buffer.alloc(MAX_DISCARDED_BYTES + 1)),
    broken: (handler, controller) => handler.onResponseError(controller, new Error("reset")),
  };
  for (const [name, report] of Object.entries(bodies)) {
    const client = reporting((handler, controller) => {
      handler.onRequestStart(controller, {});
      handler.onResponseStart(controller, 302, { location: "/b" });
      report(handler, controller);
    });
    const answer = await send(client, { is_discarded: true });
    assert.deepEqual([answer.status, answer.headers.location, answer.bytes.length], [302, "/b", 0], name);
    assert.equal(client.aborted.length, name === "long" ? 1 : 0, name);
  }
});

Deno.test("exchange: a signal ends a request that waits, and one in the middle of its answer", async () => {
  const reason = new Error("no time");
  const waiting = new AbortController();
  let start = () => {};
  const queued = reporting((handler, controller) => start = () => handler.onRequestStart(controller, {}));
  const never = send(queued, { signal: waiting.signal });
  waiting.abort(reason);
  await assert.rejects(never, reason);
  assert.equal(queued.aborted.length, 0);
  start();
  assert.deepEqual(queued.aborted, [reason], "it is not sent when its turn comes");

  const reading = new AbortController();
  const half = reporting((handler, controller) => {
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 200, {});
    handler.onResponseData(controller, Buffer.from("a"));
  });
  const cut = send(half, { signal: reading.signal });
  reading.abort(reason);
  await assert.rejects(cut, reason);
  assert.deepEqual(half.aborted, [reason]);
});

Deno.test("exchange: errors of the client are those of the request", async () => {
  const refused = new Error("refused");
  await assert.rejects(send(reporting((handler, controller) => handler.onResponseError(controller, refused))), refused);
  const throwing = reporting(() => {
    throw refused;
  });
  await assert.rejects(send(throwing), refused);
});
