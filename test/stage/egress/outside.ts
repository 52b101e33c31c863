/** Servers that connectors call: an API that repeats each request, a raw TCP server, and a DNS server. */
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import type { Lookup } from "../../../server/connectors/connectors.ts";
import type { JsonValue } from "../../../server/input/json_value.ts";

/** A request that the API received. */
export interface Seen {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** The client's port, which identifies its connection. */
  from: number;
}

export interface Api extends AsyncDisposable {
  port: number;
  url: string;
  seen: Seen[];
  /** How many requests are in progress. */
  busy(): number;
  most_busy(): number;
}

/** @param respond replaces the default answer, which repeats the request as JSON; undefined falls back to it */
export function serveApi(
  respond?: (request: Request, seen: Seen) => Response | undefined | Promise<Response | undefined>,
): Api {
  const seen: Seen[] = [];
  let busy = 0;
  let most = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request, { remoteAddr }) => {
    most = Math.max(most, ++busy);
    try {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      const one = {
        method: request.method,
        path: pathname + search,
        headers,
        body: await request.text(),
        from: remoteAddr.port,
      };
      seen.push(one);
      return await respond?.(request, one) ?? Response.json(one);
    } finally {
      busy--;
    }
  });
  const { port } = server.addr;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    seen,
    busy: () => busy,
    most_busy: () => most,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

export interface Tcp extends AsyncDisposable {
  port: number;
  connections(): number;
}

/** A TCP server. @param speak handles a connection, which closes afterwards */
export function serveTcp(hostname: string, speak: (to: Deno.Conn) => Promise<void>, port = 0): Tcp {
  const listener = Deno.listen({ port, hostname });
  const open = new Set<Deno.Conn>();
  let connections = 0;
  const close = (connection: Deno.Conn) => {
    if (!open.delete(connection)) return;
    connection.close();
  };
  const accept = async () => {
    for await (const connection of listener) {
      connections++;
      open.add(connection);
      speak(connection).catch(() => {}).finally(() => close(connection));
    }
  };
  const ended = accept().catch(() => {});
  return {
    port: listener.addr.transport === "tcp" ? listener.addr.port : 0,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of [...open]) close(connection);
      await ended;
    },
  };
}

/** The addresses of a name at its first, second … look-up; the last list stays. An empty outer list never answers. */
export type Names = Record<string, string[][]>;

export interface Dns extends AsyncDisposable {
  /** Asks this DNS server over UDP. */
  lookup: Lookup;
  asked(name: string): number;
}

/** A DNS server whose answers may change with each query, as an attacker's server's may (DNS rebinding). */
export async function serveDns(names: Names): Promise<Dns> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const { name, type, end } = questionIn(message);
    const times = asked.get(`${name}/${type}`) ?? 0;
    asked.set(`${name}/${type}`, times + 1);
    const turns = Object.hasOwn(names, name) ? names[name] ?? [] : [[]];
    if (turns.length === 0) return;
    const now = turns[Math.min(times, turns.length - 1)] ?? [];
    socket.send(
      answerTo(message, end, type, now.map(bytesOf).filter((bytes) => bytes.length === SIZES[type])),
      port,
      address,
    );
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", () => resolve());
  await promise;
  const { port } = socket.address();
  const options = { nameServer: { ipAddr: "127.0.0.1", port } };
  const resolved = (name: string, type: "A" | "AAAA") => Deno.resolveDns(name, type, options).catch(() => []);
  return {
    async lookup(hostname) {
      const name = `${hostname.replace(/\.$/, "")}.`;
      return (await Promise.all([resolved(name, "A"), resolved(name, "AAAA")])).flat();
    },
    asked: (name) => asked.get(`${name}/1`) ?? 0,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

/** The length of an address in bytes by query type: A is 1, AAAA is 28. */
const SIZES: Record<number, number> = { 1: 4, 28: 16 };

function questionIn(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("ascii", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(message: Buffer, end: number, type: number, addresses: Buffer[]): Buffer {
  const header = Buffer.from(message.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  [1, addresses.length, 0, 0].forEach((count, index) => header.writeUInt16BE(count, 4 + index * 2));
  const answers = addresses.map((bytes) => {
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([header, message.subarray(12, end), ...answers]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [left = "", right] = address.split("::");
  const words = (text: string) => text === "" ? [] : text.split(":").map((word) => parseInt(word, 16));
  const [before, after] = [words(left), words(right ?? "")];
  const all = [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((word: number) => [word >> 8, word & 0xff]));
}

/** The request that the API repeated in a body. */
export const repeated = (body: JsonValue): Seen => body as unknown as Seen;
