/** The command that starts a confined process: Deno without any permission, under limits of the kernel. */
import { fileURLToPath } from "node:url";
import { confined } from "../../subprocess/confined.ts";
import type { Setup } from "./protocol.ts";

/** V8's heap. */
export const HEAP_MB = 64;

/** Writable memory that V8 reserves for machine code and Deno for itself. Little of it is ever used. */
const RESERVED_MB = 768;

/** A process is replaced long before. The limit ends a loop whose server has died. */
const CPU_S = 3_600;

/** The server has priority over hostile programs. */
const NICE = 5;

/** @param environment where Deno keeps its files */
export async function workerCommand(environment: Readonly<Record<string, string>>): Promise<Deno.Command> {
  const [program = "", ...args] = await confined(
    [
      Deno.execPath(),
      "run",
      "--quiet",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--no-npm",
      `--v8-flags=--max-old-space-size=${HEAP_MB},--max-semi-space-size=4,--disallow-code-generation-from-strings`,
      fileURLToPath(new URL("worker/worker.ts", import.meta.url)),
    ],
    { data_mb: HEAP_MB + RESERVED_MB, cpu_s: CPU_S, nice: NICE },
  );
  return new Deno.Command(program, {
    args,
    // The time zone would be visible to programs, and differ between servers.
    env: { ...environment, TZ: "UTC", LANG: "en_US.UTF-8", NO_COLOR: "1" },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  });
}

/** What a process cannot read itself. */
export async function readSetup(): Promise<Setup> {
  const main = import.meta.resolve("jsonata");
  return { jsonata: await Deno.readTextFile(new URL(main.replace(/jsonata\.js$/, "jsonata.min.js"))) };
}
