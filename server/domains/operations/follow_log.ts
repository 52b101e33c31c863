/** The stream of the server's log. */
import type { Context } from "../../context.ts";
import type { LogFilter } from "../../log.ts";
import type { ProcessLine, ProcessName } from "./log_schema.ts";

interface LogEvent {
  /** Counts the events of one stream. */
  id: number;
  event: "ready" | "lines";
  data: { process: ProcessName } | { lines: ProcessLine[]; left_out: number };
}

/** Lines that come within it are one event. */
const GATHER_MS = 200;
/** How often the login of a silent stream is checked. */
const PROVE_MS = 10_000;
/** Lines that a slow client has not taken; older ones are left out. */
const MOST_UNSENT = 1_000;

/**
 * `ready` names the process that answers; then the latest lines of all processes, and further ones.
 *
 * @param prove checks the caller's login and rights again, before each event
 */
export async function* followLog(
  { log_exchange }: Context,
  filter: LogFilter,
  prove: () => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  let unsent: ProcessLine[] = [];
  let left_out = 0;
  let arrived = Promise.withResolvers<void>();
  const end = log_exchange.follow(filter, (lines, missing) => {
    unsent.push(...lines);
    const surplus = Math.max(0, unsent.length - MOST_UNSENT);
    unsent.splice(0, surplus);
    left_out += missing + surplus;
    arrived.resolve();
  });
  const stop = () => arrived.resolve();
  signal.addEventListener("abort", stop);
  try {
    let id = 1;
    yield { id: id++, event: "ready", data: { process: log_exchange.process } };
    while (!signal.aborted) {
      const timer = setTimeout(stop, PROVE_MS);
      await arrived.promise;
      clearTimeout(timer);
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      if (signal.aborted) return;
      await prove();
      arrived = Promise.withResolvers();
      if (unsent.length === 0) continue;
      const data = { lines: unsent, left_out };
      [unsent, left_out] = [[], 0];
      yield { id: id++, event: "lines", data };
    }
  } finally {
    signal.removeEventListener("abort", stop);
    end();
  }
}
