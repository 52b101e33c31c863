/** Limits of a process's use of the processor and of memory while it works. */
import { readProc } from "../../subprocess/proc.ts";
import type { Subprocess } from "../../subprocess/subprocess.ts";

interface Usage {
  /** Processor time since the process began. */
  cpu_ms: number;
  resident_mb: number;
}

/** Resident memory beyond V8's heap that a process may hold: Deno's own 60 MB, and buffers. */
const MOST_RESIDENT_MB = 256;

const POLL_MS = 100;

/** On a busy machine, a program gets its processor time within this multiple of it. */
const PATIENCE = 30;

/** `/proc/<pid>/stat` counts in hundredths of a second and in pages of 4 KiB. Only Linux has it. */
async function usageOf(pid: number): Promise<Usage | undefined> {
  const stat = await readProc(pid, "stat");
  if (stat === "") return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system, pages] = [Number(fields[11]), Number(fields[12]), Number(fields[21])];
  return { cpu_ms: (user + system) * 10, resident_mb: pages / 256 };
}

/**
 * The next line of a process, which may use so much processor time for it. Where that cannot be measured, elapsed time
 * counts instead.
 *
 * @throws {Lost}
 */
export async function nextWithin(process: Subprocess, most_cpu_ms: number): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answered = false;
  const began = performance.now();
  let first: Usage | undefined;
  const poll = async () => {
    const usage = await usageOf(process.pid);
    if (answered) return;
    first ??= usage;
    if (usage && usage.resident_mb > MOST_RESIDENT_MB) return process.kill("memory");
    // Where it was measured before, the machine may have no room for another process at this moment.
    if (usage || !first) {
      const used_ms = usage && first ? usage.cpu_ms - first.cpu_ms + POLL_MS : performance.now() - began;
      if (used_ms > most_cpu_ms) return process.kill("timeout");
    }
    timer = setTimeout(poll, POLL_MS);
  };
  timer = setTimeout(poll, POLL_MS);
  try {
    return await process.next(most_cpu_ms * PATIENCE);
  } finally {
    answered = true;
    clearTimeout(timer);
  }
}
