/** Requests to the server that `createClient()` names: credentials, safe retries, deadlines. */
import { isTemporary } from "../app/action.js";
import { answered, type Send, valueOf } from "../app/request.js";
import { limited, pause } from "../app/waiting.js";
import { serverAddress } from "../server_address.ts";
import type { CallOptions, ClientOptions } from "./types/index.d.ts";

const FIRST_PAUSE_MS = 300;
/** A `Retry-After` that asks for more is left to the caller. */
const LONGEST_PAUSE_MS = 60_000;

export interface Asked extends CallOptions {
  body?: BodyInit | undefined;
  headers?: Record<string, string> | undefined;
  /**
   * `safe`: the request may arrive twice, so it is repeated after any temporary failure. `refused`: it is repeated only
   * where the server has refused to begin (429). `never`: its body can be sent only once, or the caller repeats it.
   * `keyed`: it has an `Idempotency-Key`, which belongs to its caller, so it is `safe` with a token and `refused` without.
   */
  repeat: "safe" | "keyed" | "refused" | "never";
}

export interface Transport {
  /** Sends once, without judging the answer. */
  send: Send;
  /** Sends and reads the answer. @throws {AtriumError} */
  ask<Result>(
    method: string,
    address: string,
    asked: Asked,
    read: (response: Response, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Sends and parses the JSON of the answer. @throws {AtriumError} */
  value(method: string, address: string, asked: Asked): Promise<unknown>;
}

const namesCaller = (headers: Record<string, string>): boolean =>
  Object.keys(headers).some((name) => /^(?:authorization|x-app-token|cookie)$/i.test(name));

/** @throws {TypeError} if `url` is no address */
export function createTransport({ url, token, headers: more, retries = 3, fetch }: ClientOptions): Transport {
  const base = serverAddress(url);
  const credentials = async (): Promise<Record<string, string>> => {
    const secret = typeof token === "function" ? await token() : token;
    const extra = typeof more === "function" ? await more() : more;
    return { ...extra, ...secret && { authorization: `Bearer ${secret}` } };
  };
  /** `fetch` is looked up at each call, so that a later replacement takes effect. */
  const sendWith = (known: Record<string, string>): Send => async (address, init) =>
    await (fetch ?? globalThis.fetch)(base + address, {
      ...init,
      ...init.body instanceof ReadableStream && { duplex: "half" },
      headers: { ...known, ...Object(init.headers) },
    });

  const ask: Transport["ask"] = async (method, address, { body, headers, signal, timeout, repeat }, read) => {
    const limit = limited(signal, timeout);
    try {
      for (let attempt = 0;; attempt++) {
        // Outside of the try: what a function for the token throws is not a fault of the server.
        const known = await credentials();
        try {
          const response = await answered(sendWith(known), method, address, { body, headers, signal: limit.signal });
          return await read(response, limit.signal);
        } catch (error) {
          if (attempt >= retries || !isTemporary(error) || repeat === "never") throw error;
          const may_arrive_twice = repeat === "safe" || repeat === "keyed" && namesCaller(known);
          if (!may_arrive_twice && error.status !== 429) throw error;
          const ms = Math.max(FIRST_PAUSE_MS * 2 ** attempt * (1 + Math.random()), (error.retry_after ?? 0) * 1000);
          if (ms > LONGEST_PAUSE_MS) throw error;
          await pause(ms, limit.signal);
        }
      }
    } finally {
      limit.end();
    }
  };

  return {
    send: async (address, init) => await sendWith(await credentials())(address, init),
    ask,
    value: (method, address, asked) => ask(method, address, asked, valueOf),
  };
}
