import { memoryOfProcess, processTree } from "./processes.ts";

/** In MB: proportional set size, except `server_rss`. */
export interface Memory {
  /** The server process. */
  server: number;
  /** Resident set size of the server process: its memory if no other Deno ran. */
  server_rss: number;
  /** Its child processes: compile workers. */
  workers: number[];
  total: number;
}

export function memoryOf(pid: number): Memory {
  const [first, ...others] = processTree(pid).map((process) => memoryOfProcess(process.pid));
  const server = first?.pss ?? 0;
  const workers = others.map(({ pss }) => pss);
  return { server, server_rss: first?.rss ?? 0, workers, total: workers.reduce((sum, one) => sum + one, server) };
}

/** Samples a process tree twice a second during `work`: more samples would themselves be load. */
export async function withPeak<T>(pid: number, work: () => Promise<T>): Promise<[T, number]> {
  let peak = memoryOf(pid).total;
  const timer = setInterval(() => peak = Math.max(peak, memoryOf(pid).total), 500);
  try {
    return [await work(), peak];
  } finally {
    clearInterval(timer);
  }
}
