/** One JSON line an event, on standard output. Never a secret, a header or a body. */

export interface Log {
  info(event: string, detail?: Record<string, unknown>): void;
  warn(event: string, detail?: Record<string, unknown>): void;
  error(event: string, detail?: Record<string, unknown>): void;
  /** Writes what is still held back; for the end of the process. */
  flush(): void;
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
  const line = (level: string) => (event: string, detail: Record<string, unknown> = {}) => {
    held += JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...detail }) + "\n";
    if (held.length > GATHER_CHARACTERS || level === "error") return flush();
    timer ??= setTimeout(flush, GATHER_MS);
  };
  return { info: line("info"), warn: line("warn"), error: line("error"), flush };
}

/** What a log line says of an unexpected error: its kind, code and stack; not a statement's parameters. */
export function faultOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { fault: String(error) };
  const code = "code" in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? faultOf(error.cause) : undefined;
  return { fault: error.message, kind: error.name, code, stack: error.stack, cause };
}
