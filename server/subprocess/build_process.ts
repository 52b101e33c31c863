/** Runs a build of the server's own files in a process of its own, with low priority and limited memory. */
import { fileURLToPath } from "node:url";
import { readLines } from "../input/lines.ts";
import { confined } from "./confined.ts";

const HEAP_MB = 384;
/** Of V8's young generation. With more, the process takes 50 MB more. */
const YOUNG_MB = 8;
/** esbuild collects garbage more often: 160 instead of 217 MB, for a tenth more time. */
const ESBUILD = { GOGC: "25", GOMEMLIMIT: "128MiB" };
/** Writable memory of the process, V8's code range included. */
const DATA_MB = HEAP_MB + 1024;
/** Seconds of processor time: ten times what it takes. */
const CPU_S = 120;
/** See `BACKGROUND_NICE` of the compiler's `host/sandbox.ts`. */
const NICE = 5;
/** Of the fault that is reported. */
const LAST_WORDS = 2_000;

export interface BuildProcess {
  /**
   * Gives the lines that the build prints, each as it comes: all of them as one text took 100 MB of the server.
   *
   * @param writes the folder that it may write to
   * @throws {Error} with the end of what it printed to standard error
   */
  run(script: URL, writes?: URL): AsyncGenerator<string>;
  /** Ends a build that runs. Later ones are refused. */
  kill(): void;
}

/** @param env where Deno keeps its files */
export function buildProcess(deno: string, env: Readonly<Record<string, string>>): BuildProcess {
  let child: Deno.ChildProcess | undefined;
  let killed = false;

  function end(): void {
    if (!child) return;
    try {
      // The process group: esbuild ends with it.
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
    child = undefined;
  }

  return {
    async *run(script, writes) {
      if (killed) throw new Error("the server stops");
      const [program = deno, ...args] = await confined(
        [
          deno,
          "run",
          "--quiet",
          "--no-prompt",
          `--config=${fileURLToPath(new URL("../../deno.json", import.meta.url))}`,
          "--allow-read",
          ...writes ? [`--allow-write=${fileURLToPath(writes)}`] : [],
          "--allow-env",
          "--allow-run",
          "--allow-sys",
          `--v8-flags=--max-old-space-size=${HEAP_MB},--max-semi-space-size=${YOUNG_MB}`,
          fileURLToPath(script),
        ],
        { data_mb: DATA_MB, cpu_s: CPU_S, nice: NICE },
      );
      child = new Deno.Command(program, {
        args,
        env: { ...env, ...ESBUILD },
        clearEnv: true,
        stdout: "piped",
        stderr: "piped",
        detached: true,
      }).spawn();
      try {
        const words = new Response(child.stderr).text();
        // If reading the lines fails, nobody awaits this promise, and its rejection would end the process.
        words.catch(() => {});
        yield* readLines(child.stdout);
        const { success } = await child.status;
        if (!success) throw new Error((await words).trim().slice(-LAST_WORDS) || "the process was ended");
        child = undefined;
      } finally {
        end();
      }
    },
    kill() {
      killed = true;
      end();
    },
  };
}
