import { fileURLToPath } from "node:url";
import { z } from "zod";
import { findProgram } from "../../stage/programs.ts";
import { mainThreadSeconds } from "./processes.ts";

/** One request, repeated by the load generator. */
export interface Order {
  method: "GET" | "POST" | "PATCH";
  /** With host and port. `{id}` in its path stands for an id of `ids`, `{line}` for a line of `lines`, each in turn. */
  url: string;
  /** The process that answers, where its CPU time is measured. */
  pid?: number;
  headers?: Record<string, string>;
  /** `{unique}` stands for a word that no other request has. */
  body?: string;
  ids?: { first: number; count: number };
  /** The path of a file. */
  lines?: string;
}

/** What one subject did in one round. */
export interface Load {
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU time of the server's main thread per request: steadier than throughput on a busy machine. NaN without `pid`. */
  cpu_us: number;
}

export const HOW_TO_INSTALL = "wrk, the load generator, is missing: apt-get install wrk, or brew install wrk";

const Report = z.object({
  requests: z.number(),
  microseconds: z.number(),
  p50_us: z.number(),
  p99_us: z.number(),
  refused: z.number(),
  broken: z.number(),
});

const script = fileURLToPath(new URL("./load.lua", import.meta.url));

/**
 * Sends requests over `connections` kept-alive connections, one at a time on each, for `seconds`.
 *
 * @throws {Error} where any answer was not 2xx or 3xx or did not arrive: the figures would mean nothing
 */
export async function load(order: Order, { seconds, connections }: { seconds: number; connections: number }) {
  const wrk = findProgram("wrk");
  if (!wrk) throw new Error(HOW_TO_INSTALL);
  const { origin, pathname, search } = new URL(order.url);
  const path = decodeURI(pathname) + search;
  const { first, count } = order.ids ?? { first: 0, count: 1 };
  const headers = Object.entries(order.headers ?? {}).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const word = `${crypto.randomUUID().slice(0, 13)}-`;
  const began = order.pid === undefined ? NaN : mainThreadSeconds(order.pid);
  const { success, stdout, stderr } = await new Deno.Command(wrk, {
    args: ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script, ...headers, origin]
      .concat("--", order.method, path, order.body ?? "", `${count}`, `${first}`, word, order.lines ?? ""),
    stdin: "null",
  }).output();
  const cpu_seconds = order.pid === undefined ? NaN : mainThreadSeconds(order.pid) - began;
  const line = new TextDecoder().decode(stdout).split("\n").find((text) => text.startsWith("{"));
  if (!success || !line) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr)}`);
  return loadOf(Report.parse(JSON.parse(line)), cpu_seconds, `${order.method} ${order.url}`);
}

function loadOf(report: z.output<typeof Report>, cpu_seconds: number, title: string): Load {
  const { requests, microseconds, refused, broken, p50_us, p99_us } = report;
  if (refused + broken > 0 || requests === 0) {
    throw new Error(`${title}: ${refused} refused and ${broken} broken of ${requests}`);
  }
  return {
    per_second: requests / (microseconds / 1e6),
    p50_ms: p50_us / 1000,
    p99_ms: p99_us / 1000,
    cpu_us: cpu_seconds / requests * 1e6,
  };
}
