/**
 * Requests to the outside, by undici: of nine ways tried the only one without a leak (design: security). Redirects are
 * followed by hand, each proven as the first address was.
 */
import { Pool } from "undici";
import { ConnectorFault } from "../connectors.ts";
import { decoded, ENCODINGS, gather } from "./decode.ts";
import { createReach, type Lookup, Unreachable } from "./reach.ts";

export interface Outgoing {
  url: URL;
  method: string;
  /** The connector's; dropped for good where a redirect leads to another origin. */
  headers: Readonly<Record<string, string>>;
  body: { text: string; type: string } | undefined;
}

export interface Incoming {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Decoded. */
  bytes: Uint8Array;
}

export interface Egress {
  /** @throws {ConnectorFault} of the kinds `refused`, `network`, `timeout`, `too_large`, or the signal's own reason */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming>;
  close(): Promise<void>;
}

const MOST_REDIRECTS = 3;
const MOST_BYTES = 10 * 1024 * 1024;
/** Of a redirect's own body. */
const MOST_LEFT_BYTES = 64 * 1024;
const MOST_HEADER_BYTES = 32 * 1024;
const CONNECT_MS = 10_000;
/** The one used longest ago goes first; what it still does, it ends. */
const MOST_POOLS = 256;
const CONNECTIONS = 128;

/** @param lookup another than the system's, for tests */
export function createEgress(allow: readonly string[], lookup?: Lookup): Egress {
  const reach = createReach(allow, lookup);
  const pools = new Map<string, Pool>();
  const closing = new Set<Promise<void>>();

  const end = (pool: Pool) => {
    const ended = pool.close().finally(() => closing.delete(ended));
    closing.add(ended);
  };

  function poolFor(url: URL): Pool {
    const pool = pools.get(url.origin) ?? new Pool(url.origin, {
      connect: { lookup: reach.lookupFor(url), timeout: CONNECT_MS },
      connections: CONNECTIONS,
      allowH2: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      // The signal knows better than either.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.delete(url.origin);
    pools.set(url.origin, pool);
    for (const [origin, oldest] of pools) {
      if (pools.size <= MOST_POOLS) break;
      pools.delete(origin);
      end(oldest);
    }
    return pool;
  }

  async function request({ url, method, headers, body }: Outgoing, signal: AbortSignal) {
    signal.throwIfAborted();
    reach.prove(url);
    const answered = poolFor(url).request({
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        accept: "application/json, */*;q=0.5",
        "user-agent": "Atrium",
        ...(body && { "content-type": body.type }),
        ...headers,
        "accept-encoding": ENCODINGS,
      },
      body: body?.text ?? null,
      signal,
    });
    return await unlessAborted(answered, signal);
  }

  /** The answer that leads nowhere else. */
  async function follow(first: Outgoing, signal: AbortSignal) {
    let outgoing = first;
    for (let redirects = 0;; redirects++) {
      const host = redirects === 0 ? outgoing.url.hostname : ELSEWHERE;
      const { statusCode: status, headers: received, body } = await request(outgoing, signal)
        .catch((error) => throwFault(error, host, signal));
      const headers = plain(received);
      if (!REDIRECTS.has(status) || !headers.location) return { status, headers, body, host };
      // The connection goes on being used where little is left; the signal ends one that only trickles.
      await body.dump({ limit: MOST_LEFT_BYTES, signal }).catch(() => {});
      if (redirects === MOST_REDIRECTS) {
        throw new ConnectorFault("refused", `the answer leads elsewhere more than ${MOST_REDIRECTS} times`);
      }
      outgoing = redirected(outgoing, status, headers.location);
    }
  }

  async function send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    const { status, headers, body, host } = await follow(outgoing, signal);
    const bytes = await gather(body, MOST_BYTES).catch((error) => throwFault(error, host, signal));
    return { status, headers, bytes: await decoded(bytes, headers["content-encoding"], MOST_BYTES) };
  }

  return {
    send,
    async close() {
      for (const pool of pools.values()) closing.add(pool.destroy());
      pools.clear();
      await Promise.allSettled(closing);
    },
  };
}

/** The driver hears the signal only once it is connected; a look-up or a silent host may take longer than the call. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return await Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(", ") : value ?? "",
  ]);
  return Object.fromEntries(entries);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The request that the answer asks for. Another origin gets no header of the connector's, and never again. */
function redirected(outgoing: Outgoing, status: number, location: string): Outgoing {
  const { method, headers, body } = outgoing;
  if (!URL.canParse(location, outgoing.url)) {
    throw new ConnectorFault("refused", "the answer leads to what is no address");
  }
  const url = new URL(location, outgoing.url);
  const becomes_get = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
  return {
    url,
    headers: url.origin === outgoing.url.origin ? headers : {},
    ...(becomes_get ? { method: "GET", body: undefined } : { method, body }),
  };
}

/** Sentences by the driver's and the system's codes. */
const REASONS = new Map([
  ["ECONNREFUSED", "refused the connection"],
  ["ECONNRESET", "ended the connection"],
  ["EPIPE", "ended the connection"],
  ["UND_ERR_SOCKET", "ended the connection"],
  ["EHOSTUNREACH", "cannot be reached"],
  ["ENETUNREACH", "cannot be reached"],
  ["UND_ERR_CONNECT_TIMEOUT", `did not take the connection within ${CONNECT_MS / 1000} s`],
]);

/** The other side's word is not repeated: a piece of the secret may stand in it. */
const ELSEWHERE = "the address that the answer leads to";

/** @throws always; nothing of the address but its host is told, as a secret may stand in the query */
function throwFault(error: unknown, host: string, signal: AbortSignal): never {
  if (signal.aborted) throw signal.reason;
  const fault = faultIn(error);
  if (fault instanceof Unreachable) throw new Unreachable(fault.kind, host, fault.reason);
  if (fault) throw fault;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    throw new ConnectorFault("too_large", `the answer's headers are larger than ${MOST_HEADER_BYTES} bytes`);
  }
  const certificate = error instanceof Error && /certificate/i.test(error.message);
  const reason = certificate ? "has a certificate that is not trusted" : REASONS.get(code) ?? "gave no proper answer";
  throw new ConnectorFault("network", `${host} ${reason}`);
}

/** The hook's own refusal may come wrapped. */
function faultIn(error: unknown): ConnectorFault | undefined {
  if (error instanceof ConnectorFault) return error;
  if (error instanceof AggregateError) return error.errors.map(faultIn).find((fault) => fault);
  if (error instanceof Error && error.cause) return faultIn(error.cause);
}
