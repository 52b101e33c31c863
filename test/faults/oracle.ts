/**
 * The world that connectors call: it counts its calls and knows which worker makes each, because every worker looks its
 * name up to an address of its own.
 */
import { freePort } from "../stage/ports.ts";

/** As connectors know it. */
export const HOST = "oracle.test";
const MOST_WORKERS = 4;

export interface Call {
  /** What the caller sent as `Idempotency-Key`. */
  key: string;
  run: string;
  /** Of the step. */
  place: string;
  /** What whoever began the run sent as its key. */
  caller_key: string | null;
  worker: number;
  /** `performance.now()`. */
  at: number;
  /** Never given twice: what came of which call. */
  mark: number;
  /** Of the answer; undefined while there is none. */
  status: number | undefined;
}

export interface Oracle extends AsyncDisposable {
  port: number;
  calls: Call[];
  /** The status of the answer, when it is time for it. */
  behave: (call: Call) => number | Promise<number>;
  /** The `count`th call of a step's place, by whichever run. @throws {Error} where it does not come within 15 s */
  reached(place: string, count?: number): Promise<Call>;
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
    reached(place, count = 1) {
      const found = () => calls.filter((call) => call.place === place)[count - 1];
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no call ${count} of ${place}`)), 15_000);
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
    const { run, key: caller_key } = await request.json();
    const key = request.headers.get("idempotency-key") ?? "";
    const place = key.slice(key.indexOf(":") + 1);
    const mark = calls.length + 1;
    const call: Call = { key, run, place, caller_key, worker, at: performance.now(), mark, status: undefined };
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
