/**
 * A folder in memory for the temporary files of a run. Most of them live for seconds: a data folder has 1500 files, and a
 * disk's file system may take ten times the CPU time to make and remove them.
 */
import { statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const PREFIX = "atrium_tests_";
/** A run uses a third of it. */
const ENOUGH_BYTES = 6 * 1024 ** 3;

/** Where tests keep what later runs use, too. */
export const keptFolder = (): string => Deno.env.get("TEST_KEPT") ?? Deno.env.get("TMPDIR") ?? "/tmp";

/**
 * Directs the temporary files of this process and of those that it starts into memory, if the machine has enough of it.
 *
 * @returns removes the folder
 */
export function useMemory(): () => void {
  if (Deno.build.os !== "linux" || !hasEnough()) return () => {};
  removeLeftovers();
  const folder = `${MEMORY}/${PREFIX}${Deno.pid}`;
  // Others may enter, because PostgreSQL runs as another user.
  Deno.mkdirSync(folder, { mode: 0o711 });
  Deno.env.set("TEST_KEPT", keptFolder());
  Deno.env.set("TMPDIR", folder);
  return () => remove(folder);
}

function hasEnough(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const [, kilobytes] = /^MemAvailable: +(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/meminfo")) ?? [];
    return Math.min(bavail * bsize, Number(kilobytes) * 1024) >= ENOUGH_BYTES;
  } catch {
    // The machine has no such folder, or does not say how much memory it has.
    return false;
  }
}

/** Of runs that were killed. */
function removeLeftovers(): void {
  for (const { name } of Deno.readDirSync(MEMORY)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)$`).exec(name) ?? [];
    if (pid && !isThere(`/proc/${pid}`)) remove(`${MEMORY}/${name}`);
  }
}

function remove(folder: string): void {
  try {
    Deno.removeSync(folder, { recursive: true });
  } catch {
    // A process that a test has left still writes there. The next run removes it.
  }
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
