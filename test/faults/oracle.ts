/**
 * The API that the flows call. It records its calls and knows the worker behind each, because the oracle's name resolves
 * to a different address for each worker.
 */
import { freePort } from "../stage/network/ports.ts";

/** Its host name in connectors. */
export const HOST = "oracle.test";
const MOST_WORKERS = 4;
const REACHED_MS = 180_000;

export interface Call {
  /** The header `Idempotency-Key` of the call. */
  key: string;
  run: string;
  place: string;
  /** `{run.started_at}`, as the call's body has it. */
  started: string;
  /** What a step has computed for the call. */
  value: string;
  /** The idempotency key with which the run was started. */
  caller_key: string | null;
  worker: number;
  /** `performance.now()`. */
  at: number;
  /** A number that identifies the call and is sent in its answer. */
  mark: number;
  /** The status of the answer; undefined until it is sent. */
  status: number | undefined;
}

export interface Oracle extends AsyncDisposable {
  port: number;
  calls: Call[];
  /** Decides the status of an answer, and by its promise the time. */
  behave: (call: Call) => number | Promise<number>;
  /** Resolves to the `count`th call from a place, of any run. @throws {Error} if it does not come in time, by default 180 s */
  reached(place: string, count?: number, limit_ms?: number): Promise<Call>;
}

export const addressOf = (worker: number) => `127.0.0.${2 + worker}`;

export function startOracle(): Oracle {
  const calls: Call[] = [];
  const waiting = new Set<() => void>();
  const ended = Promise.withResolvers<number>();
  const oracle: Oracle = {
    port: freePort(),
    calls,
    behave: () => 200,
    reached(place, count = 1, limit_ms = REACHED_MS) {
      const found = () => calls.filter((call) => call.place === place)[count - 1];
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no call ${count} of ${place}`)), limit_ms);
        const look = () => {
          const call = found();
          if (!call) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(call);
        };
        waiting.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      ended.resolve(503);
      await Promise.all(servers.map((server) => server.shutdown()));
    },
  };

  const answer = async (worker: number, request: Request): Promise<Response> => {
    const { run, started, value, key: caller_key } = await request.json();
    const key = request.headers.get("idempotency-key") ?? "";
    const place = key.slice(key.indexOf(":") + 1);
    const mark = calls.length + 1;
    const at = performance.now();
    const call: Call = { key, run, started, value, place, caller_key, worker, at, mark, status: undefined };
    calls.push(call);
    for (const look of waiting) look();
    call.status = await Promise.race([oracle.behave(call), ended.promise]);
    return Response.json({ mark, odd: mark % 2 === 1 }, { status: call.status });
  };

  const servers = Array.from({ length: MOST_WORKERS }, (_, worker) =>
    Deno.serve(
      { hostname: addressOf(worker), port: oracle.port, onListen: () => {} },
      (request) => answer(worker, request),
    ));
  return oracle;
}
