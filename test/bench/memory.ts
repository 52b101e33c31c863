import { memoryOfProcess, processTree } from "./processes.ts";

/** MB of proportional set size, but for `server_rss`. */
export interface Memory {
  /** The serving process. */
  server: number;
  /** What the serving process would hold if no other Deno ran. */
  server_rss: number;
  /** Each of its children: compile workers. */
  workers: number[];
  total: number;
}

export function memoryOf(pid: number): Memory {
  const [first, ...others] = processTree(pid).map((process) => memoryOfProcess(process.pid));
  const server = first?.pss ?? 0;
  const workers = others.map(({ pss }) => pss);
  return { server, server_rss: first?.rss ?? 0, workers, total: workers.reduce((sum, one) => sum + one, server) };
}

/** Looks at a process tree twice a second while `work` goes on: more often would itself be load. */
export async function withPeak<T>(pid: number, work: () => Promise<T>): Promise<[T, number]> {
  let peak = memoryOf(pid).total;
  const timer = setInterval(() => peak = Math.max(peak, memoryOf(pid).total), 500);
  try {
    return [await work(), peak];
  } finally {
    clearInterval(timer);
  }
}
