/** A limit of time that another load of the machine does not shorten. */
import { readProc } from "./proc.ts";
import { Lost, type Subprocess } from "./subprocess.ts";

/** A process that has not had its time within this multiple of it is given up. It is not to blame. */
const PATIENCE = 6;

/** When the waiting is measured first. Most answers come before. */
const FIRST_LOOK_MS = 1_000;

const LEAST_PAUSE_MS = 10;

/**
 * Milliseconds that the main thread of a process has waited for a processor. Only Linux counts them.
 *
 * @returns undefined where that cannot be read
 */
async function waitedMs(pid: number): Promise<number | undefined> {
  const [, waited_ns] = (await readProc(pid, "schedstat")).split(" ");
  return waited_ns === undefined ? undefined : Number(waited_ns) / 1e6;
}

/**
 * The next line of a process, which may take so much time for it. Time in which it waits for a processor does not count.
 *
 * @throws {Lost} with the reason `timeout` only where it has had its time
 */
export async function nextInOwnTime(
  process: Subprocess,
  limit_ms: number,
  waitedOf: (pid: number) => Promise<number | undefined> = waitedMs,
): Promise<string> {
  const began = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waited_before: number | undefined;
  let is_answered = false;
  let has_had_its_time = false;

  const lookIn = (ms: number, look: (waited_ms: number | undefined) => void) => {
    timer = setTimeout(async () => {
      const waited_ms = await waitedOf(process.pid);
      if (!is_answered) look(waited_ms);
    }, ms);
  };
  const lookAgain = (waited_ms: number | undefined): void => {
    // It was read before: the machine may have no room for another process at this moment.
    if (waited_ms === undefined && waited_before !== undefined) return lookIn(FIRST_LOOK_MS, lookAgain);
    const left_ms = limit_ms - (performance.now() - began - ((waited_ms ?? 0) - (waited_before ?? 0)));
    if (left_ms > 0) return lookIn(Math.max(left_ms, LEAST_PAUSE_MS), lookAgain);
    has_had_its_time = true;
    process.kill("timeout");
  };
  lookIn(Math.min(FIRST_LOOK_MS, limit_ms / 2), (waited_ms) => {
    waited_before = waited_ms;
    lookAgain(waited_ms);
  });
  try {
    return await process.next(limit_ms * PATIENCE);
  } catch (error) {
    if (error instanceof Lost && error.reason === "timeout" && !has_had_its_time) {
      throw new Lost("ended", error.last_words);
    }
    throw error;
  } finally {
    is_answered = true;
    clearTimeout(timer);
  }
}
