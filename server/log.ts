/** One JSON line an event, on standard output. Never a secret, a header or a body. */

export interface Log {
  info(event: string, detail?: Record<string, unknown>): void;
  warn(event: string, detail?: Record<string, unknown>): void;
  error(event: string, detail?: Record<string, unknown>): void;
  /** The line of a request; the one that is written most. */
  request(line: RequestLine): void;
  /** Writes what is still held back; for the end of the process. */
  flush(): void;
}

export interface RequestLine {
  request_id: string;
  method: string;
  /** The path, without the query. */
  route: string;
  status: number;
  ms: number;
  /** Undefined where nobody is known. */
  account: number | undefined;
  user: number | undefined;
}

/** Lines are gathered this long, since a system call a request is a tenth of a small answer's cost. */
const GATHER_MS = 25;
const GATHER_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

function writeOut(text: string) {
  let rest = encoder.encode(text);
  try {
    while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
  } catch {
    // Nobody reads any more (a closed pipe). A server does not end because its log does.
  }
}

/** @param write receives whole lines, several at once */
export function createLog(write: (text: string) => void = writeOut, now: () => number = Date.now): Log {
  let held = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held) write(held);
    held = "";
  };
  const add = (line: string, at_once: boolean) => {
    held += line;
    if (at_once || held.length > GATHER_CHARACTERS) return flush();
    timer ??= setTimeout(flush, GATHER_MS);
  };
  const timeOf = timesAsText(now);
  const line = (level: string) => (event: string, detail: Record<string, unknown> = {}) =>
    add(JSON.stringify({ time: timeOf(), level, event, ...detail }) + "\n", level === "error");
  // Put together by hand: JSON.stringify of the whole was a tenth of a page's cost. Only text from outside is escaped.
  const request = ({ request_id, method, route, status, ms, account, user }: RequestLine) => {
    const who = account === undefined ? "" : `,"account":${account},"user":${user}`;
    add(
      `{"time":"${timeOf()}","level":"info","event":"request","request_id":"${request_id}","method":${
        JSON.stringify(method)
      },"route":${JSON.stringify(route)},"status":${status},"ms":${ms}${who}}\n`,
      false,
    );
  };
  return { request, info: line("info"), warn: line("warn"), error: line("error"), flush };
}

/** ISO 8601; a busy server writes many lines in one millisecond. */
function timesAsText(now: () => number): () => string {
  let last = NaN;
  let text = "";
  return () => {
    const time = now();
    if (time !== last) text = new Date(last = time).toISOString();
    return text;
  };
}

/** What a log line says of an unexpected error: its kind, code and stack; not a statement's parameters. */
export function faultOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { fault: String(error) };
  const code = "code" in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? faultOf(error.cause) : undefined;
  return { fault: error.message, kind: error.name, code, stack: error.stack, cause };
}
