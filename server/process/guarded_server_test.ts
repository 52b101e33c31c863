import assert from "node:assert/strict";
import { until } from "../../test/stage/until.ts";
import { createLog } from "../log.ts";
import { serveGuarded } from "./guarded_server.ts";

const quiet = createLog(() => {});
const ADDRESS = { hostname: "127.0.0.1", port: 0 };
const HEAD = "GET /x HTTP/1.1\r\nHost: atrium.test\r\n";
const WHOLE = `${HEAD}\r\n`;

type Server = ReturnType<typeof serveGuarded>;

async function open({ addr: { hostname, port } }: Server, sent = "") {
  const connection = await Deno.connect({ hostname, port });
  const send = (text: string) => connection.write(new TextEncoder().encode(text));
  await send(sent);
  let received = "";
  let is_open = true;
  const read = async () => {
    for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) received += text;
  };
  const ended = read().catch(() => {}).then(() => void (is_open = false));
  return {
    port: connection.localAddr.port,
    send,
    received: () => received,
    isOpen: () => is_open,
    ended,
    async [Symbol.asyncDispose]() {
      // The other side may have closed it.
      try {
        connection.close();
      } catch (error) {
        if (!(error instanceof Deno.errors.BadResource)) throw error;
      }
      await ended;
    },
  };
}

const answer = () => new Response("answered");

Deno.test("guarded server: a connection without a complete request head is closed in time", async () => {
  const server = serveGuarded(ADDRESS, answer, quiet, { head_ms: 300, look_every_ms: 20 });
  await using silent = await open(server);
  await using partial = await open(server, `${HEAD}X-A: `);
  await using kept = await open(server, WHOLE);
  await until(() => kept.received().includes("answered"), "the first request is answered");
  await kept.send(HEAD);
  await Promise.all([silent.ended, partial.ended, kept.ended]);
  await server.shutdown();
});

Deno.test("guarded server: a connection without a request after an answer is closed in time", async () => {
  const finish = Promise.withResolvers<void>();
  const held = async ({ url }: Request) => {
    if (url.endsWith("/held")) await finish.promise;
    return answer();
  };
  const server = serveGuarded(ADDRESS, held, quiet, { idle_ms: 300, look_every_ms: 20 });
  await using busy = await open(server, WHOLE.replace("/x", "/held"));
  await using idle = await open(server, WHOLE);
  await idle.ended;
  assert.match(idle.received(), /answered/);
  assert.ok(busy.isOpen(), "one with a request in progress stays");
  finish.resolve();
  await busy.ended;
  assert.match(busy.received(), /answered/);
  await server.shutdown();
});

Deno.test("guarded server: of more connections without a request than the limit the one that rests longest is closed", async () => {
  const server = serveGuarded(ADDRESS, answer, quiet, { idle: 2, look_every_ms: 20 });
  const opened = [];
  for (let count = 1; count <= 3; count++) {
    const one = await open(server, WHOLE);
    await until(() => one.received().includes("answered"), "it is answered");
    opened.push(one);
  }
  const [first, second, third] = opened;
  await first?.ended;
  assert.ok(second?.isOpen() && third?.isOpen());
  for (const one of opened) await one[Symbol.asyncDispose]();
  await server.shutdown();
});

Deno.test("guarded server: a head that comes in drops has no more time", async () => {
  const server = serveGuarded(ADDRESS, answer, quiet, { head_ms: 300, look_every_ms: 20 });
  await using dropping = await open(server, `${HEAD}X-A: `);
  const timer = setInterval(() => void dropping.send("a").catch(() => {}), 20);
  await dropping.ended;
  clearInterval(timer);
  assert.equal(dropping.received(), "");
  await server.shutdown();
});

Deno.test("guarded server: a head that has come while the process stood still is answered", async () => {
  const server = serveGuarded(ADDRESS, answer, quiet, { head_ms: 300, idle_ms: 300, look_every_ms: 20 });
  await using client = await open(server, HEAD);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sent = client.send("\r\n");
  for (const end = performance.now() + 600; performance.now() < end;);
  await sent;
  await client.ended;
  assert.match(client.received(), /answered/);
  await server.shutdown();
});

Deno.test("guarded server: bodies and answers may take any time", async () => {
  const finish = Promise.withResolvers<void>();
  const server = serveGuarded(
    ADDRESS,
    async (request) => {
      if (request.method === "POST") return new Response(`read ${await request.text()}`);
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode("begun "));
          await finish.promise;
          controller.enqueue(new TextEncoder().encode("ended"));
          controller.close();
        },
      });
      return new Response(body);
    },
    quiet,
    { head_ms: 100, look_every_ms: 10 },
  );
  await using slow = await open(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc");
  await using stream = await open(server, WHOLE);
  await until(() => stream.received().includes("begun"), "the stream begins");
  // Both are older than these, which are closed.
  for (let round = 0; round < 3; round++) {
    await using later = await open(server, HEAD);
    await later.ended;
  }
  await slow.send("def");
  await until(() => slow.received().includes("read abcdef"), "the body is read");
  finish.resolve();
  await until(() => stream.received().includes("ended"), "the stream ends");
  await server.shutdown();
});

Deno.test("guarded server: more half-open connections than the limit close the oldest, and requests are answered", async () => {
  const server = serveGuarded(ADDRESS, answer, quiet, { head_ms: 600_000, half_open: 3 });
  const connections = [];
  for (let index = 0; index < 5; index++) connections.push(await open(server, HEAD));
  const [first, second, ...rest] = connections;
  await Promise.all([first?.ended, second?.ended]);
  assert.deepEqual(rest.map(({ isOpen }) => isOpen()), [true, true, true]);
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  assert.equal(await response.text(), "answered");
  for (const connection of connections) await connection[Symbol.asyncDispose]();
  await server.shutdown();
});

Deno.test("guarded server: the handler gets the client's address, and a large answer arrives whole", async () => {
  const body = "x".repeat(3_000_000);
  const ports: number[] = [];
  const server = serveGuarded(
    ADDRESS,
    (_request, { remoteAddr }) => {
      ports.push(remoteAddr.port);
      return new Response(body);
    },
    quiet,
  );
  await using client = await open(server, `${HEAD}Connection: close\r\n\r\n`);
  await client.ended;
  assert.deepEqual(ports, [client.port]);
  assert.ok(client.received().endsWith(body));
  const sent = await fetch(`http://127.0.0.1:${server.addr.port}/`, { method: "POST", body });
  assert.equal((await sent.text()).length, body.length);
  await server.shutdown();
});

Deno.test("guarded server: a client that leaves aborts its request", async () => {
  const aborted = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const server = serveGuarded(
    ADDRESS,
    async ({ signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      begun.resolve();
      await aborted.promise;
      return answer();
    },
    quiet,
  );
  const client = await open(server, WHOLE);
  await begun.promise;
  await client[Symbol.asyncDispose]();
  await aborted.promise;
  await server.shutdown();
});
