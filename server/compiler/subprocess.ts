/** One process that reads and writes lines. It is believed nothing: whatever is not an answer ends it. */
import { readLines } from "./lines.ts";

export interface Subprocess {
  /** Resolves with the next line that the process writes. @throws {Lost} */
  ask(line: string, limit_ms: number): Promise<string>;
  /** Resolves with its first line. @throws {Lost} */
  ready: Promise<string>;
  /** Ends it and what it started, at once. */
  kill(): void;
  /** Resolves when it has ended; never rejects. */
  ended: Promise<void>;
  readonly pid: number;
}

/** The process is gone: `timeout` because it was too slow, `memory` because its heap was full. */
export class Lost extends Error {
  constructor(readonly reason: "timeout" | "memory" | "ended", readonly last_words = "") {
    super(`the compile worker is gone: ${reason}`);
  }
}

/** How much of what it printed on standard error is kept: V8 says at the end why it gave up. */
const LAST_WORDS = 4000;

export function startSubprocess(command: Deno.Command, ready_limit_ms: number): Subprocess {
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  const lines = readLines(child.stdout);
  let last_words = "";

  const heard = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      last_words = (last_words + text).slice(-LAST_WORDS);
    }
  })().catch(() => {});
  // The pipe to it is ours, and stays open until it is closed here.
  const ended = Promise.all([heard, child.status.then(() => writer.abort()).catch(() => {})]).then(() => {});

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

  async function nextLine(limit_ms: number): Promise<string> {
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
    await ended;
    throw new Lost(
      late ? "timeout" : /heap out of memory|heap limit/.test(last_words) ? "memory" : "ended",
      last_words,
    );
  }

  return {
    ready: nextLine(ready_limit_ms),
    async ask(line, limit_ms) {
      const [answer] = await Promise.all([
        nextLine(limit_ms),
        // A process that died while idle breaks the pipe; the missing answer says so.
        writer.write(new TextEncoder().encode(line + "\n")).catch(() => {}),
      ]);
      return answer;
    },
    kill,
    ended,
    pid: child.pid,
  };
}
