/** One process that reads and writes lines. It is believed nothing: whatever is not an answer ends it. */
import { readLines } from "../lines.ts";

export interface Subprocess {
  send(line: string): void;
  /** The next line that it writes. @throws {Lost} */
  next(limit_ms: number): Promise<string>;
  /** Ends it and what it started, at once. */
  kill(): void;
  /** Resolves when it has ended; never rejects. */
  ended: Promise<void>;
  readonly pid: number;
}

/**
 * Why a process is gone. `timeout`: it was too slow. `memory`, `depth`: it ran into that bound. `crash`: the system
 * ended it for a fault of its own. `ended`: all else, such as a signal from outside.
 */
export type Reason = "timeout" | "memory" | "depth" | "crash" | "ended";

export class Lost extends Error {
  constructor(readonly reason: Reason, readonly last_words = "") {
    super(`the compile worker is gone: ${reason}`);
  }
}

/** How much of what it printed on standard error is kept, from its end. */
const LAST_WORDS = 4000;

/** What V8 and Go say when they give up; behind it stands a trace that may be longer than what is kept. */
const DYING_WORDS: readonly [RegExp, Reason][] = [
  [/stack exceeds \d+-byte limit|stack overflow/, "depth"],
  [/out of memory|heap limit|cannot allocate memory/i, "memory"],
];

/** Twice what the longest honest answer takes, a runtime's files in base64. */
const LONGEST_LINE = 32 * 1024 * 1024;

const FAULTS: ReadonlySet<string | null> = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGABRT", "SIGTRAP", "SIGFPE"]);

export function startSubprocess(command: Deno.Command): Subprocess {
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  const lines = readLines(child.stdout, LONGEST_LINE);
  let last_words = "";
  let dying_of: Reason | undefined;

  const heard = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      last_words += text;
      dying_of ??= DYING_WORDS.find(([words]) => words.test(last_words))?.[1];
      last_words = last_words.slice(-LAST_WORDS);
    }
  })().catch(() => {});
  const ended = child.status.then(async ({ signal }) => {
    // The pipe to it is ours, and stays open until it is closed here.
    await writer.abort().catch(() => {});
    await heard;
    return signal;
  });

  function kill() {
    try {
      // The whole group: esbuild's process must not go on with a hostile build after its parent.
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended already.
      }
    }
  }

  return {
    send(line) {
      last_words = "";
      dying_of = undefined;
      // A process that died while idle breaks the pipe; the missing answer says so.
      writer.write(new TextEncoder().encode(line + "\n")).catch(() => {});
    },

    async next(limit_ms) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        kill();
      }, limit_ms);
      try {
        const { value } = await lines.next();
        if (value !== undefined) return value;
      } catch {
        // A line without end, or text that is not UTF-8.
      } finally {
        clearTimeout(timer);
      }
      kill();
      const signal = await ended;
      throw new Lost(late ? "timeout" : dying_of ?? (FAULTS.has(signal) ? "crash" : "ended"), last_words);
    },
    kill,
    ended: ended.then(() => {}),
    pid: child.pid,
  };
}
