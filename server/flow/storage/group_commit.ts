/**
 * Group commit for Deno KV. Each commit syncs to disk, so writes that arrive while a commit is in flight go into the
 * next one. A write that arrives while none is in flight is committed at once.
 */
import { unavailable } from "../../errors.ts";

export interface Write {
  /** Keys that must not have changed since they were read: a versionstamp, or null for absent. */
  checks?: readonly { key: Deno.KvKey; versionstamp: string | null }[];
  sets?: readonly { key: Deno.KvKey; value: unknown; expires_ms?: number }[];
  deletes?: readonly Deno.KvKey[];
  /** Approximate size of the values. */
  bytes?: number;
  /** The write may be delayed, to share a commit with a later write. */
  patient?: boolean;
}

export interface Commits {
  /**
   * @returns the versionstamp of the keys that were set; undefined if a check failed and nothing was written
   * @throws {Refusal} 503 if the store cannot be written
   */
  commit(write: Write): Promise<string | undefined>;
}

/** Limits of one commit. Those of Deno KV are 1,000 mutations, 800 KiB, and of these 90 KiB of keys, with an overhead. */
const MOST = { mutations: 900, bytes: 600_000, key_bytes: 60_000 };
/** Bytes of each part of a key beside its text. */
const PART_BYTES = 4;
/** Waits between attempts while another process on the same file holds SQLite's lock. */
const LOCKED_PAUSES_MS = [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000];

/** The longest delay of a patient write. */
const PATIENT_MS = 25;

interface Waiting {
  write: Write;
  resolve(versionstamp: string | undefined): void;
  reject(error: unknown): void;
}

/** @param most_checks in one commit: 100 in a file, 10 in some stores that are reached over the network */
export function createCommits(kv: Pick<Deno.Kv, "atomic">, most_checks: number): Commits {
  const waiting: Waiting[] = [];
  /** How many of the waiting writes are not patient. */
  let urgent = 0;
  let working = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const work = async () => {
    if (working) return;
    working = true;
    do {
      const batch = takeBatch(waiting, most_checks);
      urgent -= batch.filter(({ write }) => !write.patient).length;
      await commitAll(kv, batch);
    } while (urgent > 0);
    working = false;
    if (waiting.length > 0) workLater();
  };

  const workLater = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (waiting.length > 0) void work();
    }, PATIENT_MS);
  };

  return {
    commit: (write) =>
      new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject });
        if (write.patient) return workLater();
        urgent++;
        // A microtask later, so that other writes of the same turn share the commit.
        if (!working) queueMicrotask(() => void (urgent > 0 && work()));
      }),
  };
}

function takeBatch(waiting: Waiting[], most_checks: number): Waiting[] {
  const sum = { checks: 0, mutations: 0, bytes: 0, key_bytes: 0 };
  const checked = new Set<string>();
  let count = 0;
  for (const { write: { checks = [], sets = [], deletes = [], bytes = 0 } } of waiting) {
    sum.checks += checks.length;
    sum.mutations += sets.length + deletes.length;
    sum.bytes += bytes;
    for (const key of [...checks, ...sets].map(({ key }) => key).concat(deletes)) sum.key_bytes += sizeOfKey(key);
    const fits = sum.checks <= most_checks && sum.mutations <= MOST.mutations && sum.bytes <= MOST.bytes &&
      sum.key_bytes <= MOST.key_bytes;
    const keys = checks.map(({ key }) => JSON.stringify(key));
    // Of two writes that check the same key only the first may succeed. In one commit both checks would pass.
    if (count > 0 && (!fits || keys.some((key) => checked.has(key)))) break;
    for (const key of keys) checked.add(key);
    count++;
  }
  return waiting.splice(0, count);
}

/** An estimate. Its parts are names, numbers and texts of at most two bytes for each character. */
const sizeOfKey = (key: Deno.KvKey): number =>
  key.reduce<number>((sum, part) => sum + PART_BYTES + (typeof part === "string" ? 2 * part.length : 10), 0);

async function commitAll(kv: Pick<Deno.Kv, "atomic">, batch: Waiting[]): Promise<void> {
  try {
    const versionstamp = await commitOnce(kv, batch.map(({ write }) => write));
    if (versionstamp !== undefined) return batch.forEach(({ resolve }) => resolve(versionstamp));
    if (batch.length === 1) return batch.forEach(({ resolve }) => resolve(undefined));
  } catch (error) {
    // A locked file is locked for each of the writes, so trying them one by one is useless.
    if (batch.length === 1 || error instanceof Busy) return batch.forEach(({ reject }) => reject(refusalOf(error)));
  }
  // One of the writes fails the whole commit, so each is committed alone.
  for (const one of batch) await commitAll(kv, [one]);
}

async function commitOnce(
  kv: Pick<Deno.Kv, "atomic">,
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

/** Deno passes on SQLite's message without an error code. */
const isLocked = (error: unknown): boolean => error instanceof Error && /database is locked/.test(error.message);
