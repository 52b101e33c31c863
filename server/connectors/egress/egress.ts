/**
 * Sends requests to third parties. Of nine ways that were tried against 25 hostile cases, only undici with a lookup
 * hook reached no private address. Redirects are followed here, and each target is checked like the first address.
 */
import { ConnectorFault } from "../call/fault.ts";
import { createConnectionPools } from "./connection_pools.ts";
import { type Answer, exchange } from "./exchange.ts";
import { throwFault } from "./failures.ts";
import { MAX_BODY_BYTES, MAX_REDIRECTS } from "./limits.ts";
import { createReach, type Lookup, REDIRECT_TARGET } from "./reach.ts";
import { isRedirect, type Outgoing, redirected } from "./redirects.ts";
import { decoded, ENCODINGS } from "./response_body.ts";

export interface Incoming {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** The body without its content encoding. */
  bytes: Uint8Array;
}

export interface Egress {
  /**
   * @param most_bytes of the body, encoded and decoded
   * @throws {ConnectorFault} `refused`, `network`, `timeout` or `too_large`, or the signal's reason
   */
  send(outgoing: Outgoing, signal: AbortSignal, most_bytes?: number): Promise<Incoming>;
  close(): Promise<void>;
}

/**
 * @param allow private addresses that may be called; undefined: nothing may be called
 * @param lookup replaces the system's DNS lookup in tests
 */
export function createEgress(allow: readonly string[] | undefined, lookup?: Lookup): Egress {
  const reach = createReach(allow, lookup);
  const pools = createConnectionPools(reach);

  async function request({ url, method, headers, body, follows }: Outgoing, signal: AbortSignal, most_bytes: number) {
    signal.throwIfAborted();
    reach.check(url);
    const found = pools.poolFor(url);
    const pool = found instanceof Promise ? await unlessAborted(found, signal) : found;
    const options = {
      path: `${url.pathname}${url.search}`,
      method,
      headers: {
        accept: "application/json, */*;q=0.5",
        "user-agent": "Atrium",
        ...(body && { "content-type": body.type }),
        ...headers,
        "accept-encoding": ENCODINGS,
      },
      body: body?.content ?? null,
    };
    const isDiscarded = (status: number, { location }: Record<string, string>) =>
      isRedirect(status) && !!location && follows !== false;
    return await exchange(pool, { options, signal, most_bytes, isDiscarded });
  }

  /** Follows redirects, unless the request says otherwise. @returns the first answer that is not followed */
  async function follow(first: Outgoing, signal: AbortSignal, most_bytes: number): Promise<Answer> {
    let outgoing = first;
    for (let redirects = 0;; redirects++) {
      const host = redirects === 0 ? outgoing.url.hostname : REDIRECT_TARGET;
      const answer = await request({ ...outgoing, follows: first.follows }, signal, most_bytes)
        .catch((error) => throwFault(error, host, signal));
      const { status, headers } = answer;
      if (!isRedirect(status) || !headers.location || first.follows === false) return answer;
      if (redirects === MAX_REDIRECTS) {
        throw new ConnectorFault("refused", `the answer leads to another address more than ${MAX_REDIRECTS} times`);
      }
      outgoing = redirected(outgoing, status, headers.location);
      reach.checkRedirect(first.url, outgoing.url);
    }
  }

  return {
    async send(outgoing, signal, most_bytes = MAX_BODY_BYTES) {
      const { status, headers, bytes } = await follow(outgoing, signal, most_bytes);
      return { status, headers, bytes: await decoded(bytes, headers["content-encoding"], most_bytes) };
    },
    close: pools.close,
  };
}

/** Loading the client may outlast the deadline. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return await Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}
