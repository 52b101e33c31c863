/** A subprocess that reads and writes lines. It is not trusted: invalid output ends it. */
import { readLines } from "../input/lines.ts";

export interface Subprocess {
  send(line: string): void;
  /** The next line of its output. @throws {Lost} where there is none within the limit; the process has ended then */
  next(limit_ms: number): Promise<string>;
  /** Ends it and its children immediately. @param reason that the pending `next` reports */
  kill(reason?: Reason): void;
  /** Resolves when it has ended. Never rejects. */
  ended: Promise<void>;
  readonly pid: number;
}

/**
 * Why a process has ended. `timeout`: it did not answer in time. `memory`, `depth`: it exceeded that limit. `crash`: it
 * received a fatal signal such as SIGSEGV. `ended`: everything else, such as a signal from outside.
 */
export type Reason = "timeout" | "memory" | "depth" | "crash" | "ended";

export class Lost extends Error {
  constructor(readonly reason: Reason, readonly last_words = "") {
    super(`the subprocess is gone: ${reason}`);
  }
}

/** Characters of standard error that are kept, from its end. */
const LAST_WORDS = 4000;

/** How V8 and Go report that a limit is exceeded. A stack trace follows, which may be longer than what is kept. */
const DYING_WORDS: readonly [RegExp, Reason][] = [
  [/stack exceeds \d+-byte limit|stack overflow/, "depth"],
  [/out of memory|heap limit|cannot allocate memory/i, "memory"],
];

/** Twice the longest honest answer, which is a runtime's files in base64. */
const LONGEST_LINE = 32 * 1024 * 1024;

const FAULTS: ReadonlySet<string | null> = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGABRT", "SIGTRAP", "SIGFPE"]);

export function startSubprocess(command: Deno.Command): Subprocess {
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  const lines = readLines(child.stdout, LONGEST_LINE);
  let last_words = "";
  let dying_of: Reason | undefined;
  let killed_for: Reason | undefined;

  const heard = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      last_words += text;
      dying_of ??= DYING_WORDS.find(([words]) => words.test(last_words))?.[1];
      last_words = last_words.slice(-LAST_WORDS);
    }
  })().catch(() => {});
  const ended = child.status.then(async ({ signal }) => {
    // The pipe to the process stays open until this side closes it.
    await writer.abort().catch(() => {});
    await heard;
    return signal;
  });

  function kill(reason?: Reason) {
    killed_for ??= reason;
    try {
      // Kills the process group: esbuild must not continue a hostile build after its parent has died.
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has already ended.
      }
    }
  }

  return {
    send(line) {
      last_words = "";
      dying_of = undefined;
      // Where the process has died the pipe is broken. The missing answer reports it.
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
        // The line is too long, or not UTF-8.
      } finally {
        clearTimeout(timer);
      }
      kill();
      const signal = await ended;
      throw new Lost(late ? "timeout" : killed_for ?? dying_of ?? (FAULTS.has(signal) ? "crash" : "ended"), last_words);
    },
    kill,
    ended: ended.then(() => {}),
    pid: child.pid,
  };
}
