import assert from "node:assert/strict";
import { standIn } from "../../test/stage/stand_in.ts";
import { createDb } from "./db.js";
import { subscribe } from "./subscribe.js";

const events = (...told: [id: number, event: string, data: unknown][]) => ({
  text: told.map(([id, event, data]) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
  headers: { "content-type": "text/event-stream" },
});

const gone = { status: 404, json: { error: "Database not found", code: "not_found" } };

/** Subscribes until the server refuses. @returns every change that the listener received */
const heard = (address = "/x") => {
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  const changes: any[] = [];
  const ended = Promise.withResolvers<void>();
  const stop = subscribe(address, (change) => {
    changes.push(change);
    if (change.kind === "error") ended.resolve();
  });
  return { changes, stop, ended: ended.promise };
};

Deno.test("subscribe: changes as they come, and the refusal that ends them", async () => {
  await using server = standIn(
    events([7, "ready", {}], [8, "create", { id: "a", title: "ż" }], [9, "update", { id: "a" }], [10, "delete", {
      id: "a",
    }]),
    gone,
  );
  const { changes, ended } = heard();
  await ended;
  const [error] = changes.splice(-1);
  assert.deepEqual(changes, [
    { kind: "ready" },
    { kind: "create", record: { id: "a", title: "ż" } },
    { kind: "update", record: { id: "a" } },
    { kind: "delete", record: { id: "a" } },
  ]);
  assert.deepEqual([error.kind, error.error.status, error.error.code, error.error.message], [
    "error",
    404,
    "not_found",
    "Database not found",
  ]);
  assert.deepEqual(server.asked.map(({ method }) => method), ["GET", "GET"]);
});

Deno.test("subscribe: a connection that ends is taken up behind the last event", async () => {
  await using server = standIn(
    events([7, "ready", {}], [8, "create", {}]),
    events([8, "ready", {}], [9, "reset", {}]),
    gone,
  );
  const { changes, ended } = heard();
  await ended;
  assert.deepEqual(server.asked.map(({ headers }) => headers["last-event-id"]), [undefined, "8", "9"]);
  assert.deepEqual(changes.map(({ kind }) => kind), ["ready", "create", "ready", "reset", "error"]);
});

Deno.test("subscribe: a temporary failure is tried again, a permanent one ends the subscription", async () => {
  const busy = { status: 503, json: { error: "The database is away", code: "unavailable" } };
  await using server = standIn(busy, "unreachable", "cut", events([1, "ready", {}]), gone);
  const { changes, ended } = heard();
  await ended;
  assert.deepEqual(changes.map(({ kind }) => kind), ["ready", "error"]);
  assert.equal(server.asked.length, 4, "the one that nobody heard is not among them");
});

Deno.test("subscribe: why the server ends the stream is heard as the next answer", async () => {
  await using _ = standIn(
    { text: `id: 1\nevent: ready\ndata: {}\n\nevent: error\ndata: {"error":"x","code":"unauthorized"}\n\n` },
    { status: 401, json: { error: "This page is no longer signed in", code: "unauthorized" } },
  );
  const { changes, ended } = heard();
  await ended;
  assert.deepEqual(changes.map(({ kind, error }) => error?.code ?? kind), ["ready", "unauthorized"]);
});

Deno.test("subscribe: events may come in pieces, with heartbeats between them", async () => {
  const bytes = new TextEncoder().encode(`retry: 2000\n\n:\n\nid: 1\nevent: create\ndata: {"t":"żółw"}\n\n`);
  const page = globalThis.fetch;
  let asked = 0;
  globalThis.fetch = () => {
    if (asked++ > 0) return Promise.resolve(Response.json(gone.json, { status: 404 }));
    return Promise.resolve(new Response(ReadableStream.from([...bytes].map((byte) => new Uint8Array([byte])))));
  };
  const { changes, ended } = heard();
  await ended;
  globalThis.fetch = page;
  assert.deepEqual(changes[0], { kind: "create", record: { t: "żółw" } });
  assert.deepEqual(changes.map(({ kind }) => kind), ["create", "error"]);
});

Deno.test("subscribe: after stop() no listener is called and no request is sent", async () => {
  await using server = standIn("never");
  const { changes, stop } = heard();
  await server.asks(1);
  stop();
  stop();
  assert.deepEqual(changes, []);
});

Deno.test("subscribe: a listener may stop it", async () => {
  await using server = standIn(events([1, "ready", {}], [2, "create", {}]));
  const kinds: string[] = [];
  const done = Promise.withResolvers<void>();
  const stop = subscribe("/x", ({ kind }) => {
    kinds.push(kind);
    stop();
    done.resolve();
  });
  await done.promise;
  assert.equal(server.asked.length, 1);
  assert.deepEqual(kinds, ["ready"]);
});

Deno.test("subscribe: where it is stopped while it waits to reconnect, it is closed at once", async () => {
  await using server = standIn(events([1, "ready", {}]));
  const states: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const stop = subscribe("/x", () => {}, undefined, (state) => {
    states.push(state);
    if (state !== "waiting") return;
    stop();
    stopped.resolve();
  });
  await stopped.promise;
  // The pause that would follow has a longer timer.
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([states, server.asked.length], [["connecting", "open", "waiting", "closed"], 1]);
});

Deno.test("subscribe: an error of a listener is reported as the page's, and the connection stays", async () => {
  await using server = standIn(events([1, "ready", {}], [2, "create", {}]), gone);
  const reported: unknown[] = [];
  const report = (event: ErrorEvent) => {
    event.preventDefault();
    reported.push(event.error.message);
  };
  globalThis.addEventListener("error", report);
  const ended = Promise.withResolvers<void>();
  subscribe("/x", ({ kind }) => {
    if (kind === "error") return ended.resolve();
    throw new TypeError(`${kind} is too much`);
  });
  await ended.promise;
  globalThis.removeEventListener("error", report);
  assert.deepEqual(reported, ["ready is too much", "create is too much"]);
  assert.equal(server.asked.length, 2);
});

Deno.test("subscribe: of the app's database, or of the one that is named", async () => {
  await using server = standIn(gone, gone);
  const db = createDb({ id: "1", name: "Todos", db_code: "todos" });
  await new Promise<unknown>((resolve) => db().subscribe(resolve));
  await new Promise<unknown>((resolve) => db("a b").subscribe(resolve));
  assert.deepEqual(server.asked.map(({ path }) => path), ["/platform/db/todos/changes", "/platform/db/a%20b/changes"]);
  // @ts-expect-error -- JavaScript code can call it like this
  assert.throws(() => db().subscribe(), { name: "TypeError", message: /takes a function/ });
});

Deno.test("subscribe: a connection that is silent for too long, as after sleep, is taken up behind the last event", async () => {
  const { setInterval, Date: { now } } = globalThis;
  let check: () => void = () => {};
  let asleep_ms = 0;
  const told = Promise.withResolvers<void>();
  const again = Promise.withResolvers<string | null>();
  const asked: Headers[] = [];
  const send = (_address: string, init: RequestInit) => {
    asked.push(new Headers(init.headers));
    if (asked.length === 2) again.resolve(new Headers(init.headers).get("last-event-id"));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("id: 7\nevent: ready\ndata: {}\n\n"));
        init.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
      },
    });
    return Promise.resolve(new Response(body));
  };
  const states: string[] = [];
  // deno-lint-ignore no-explicit-any -- the types of the browser's timers and of Node.js differ
  globalThis.setInterval = ((call: () => void) => (check = call, 0)) as any;
  Date.now = () => now() + asleep_ms;
  try {
    const stop = subscribe("/x", () => told.resolve(), send, (state) => states.push(state));
    await told.promise;
    asleep_ms = 40_000;
    check();
    assert.deepEqual(states, ["connecting", "open"], "the server's heartbeat comes every 15 s");
    asleep_ms = 50_000;
    check();
    assert.equal(await again.promise, "7");
    assert.deepEqual(states.slice(0, 4), ["connecting", "open", "waiting", "connecting"]);
    stop();
  } finally {
    Object.assign(globalThis, { setInterval });
    Date.now = now;
  }
});
