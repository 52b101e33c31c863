/** Kept connections. Which addresses may be called: test/rest/connectors/egress_test.ts. */
import assert from "node:assert/strict";
import { createEgress } from "./egress.ts";
import { until } from "../../../test/stage/until.ts";

const ORIGINS = 300;
const KEPT = 256;

/** An HTTP server that keeps its connections open. */
function serveKept() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  // Without the hint, the driver closes connections that are idle for 4 s, as they are on a busy machine.
  const answer = new TextEncoder().encode("HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 2\r\n\r\nok");
  const serve = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(4096);
    while (await connection.read(buffer) !== null) await connection.write(answer);
  };
  const accept = async () => {
    for await (const connection of listener) {
      open.add(connection);
      serve(connection).catch(() => {}).finally(() => open.delete(connection) && connection.close());
    }
  };
  const ended = accept().catch(() => {});
  return {
    port: listener.addr.transport === "tcp" ? listener.addr.port : 0,
    open: () => open.size,
    async close() {
      listener.close();
      await ended;
    },
  };
}

/** undici has one timer for all connections. It runs for a second after the last connection is closed. */
const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test("egress: connections are kept for the most recently used origins", sanitizers, async () => {
  const server = serveKept();
  const names = Array.from({ length: ORIGINS }, (_, n) => `h${n}.test`);
  const looked_up: string[] = [];
  const egress = createEgress(names.map((name) => `${name}:${server.port}`), (name) => {
    looked_up.push(name);
    return Promise.resolve(["127.0.0.1"]);
  });
  const send = (name: string) =>
    egress.send(
      { url: new URL(`http://${name}:${server.port}/`), method: "GET", headers: {}, body: undefined },
      signal,
    );
  const { signal } = new AbortController();
  for (const name of names) {
    assert.equal((await send(name)).status, 200);
  }
  await until(() => server.open() <= KEPT, "the other connections are closed");
  assert.equal(server.open(), KEPT);
  // The driver reports the end of an answer shortly before its connection is free.
  await until(async () => {
    looked_up.length = 0;
    await send(names.at(-1) ?? "");
    return looked_up.length === 0;
  }, "the last one's connection is used again");
  await send("h0.test");
  assert.deepEqual(looked_up, ["h0.test"], "the last one's connection was still there, the first one's not");
  await egress.close();
  await server.close();
});

Deno.test("egress: a call whose time is over does not wait for the look-up", sanitizers, async () => {
  const controller = new AbortController();
  const egress = createEgress([], () => {
    queueMicrotask(() => controller.abort(new Error("over")));
    return new Promise(() => {});
  });
  const url = new URL("http://silent.test/");
  const sent = egress.send({ url, method: "GET", headers: {}, body: undefined }, controller.signal);
  await assert.rejects(sent, /over/);
  await assert.rejects(egress.send({ url, method: "GET", headers: {}, body: undefined }, controller.signal), /over/);
  await egress.close();
});
