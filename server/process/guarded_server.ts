/**
 * Limits connections that send no complete request head, or no further request. `Deno.serve` has no time limit for
 * either, and its connections cannot be reached from outside, so this server accepts them and forwards the bytes to a
 * `Deno.serve` on loopback. That costs 30 µs of CPU a request, half of what the same limits cost with `node:http`. Behind
 * a reverse proxy, which has such limits, it is not needed.
 */
import { faultOf, type Log } from "../log.ts";

type Handler = (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => Response | Promise<Response>;

interface Limits {
  /** The time from the first byte of a request, or from the connection, to the end of the head. */
  head_ms: number;
  /** Connections that wait for a head. One more closes the oldest of them. */
  half_open: number;
  /** How long a connection may stay without a request after an answer. */
  idle_ms: number;
  /** Connections without a request. One more closes the one that has been without for longest. */
  idle: number;
  look_every_ms: number;
}

const LIMITS: Limits = { head_ms: 10_000, half_open: 1_000, idle_ms: 120_000, idle: 4_000, look_every_ms: 1_000 };

const BUFFER_BYTES = 16 * 1024;
/** After a failed accept: the process may have no free file descriptor. */
const ACCEPT_PAUSE_MS = 100;

/** A client's connection. */
interface Guarded {
  client: Deno.TcpConn;
  /** Requests whose answers are not sent completely. */
  requests: number;
  /** When the head that it waits for must be complete, or the next request begun; undefined while one is in progress. */
  until: number | undefined;
}

/** The part of `Deno.HttpServer` that a process uses. */
export interface GuardedServer {
  addr: Deno.NetAddr;
  shutdown(): Promise<void>;
}

/** @throws {Deno.errors.AddrInUse} */
export function serveGuarded(
  address: { hostname: string; port: number; reusePort?: boolean },
  handler: Handler,
  log: Log,
  limits: Partial<Limits> = {},
): GuardedServer {
  const { head_ms, half_open, idle_ms, idle, look_every_ms } = { ...LIMITS, ...limits };
  const listener = Deno.listen(address);
  /** By the local port of the connection to the inner server. */
  const forwarded = new Map<number, Guarded>();
  const open = new Set<Guarded>();
  /** Those that wait for the rest of a head, the oldest first. */
  const waiting = new Set<Guarded>();
  /** Those without a request after an answer, likewise. */
  const resting = new Set<Guarded>();
  const answers = new Set<Promise<void>>();
  let is_closed = false;

  const queue = (guarded: Guarded, among: Set<Guarded>, ms: number, most: number) => {
    resting.delete(guarded);
    guarded.until = performance.now() + ms;
    among.add(guarded);
    const [oldest] = among;
    if (among.size > most && oldest) end(oldest);
  };
  const wait = (guarded: Guarded) => queue(guarded, waiting, head_ms, half_open);
  const stopWaiting = (guarded: Guarded) => {
    guarded.until = undefined;
    waiting.delete(guarded);
    resting.delete(guarded);
  };
  const end = (guarded: Guarded) => {
    stopWaiting(guarded);
    if (open.delete(guarded)) guarded.client.close();
  };

  /** While the process stands still, it does not read what clients have sent in time. */
  const extend = (stood_still_ms: number) => {
    if (stood_still_ms < look_every_ms) return;
    for (const guarded of [...waiting, ...resting]) guarded.until = (guarded.until ?? 0) + stood_still_ms;
  };

  const inner = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request, info) => {
    const guarded = forwarded.get(info.remoteAddr.port);
    if (!guarded) return handler(request, info);
    stopWaiting(guarded);
    guarded.requests++;
    const { completed } = info;
    const done = () => {
      guarded.requests--;
      if (guarded.requests === 0 && guarded.until === undefined && open.has(guarded)) {
        queue(guarded, resting, idle_ms, idle);
      }
    };
    completed.then(done, done);
    return handler(request, { remoteAddr: guarded.client.remoteAddr, completed });
  });

  async function forward(guarded: Guarded): Promise<void> {
    const { client } = guarded;
    const buffer = new Uint8Array(BUFFER_BYTES);
    const first = await client.read(buffer);
    if (first === null) return;
    const server = await Deno.connect({ hostname: "127.0.0.1", port: inner.addr.port });
    const { port } = server.localAddr;
    forwarded.set(port, guarded);
    const received = () => {
      if (guarded.requests === 0 && !waiting.has(guarded) && open.has(guarded)) wait(guarded);
    };
    try {
      await writeAll(server, buffer.subarray(0, first));
      const answer = copy(server, client, new Uint8Array(BUFFER_BYTES));
      answers.add(answer);
      // The server has ended the connection: the client gets the same time to end its direction.
      answer.then(received, () => {}).finally(() => answers.delete(answer));
      await Promise.all([copy(client, server, buffer, received), answer]);
    } finally {
      if (forwarded.get(port) === guarded) forwarded.delete(port);
      server.close();
    }
  }

  async function accept(): Promise<void> {
    while (!is_closed) {
      try {
        const client = await listener.accept();
        client.setNoDelay();
        const guarded: Guarded = { client, requests: 0, until: undefined };
        open.add(guarded);
        wait(guarded);
        // A connection that breaks off ends both directions. No client is left to answer.
        void forward(guarded).catch(() => {}).finally(() => end(guarded));
      } catch (error) {
        if (is_closed) return;
        log.warn("connection not accepted", faultOf(error));
        await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS));
      }
    }
  }

  let looked = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    extend(now - looked - look_every_ms);
    looked = now;
    for (const among of [waiting, resting]) {
      for (const guarded of among) {
        if (guarded.until === undefined || guarded.until > now) break;
        end(guarded);
      }
    }
  }, look_every_ms);
  void accept();

  return {
    addr: listener.addr,
    async shutdown() {
      is_closed = true;
      clearInterval(timer);
      listener.close();
      for (const guarded of [...waiting]) end(guarded);
      await inner.shutdown();
      await Promise.allSettled(answers);
      for (const guarded of [...open]) end(guarded);
    },
  };
}

/** Copies until the sender ends, and then ends the receiver's direction. A direction that breaks off ends both. */
async function copy(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  buffer: Uint8Array,
  received: () => void = () => {},
): Promise<void> {
  for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
    received();
    await writeAll(to, buffer.subarray(0, length));
  }
  await to.closeWrite();
}

async function writeAll(to: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}
