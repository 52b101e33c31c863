/** One of the server processes that a supervisor runs: started again with increasing pauses when it ends. */
import { type Log, writeOut } from "../log.ts";
import { LISTENING } from "./announcements.ts";
import { V8_FLAGS } from "./v8_flags.ts";

export interface ServerProcess {
  /** Settles with the first process that listens. Rejects if that one ends before. */
  listening: Promise<void>;
  /** Stops the process gracefully, or kills it after 5 s, and does not start it again. */
  stop(): Promise<void>;
}

const PERMISSIONS = ["net", "env", "read", "write", "run", "sys"].map((name) => `--allow-${name}`);

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A process that listened for this long had no problem with its start: the next pause is short again. */
const STABLE_MS = 30_000;
/** A process ends by itself 4.5 s after SIGTERM. */
const KILL_AFTER_MS = 4_800;

/** @param program the URL of the module that the process runs */
export function keepRunning(program: string, number: number, log: Log): ServerProcess {
  const listening = Promise.withResolvers<void>();
  let child: Deno.ChildProcess | undefined;
  let is_stopping = false;
  let endPause = () => {};

  async function run(): Promise<void> {
    for (let pause_ms = FIRST_PAUSE_MS; !is_stopping;) {
      const began = performance.now();
      child = spawn(program, number);
      const { pid } = child;
      log.info("server process started", { process: number, pid });
      const [{ code, signal }, listened] = await Promise.all([
        child.status,
        forward(child.stdout, number, listening.resolve),
      ]);
      child.stdin.close().catch(() => {});
      child = undefined;
      if (is_stopping) return;
      log.error("server process ended", { process: number, pid, code, signal });
      listening.reject(new Error(`server process ${number} ended before it listened`));
      if (listened && performance.now() - began > STABLE_MS) pause_ms = FIRST_PAUSE_MS;
      await pause(pause_ms);
      pause_ms = Math.min(2 * pause_ms, LONGEST_PAUSE_MS);
    }
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const running = run();
  return {
    listening: listening.promise,
    async stop() {
      is_stopping = true;
      endPause();
      kill(child, "SIGTERM");
      const limit = setTimeout(() => kill(child, "SIGKILL"), KILL_AFTER_MS);
      await running;
      clearTimeout(limit);
    },
  };
}

function spawn(program: string, number: number): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    // Sharing a port is unstable in Deno.
    args: ["run", "--quiet", V8_FLAGS, "--unstable-net", ...PERMISSIONS, program],
    env: { PROCESS_NUMBER: String(number) },
    // Never written to. Its end tells the process that the supervisor ended.
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

function kill(child: Deno.ChildProcess | undefined, signal: Deno.Signal): void {
  try {
    child?.kill(signal);
  } catch (error) {
    // The process ended already.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Writes whole lines to this process's output, so that the lines of several processes do not mix, and adds the process's
 * number to each line of its log.
 *
 * @returns whether the process announced that it listens; that line is left out
 */
async function forward(
  output: ReadableStream<Uint8Array<ArrayBuffer>>,
  number: number,
  onListening: () => void,
): Promise<boolean> {
  let listened = false;
  let rest = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    rest += text;
    const end = rest.lastIndexOf("\n") + 1;
    const lines = rest.slice(0, end).split(/(?<=\n)/);
    rest = rest.slice(end);
    const kept = listened ? lines : lines.filter((line) => !line.startsWith(LISTENING));
    writeOut(kept.join("").replace(/^\{"time":/gm, `{"process":${number},"time":`));
    if (kept.length === lines.length) continue;
    listened = true;
    onListening();
  }
  if (rest) writeOut(`${rest}\n`);
  return listened;
}
