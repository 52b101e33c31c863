/**
 * Writes to Deno KV, many at once: each commit costs a sync to the disk, so what comes while one is on its way is
 * committed together with the next. One caller alone waits for nobody.
 */
import { unavailable } from "../../errors.ts";

export interface Write {
  /** Keys that must still stand as they were read: a versionstamp, or null for absent. */
  checks?: readonly { key: Deno.KvKey; versionstamp: string | null }[];
  sets?: readonly { key: Deno.KvKey; value: unknown; expires_ms?: number }[];
  deletes?: readonly Deno.KvKey[];
  /** About how many bytes the values have. */
  bytes?: number;
  /** Nobody waits for it: it goes along with the next write, or alone after a moment. */
  patient?: boolean;
}

export interface Commits {
  /**
   * @returns the versionstamp of what was set; undefined where a check did not hold, and nothing was written
   * @throws {Refusal} 503 where the store cannot be written
   */
  commit(write: Write): Promise<string | undefined>;
}

/** Of one commit, within what Deno KV takes: 100 checks, 1,000 mutations, 800 KiB. */
const MOST = { checks: 90, mutations: 900, bytes: 600_000 };
/** Several processes on one file find it locked for a moment. */
const LOCKED_PAUSES_MS = [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000];

/** How long a patient write waits for company. */
const PATIENT_MS = 25;

interface Waiting {
  write: Write;
  resolve(versionstamp: string | undefined): void;
  reject(error: unknown): void;
}

export function createCommits(kv: Deno.Kv): Commits {
  const waiting: Waiting[] = [];
  /** Of those that wait. */
  let urgent = 0;
  let working = false;
  let late: ReturnType<typeof setTimeout> | undefined;

  const work = async () => {
    if (working) return;
    working = true;
    do {
      const batch = takeBatch(waiting);
      urgent -= batch.filter(({ write }) => !write.patient).length;
      await commitAll(kv, batch);
    } while (urgent > 0);
    working = false;
    if (waiting.length > 0) wakeLater();
  };

  const wakeLater = () => {
    late ??= setTimeout(() => {
      late = undefined;
      if (waiting.length > 0) void work();
    }, PATIENT_MS);
  };

  return {
    commit: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject });
        if (write.patient) return wakeLater();
        urgent++;
        // After this turn, so that what else is written in it goes along.
        if (!working) queueMicrotask(() => void (urgent > 0 && work()));
      }),
  };
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  const sum = { checks: 0, mutations: 0, bytes: 0 };
  const checked = new Set<string>();
  let count = 0;
  for (const { write: { checks = [], sets = [], deletes = [], bytes = 0 } } of waiting) {
    sum.checks += checks.length;
    sum.mutations += sets.length + deletes.length;
    sum.bytes += bytes;
    const fits = sum.checks <= MOST.checks && sum.mutations <= MOST.mutations && sum.bytes <= MOST.bytes;
    const keys = checks.map(({ key }) => JSON.stringify(key));
    // Of two that prove the same key only the first may hold: in one commit both would.
    if (count > 0 && (!fits || keys.some((key) => checked.has(key)))) break;
    for (const key of keys) checked.add(key);
    count++;
  }
  return waiting.splice(0, count);
}

async function commitAll(kv: Deno.Kv, batch: Waiting[]): Promise<void> {
  try {
    const versionstamp = await commitOnce(kv, batch.map(({ write }) => write));
    if (versionstamp !== undefined) return batch.forEach(({ resolve }) => resolve(versionstamp));
    if (batch.length === 1) return batch.forEach(({ resolve }) => resolve(undefined));
  } catch (error) {
    // Where another process has the file, it has it for each of them.
    if (batch.length === 1 || error instanceof Busy) return batch.forEach(({ reject }) => reject(refusalOf(error)));
  }
  // One of them cannot be: each for itself.
  for (const one of batch) await commitAll(kv, [one]);
}

async function commitOnce(
  kv: Deno.Kv,
  writes: readonly Write[],
  [pause_ms, ...later]: readonly number[] = LOCKED_PAUSES_MS,
): Promise<string | undefined> {
  const atomic = kv.atomic();
  for (const { checks = [], sets = [], deletes = [] } of writes) {
    atomic.check(...checks);
    for (const { key, value, expires_ms } of sets) {
      atomic.set(key, value, expires_ms === undefined ? undefined : { expireIn: expires_ms });
    }
    for (const key of deletes) atomic.delete(key);
  }
  try {
    const result = await atomic.commit();
    return result.ok ? result.versionstamp : undefined;
  } catch (error) {
    if (!isLocked(error)) throw error;
    if (pause_ms === undefined) throw new Busy("other processes do not let go of the file", { cause: error });
  }
  await new Promise((resolve) => setTimeout(resolve, pause_ms * (0.5 + Math.random())));
  return await commitOnce(kv, writes, later);
}

class Busy extends Error {}

const refusalOf = (error: unknown) =>
  unavailable(`The store of running flows ${error instanceof Busy ? "is busy" : "cannot be written"}`, error, 5);

/** Deno's message for SQLite's; it has no code. */
const isLocked = (error: unknown): boolean => error instanceof Error && /database is locked/.test(error.message);
