/** Reads CPU time and memory of processes from /proc (Linux only). */

/** USER_HZ, the unit of CPU times in /proc. Linux has 100 on all common machines. */
const TICKS_PER_SECOND = 100;

interface Process {
  pid: number;
  parent: number;
  /** Includes children that have ended and that it has waited for. */
  cpu_seconds: number;
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    // The process may have ended since it was listed.
    return undefined;
  }
}

function readProcess(pid: number): Process | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name in brackets may contain spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  if (!fields) return undefined;
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { pid, parent: fields[1] ?? 0, cpu_seconds: (user + system + childUser + childSystem) / TICKS_PER_SECOND };
}

/** A process and its descendants; the process comes first. */
export function processTree(root: number): Process[] {
  const all = [...Deno.readDirSync("/proc")]
    .flatMap(({ name }) => /^\d+$/.test(name) ? readProcess(Number(name)) ?? [] : []);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/**
 * Memory of a process in MB. `pss` divides shared pages, such as those of Deno's program, among the processes that share
 * them; `rss` does not.
 */
export function memoryOfProcess(pid: number): { rss: number; pss: number } {
  const rollup = readIfThere(`/proc/${pid}/smaps_rollup`) ?? "";
  const megabytes = (field: RegExp) => Number(field.exec(rollup)?.[1] ?? 0) / 1024;
  return { rss: megabytes(/^Rss:\s+(\d+) kB/m), pss: megabytes(/^Pss:\s+(\d+) kB/m) };
}

/** CPU seconds of a process's main thread, which runs a server's JavaScript. The resolution is nanoseconds. */
export function mainThreadSeconds(pid: number): number {
  return Number(readIfThere(`/proc/${pid}/task/${pid}/schedstat`)?.split(" ")[0] ?? NaN) / 1e9;
}

/** CPU seconds since boot in which the machine was not idle. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (readIfThere("/proc/stat") ?? "")
    .split("\n", 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

export function cpuSeconds(root: number): number {
  return processTree(root).reduce((sum, { cpu_seconds }) => sum + cpu_seconds, 0);
}
