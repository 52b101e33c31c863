/**
 * Writes one JSON line for each event to standard output, and keeps the latest ones in memory. Secrets, headers and
 * bodies are never logged.
 */

export interface Log {
  info(event: string, detail?: Record<string, unknown>): void;
  warn(event: string, detail?: Record<string, unknown>): void;
  error(event: string, detail?: Record<string, unknown>): void;
  /** Logs a request. */
  request(line: RequestLine): void;
  /** Writes the buffered lines. Called before the process ends. */
  flush(): void;
  readonly recent: Omit<RecentLines, "add">;
}

export interface RequestLine {
  request_id: string;
  method: string;
  /** The path, without the query. */
  route: string;
  status: number;
  ms: number;
  /** Undefined if the caller is anonymous. */
  account: number | undefined;
  user: number | undefined;
  /** The user whose answers the admin `user` asked for. */
  viewed_as?: number | undefined;
}

/** Lines are buffered for this long: a system call for each request was a tenth of a small answer's cost. */
const BUFFER_MS = 25;
const BUFFER_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

/** Writes all of `text`, which a single call of `writeSync` may not do. */
export function writeOut(text: string, to: { writeSync(bytes: Uint8Array): number } = Deno.stdout): void {
  let rest = encoder.encode(text);
  try {
    while (rest.length > 0) rest = rest.subarray(to.writeSync(rest));
  } catch {
    // The pipe is closed. The server continues without a log.
  }
}

/** Writes lines by the console, from which a host collects them with their levels, each in the trace of its request. */
export function writeToConsole(text: string): void {
  for (const line of text.trimEnd().split("\n")) {
    const [, level] = /"level":"(warn|error)"/.exec(line) ?? [];
    // deno-lint-ignore no-console
    const write = level === "error" ? console.error : level === "warn" ? console.warn : console.info;
    write(line);
  }
}

/**
 * @param write receives one or more complete lines
 * @param options `at_once`: lines are not buffered
 */
export function createLog(
  write: (text: string) => void = writeOut,
  now: () => number = Date.now,
  { at_once: is_unbuffered = false } = {},
): Log {
  const kept = createRecentLines();
  let held = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = held;
    held = "";
    if (!text) return;
    write(text);
    kept.add(text);
  };
  const add = (line: string, at_once: boolean) => {
    held += line;
    if (at_once || is_unbuffered || held.length > BUFFER_CHARACTERS) return flush();
    timer ??= setTimeout(flush, BUFFER_MS);
  };
  const timeOf = timesAsText(now);
  const line = (level: string) => (event: string, detail: Record<string, unknown> = {}) =>
    add(JSON.stringify({ time: timeOf(), level, event, ...detail }) + "\n", level === "error");
  // Written without JSON.stringify, which was a tenth of a page's cost. Only the caller's text needs escaping.
  const request = ({ request_id, method, route, status, ms, account, user, viewed_as }: RequestLine) => {
    const as = viewed_as === undefined ? "" : `,"viewed_as":${viewed_as}`;
    const who = account === undefined ? "" : `,"account":${account},"user":${user}${as}`;
    add(
      `{"time":"${timeOf()}","level":"info","event":"request","request_id":"${request_id}","method":${
        JSON.stringify(method)
      },"route":${JSON.stringify(route)},"status":${status},"ms":${ms}${who}}\n`,
      false,
    );
  };
  const recent: Log["recent"] = {
    newest(filter, limit) {
      flush();
      return kept.newest(filter, limit);
    },
    watch(onLine) {
      flush();
      return kept.watch(onLine);
    },
  };
  return { request, info: line("info"), warn: line("warn"), error: line("error"), flush, recent };
}

/** The current time in ISO 8601. The text is cached, because a busy server logs many lines in one millisecond. */
function timesAsText(now: () => number): () => string {
  let last = NaN;
  let text = "";
  return () => {
    const time = now();
    if (time !== last) text = new Date(last = time).toISOString();
    return text;
  };
}

/** The fields that the log shows of an unexpected error. A statement's parameters are left out. */
export function faultOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { fault: String(error) };
  const code = "code" in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? faultOf(error.cause) : undefined;
  return { fault: error.message, kind: error.name, code, stack: error.stack, cause };
}

export const LEVELS = ["info", "warn", "error"] as const;

export interface LogLine {
  /** ISO 8601 */
  time: string;
  level: (typeof LEVELS)[number];
  event: string;
  request_id: string | null;
  /** The other fields of the line. */
  detail: Record<string, unknown>;
}

export interface LogFilter {
  request_id?: string | undefined;
  /** This level and those above it. */
  level?: LogLine["level"] | undefined;
  /** Text that the line contains, in any case. */
  q?: string | undefined;
}

export interface RecentLines {
  /** @param text complete lines, each JSON with its line break */
  add(text: string): void;
  /** The newest lines that match, oldest first. */
  newest(filter: LogFilter, limit: number): LogLine[];
  /** @returns ends it */
  watch(onLine: (line: string) => void): () => void;
}

const MOST_CHARACTERS = 1024 * 1024;
/** Of a longer line only the beginning is kept. */
const LONGEST_LINE = 8_000;

/**
 * Keeps the text as it was written. A string for each line made the garbage collector copy thousands of them over and
 * over on a busy server. The oldest text is dropped as a whole.
 */
export function createRecentLines(): RecentLines {
  const texts: string[] = [];
  let characters = 0;
  const watchers = new Set<(line: string) => void>();
  return {
    add(text) {
      const kept = hasLongLine(text) ? withoutLongLines(text) : text;
      texts.push(kept);
      characters += kept.length;
      while (characters > MOST_CHARACTERS) characters -= texts.shift()?.length ?? characters;
      if (watchers.size === 0) return;
      for (const line of linesOf(kept)) watchers.forEach((watcher) => watcher(line));
    },
    newest(filter, limit) {
      const found: LogLine[] = [];
      for (const text of texts.toReversed()) {
        for (const line of linesOf(text).reverse()) {
          const match = matching(line, filter);
          if (match && found.push(match) === limit) return found.reverse();
        }
      }
      return found.reverse();
    },
    watch(onLine) {
      const watcher = (line: string) => onLine(line);
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

const linesOf = (text: string) => text.split("\n").slice(0, -1);

/** Without an array of the lines: a busy server logs many short ones at a time. */
function hasLongLine(text: string): boolean {
  for (let from = 0; text.length - from > LONGEST_LINE;) {
    const end = text.indexOf("\n", from);
    if (end === -1 || end - from > LONGEST_LINE) return true;
    from = end + 1;
  }
  return false;
}

const withoutLongLines = (text: string) =>
  linesOf(text).map((line) => (line.length > LONGEST_LINE ? shortened(line, LONGEST_LINE) : line) + "\n").join("");

/** @param line JSON. @returns undefined if the filter leaves it out */
export function matching(line: string, { request_id, level = "info", q }: LogFilter): LogLine | undefined {
  if (request_id !== undefined && !line.includes(request_id)) return undefined;
  if (q !== undefined && !line.toLowerCase().includes(q.toLowerCase())) return undefined;
  const read = readLine(line);
  if (LEVELS.indexOf(read.level) < LEVELS.indexOf(level)) return undefined;
  return request_id === undefined || read.request_id === request_id ? read : undefined;
}

function readLine(text: string): LogLine {
  const { time, level, event, request_id = null, ...detail } = JSON.parse(text);
  return { time, level, event, request_id, detail };
}

/** The same line with the first `length` characters of its text in place of its details. */
function shortened(text: string, length: number): string {
  const { time, level, event, request_id } = readLine(text);
  return JSON.stringify({
    time,
    level,
    event,
    ...request_id !== null && { request_id },
    cut: text.slice(0, length / 2),
  });
}
