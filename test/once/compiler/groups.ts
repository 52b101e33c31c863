/** The process group of a compile worker: itself and esbuild. Reads `/proc`, so it works on Linux only. */

import { until } from "../../stage/until.ts";

export interface Member {
  pid: number;
  name: string;
  rss_mb: number;
}

/** Living processes of a worker's group, the worker included. */
export function groupOf(worker: number | undefined): Member[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name: pid }) => {
    try {
      const stat = Deno.readTextFileSync(`/proc/${Number(pid)}/stat`);
      const [state, , group] = stat.split(") ").at(-1)?.split(" ") ?? [];
      if (Number(group) !== worker || state === "Z") return [];
      const status = Deno.readTextFileSync(`/proc/${pid}/status`);
      const [, name = ""] = /^Name:\s+(\S+)/m.exec(status) ?? [];
      const [, rss_kb] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
      return [{ pid: Number(pid), name, rss_mb: Number(rss_kb ?? 0) / 1024 }];
    } catch {
      return [];
    }
  });
}

export const esbuildOf = (worker: number | undefined): Member | undefined =>
  groupOf(worker).find(({ name }) => name === "esbuild");

/** Waits for a killed worker to end. @returns whether it ended within `limit_ms` */
export async function isGone(worker: number | undefined, limit_ms = 30_000): Promise<boolean> {
  const end = performance.now() + limit_ms;
  while (groupOf(worker).length > 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return groupOf(worker).length === 0;
}

/** Waits until a worker works on a source that keeps it busy: it has used 0.1 s of processor time since the call. */
export async function untilBusy(worker: number): Promise<void> {
  const ticks = () => {
    const [user, system] = Deno.readTextFileSync(`/proc/${worker}/stat`).split(") ").at(-1)?.split(" ").slice(11) ?? [];
    return Number(user) + Number(system);
  };
  const before = ticks();
  await until(() => ticks() >= before + 10, `worker ${worker} is busy`);
}

/** @returns the peak resident memory of one process of the current worker's group during `work`, in MB */
export async function peakDuring(worker: () => number | undefined, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const look = () => peak = Math.max(peak, ...groupOf(worker()).map(({ rss_mb }) => rss_mb));
  const timer = setInterval(look, 20);
  try {
    await work();
    return peak;
  } finally {
    clearInterval(timer);
  }
}

export function signal(pid: number | undefined, name: Deno.Signal) {
  if (!pid) throw new Error("no such process");
  Deno.kill(pid, name);
}
