/** The latest lines of this process's log, in memory. They are what the log has written: without secrets and bodies. */

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
  /** @param line JSON, with its line break */
  add(line: string): void;
  /** The newest lines that match, oldest first. */
  newest(filter: LogFilter, limit: number): LogLine[];
  /** @returns ends it */
  watch(onLine: (line: string) => void): () => void;
}

const MOST_LINES = 5_000;
const MOST_CHARACTERS = 1024 * 1024;
/** Of a longer line only the beginning is kept. */
const LONGEST_LINE = 8_000;

export function createRecentLines(): RecentLines {
  let lines: string[] = [];
  /** Lines before it have been dropped. */
  let first = 0;
  let characters = 0;
  const watchers = new Set<(line: string) => void>();
  return {
    add(line) {
      const kept = line.length > LONGEST_LINE ? shortened(line, LONGEST_LINE) : line;
      lines.push(kept);
      characters += kept.length;
      while (lines.length - first > MOST_LINES || characters > MOST_CHARACTERS) {
        characters -= lines[first]?.length ?? 0;
        first++;
      }
      if (first > MOST_LINES) {
        lines = lines.slice(first);
        first = 0;
      }
      for (const watcher of watchers) watcher(kept);
    },
    newest(filter, limit) {
      const found: LogLine[] = [];
      for (let index = lines.length - 1; index >= first && found.length < limit; index--) {
        const line = matching(lines[index] ?? "", filter);
        if (line) found.push(line);
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
