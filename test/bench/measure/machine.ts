import { availableParallelism, cpus, totalmem } from "node:os";
import { busySeconds, cpuSeconds } from "./processes.ts";

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  deno: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 2 ** 30),
    deno: Deno.version.deno,
  };
}

/** @returns a function that measures which share of the machine (0 to 1) other processes have used since this call */
export function watchForeignLoad(): () => number {
  const [began, busy, own] = [performance.now(), busySeconds(), cpuSeconds(Deno.pid)];
  return () => {
    const capacity = (performance.now() - began) / 1000 * availableParallelism();
    const foreign = (busySeconds() - busy) - (cpuSeconds(Deno.pid) - own);
    return Math.max(0, foreign / capacity);
  };
}
