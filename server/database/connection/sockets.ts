/**
 * Connections for postgres.js, with TLS as the address asks for it. To postgres.js 3.4.9 the loss of a connection is two
 * events, its error and its close. A statement that it sends between the two is not refused: its answer is the next one
 * that the connection's successor receives, and each later statement gets the answer to the one before. Here both events
 * come together.
 */
import { Buffer } from "node:buffer";
import { connect, isIP, Socket } from "node:net";
import { connect as startTls } from "node:tls";

/** What postgres.js has read from the address. */
interface Target {
  host: string[];
  port: number[];
  /** Of a socket file; false for a host. */
  path?: string | false;
}

/** How `sslmode` is obeyed: as postgres.js does it, which verifies certificates in the stricter modes only. */
export interface Tls {
  mode: string;
  /** Without asking the server first: `sslnegotiation=direct`. */
  direct: boolean;
}

/** @returns undefined if the address asks for none */
export function tlsOf(database_url: string): Tls | undefined {
  const parameters = new URLSearchParams(database_url.split("?")[1]);
  const mode = parameters.get("sslmode") ?? parameters.get("ssl") ?? "disable";
  if (mode === "disable" || mode === "false") return undefined;
  return { mode, direct: parameters.get("sslnegotiation") === "direct" };
}

const UNVERIFIED = ["require", "allow", "prefer"];

/** Asks the server for TLS. Source: PostgreSQL's protocol, "SSL Session Encryption". */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const YES = "S".charCodeAt(0);

/**
 * @param patience_ms for the beginning of TLS; postgres.js limits the rest
 * @returns what postgres.js calls for each connection. It must not throw: postgres.js would lose the connection's place
 */
export function createSockets(tls: Tls | undefined, patience_ms: number): (target: Target) => Promise<Socket> {
  let attempts = 0;
  return async ({ host, port, path }) => {
    // Another host at each attempt.
    const index = attempts++ % host.length;
    const [name = "localhost", number = 5432] = [host[index], port[index]];
    const socket = losing(path ? connect({ path }) : connect({ host: name, port: number }));
    // postgres.js names them in its errors.
    Object.assign(socket, { host: name, port: number });
    if (!tls) return beginning(socket);
    try {
      return await secured(socket, name, tls, AbortSignal.timeout(patience_ms));
    } catch (error) {
      return destroyed(error);
    }
  };
}

async function secured(socket: Socket, host: string, { mode, direct }: Tls, signal: AbortSignal): Promise<Socket> {
  await once(socket, "connect", signal);
  if (!direct) {
    socket.write(SSL_REQUEST);
    const [answer] = await once(socket, "data", signal);
    if (answer !== YES) {
      if (mode === "prefer") return beginning(socket);
      socket.destroy();
      throw Object.assign(new Error("the database offers no TLS"), { code: "ECONNREFUSED", syscall: "connect" });
    }
  }
  const secure = startTls({
    socket,
    ...!isIP(host) && { servername: host },
    ...direct && { ALPNProtocols: ["postgresql"] },
    ...UNVERIFIED.includes(mode) && { rejectUnauthorized: false },
  });
  await once(secure, "secureConnect", signal);
  return beginning(losing(secure));
}

/** @throws what the socket fails with before the event, or the signal's reason */
function once(socket: Socket, event: string, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const abort = () => socket.destroy(signal.reason);
  const close = () => reject(new Error("the database closed the connection"));
  signal.addEventListener("abort", abort, { once: true });
  socket.once("error", reject).once("close", close).once(event, resolve);
  return promise.finally(() => {
    signal.removeEventListener("abort", abort);
    socket.off("error", reject).off("close", close).off(event, resolve);
  });
}

/**
 * The socket, whose error comes with its close. The close of one that was open is none with an error: postgres.js waits
 * longer after each of these, and a database that is back is used at once.
 *
 * @param [fault] its first error, which it has already
 */
function losing(socket: Socket, fault?: unknown): Socket {
  const emit = socket.emit.bind(socket);
  let was_open = socket.readyState === "open";
  socket.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event === "error") {
      fault ??= values[0];
      return true;
    }
    was_open ||= event === "connect";
    if (event !== "close" || fault === undefined) return emit(event, ...values);
    emit("error", fault);
    return emit("close", !was_open);
  };
  return socket;
}

/** How each connection begins, behind the length of the message. Source: PostgreSQL's protocol, "StartupMessage". */
const BEGINNING = Buffer.from("\0\x03\0\0user\0");
const LENGTH_BYTES = 4;

/**
 * The socket, whose first message begins the connection. postgres.js 3.4.9 delays a short message until the end of a
 * turn, and forgets to send it if its connection is lost in the same turn: it then stands in front of the next beginning,
 * which PostgreSQL would refuse.
 */
function beginning(socket: Socket): Socket {
  const write = socket.write.bind(socket);
  socket.write = (first: Uint8Array | string, ...more: unknown[]) => {
    socket.write = write;
    const at = typeof first === "string" ? -1 : Buffer.from(first).indexOf(BEGINNING);
    const message = at > LENGTH_BYTES && typeof first !== "string" ? first.subarray(at - LENGTH_BYTES) : first;
    return Reflect.apply(write, socket, [message, ...more]);
  };
  return socket;
}

/** A connection that has failed, of which postgres.js hears once it listens. */
function destroyed(error: unknown): Socket {
  const socket = losing(new Socket(), error);
  setTimeout(() => socket.destroy(), 0);
  return socket;
}
