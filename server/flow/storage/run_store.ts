/** Runs in flight: their heads and journals in Deno KV. */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { RunHead, StepRecord } from "../run/model.ts";
import type { Commits, Write } from "./group_commit.ts";
import { decode, encode, idempotencyKey, KEY_KEPT_MS, runKey, runPrefix, stepKey, stepPrefix } from "./kv_keys.ts";
import { placeEntry, placeInput, readEntry, readInput } from "./large_values.ts";

/** Keys in one read or write. Deno KV takes 1,000. */
const KEYS_AT_ONCE = 500;
/** Bytes in one commit. Deno KV takes 800 KiB. */
const BYTES_AT_ONCE = 500_000;

/** A head as it was read or written last. */
export interface Kept {
  head: RunHead;
  versionstamp: string;
}

/** The value of an idempotency key. */
interface Started {
  id: string;
  /** SHA-256 of the input, in base64url. */
  input: string;
}

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(kv: Deno.Kv, { commit }: Commits, sql: Sql) {
  /**
   * The head is deleted last: as long as it exists, a takeover finds the run and deletes the rest.
   *
   * @returns false if the head has changed since it was read
   */
  const removeKeys = async (head: RunHead, versionstamp: string | null, steps: readonly Deno.KvKey[]) => {
    const keys = [...steps, runKey(head)];
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      const checks = [{ key: runKey(head), versionstamp }];
      const deletes = keys.slice(at, at + KEYS_AT_ONCE);
      if (await commit({ checks, deletes, patient: true }) === undefined) return false;
    }
    return true;
  };

  /** Starts a run without an idempotency key. */
  const insert = async (head: RunHead): Promise<Kept> => {
    const versionstamp = await commit(headWrite(head));
    if (versionstamp === undefined) throw new Error("a commit without checks was refused");
    return { head, versionstamp };
  };

  return {
    /**
     * @param mark stands for the secrets of the input
     * @returns the new run, or the earlier run with the same key and whether its input was the same
     */
    async create(
      made: RunHead,
      key: string | undefined,
      mark = "",
    ): Promise<Kept | { id: string; same: boolean }> {
      const { text, in_head } = await placeInput(sql, made);
      // The head as every later checkpoint writes it: a large input would not fit in Deno KV.
      const head: RunHead = { ...made, input: in_head };
      if (key === undefined) return await insert(head);
      const kv_key = idempotencyKey(head.account_id, key);
      const started: Started = {
        id: head.id,
        input: createHash("sha256").update(text).update(mark).digest("base64url"),
      };
      const versionstamp = await commit(headWrite(head, {
        checks: [{ key: kv_key, versionstamp: null }],
        sets: [{ key: kv_key, value: started, expires_ms: KEY_KEPT_MS }],
        bytes: 2 * key.length + 100,
      }));
      if (versionstamp !== undefined) return { head, versionstamp };
      const { value } = await kv.get<Started>(kv_key);
      // The key has expired between the commit and the read.
      return value === null
        ? await this.create(made, key, mark)
        : { id: value.id, same: value.input === started.input };
    },

    /**
     * Writes the head and, after it, entries of the journal.
     *
     * @param first the index of the first entry in the journal
     * @param kept with the versionstamp null if the run must not be in Deno KV
     * @returns undefined if another process has claimed the run
     */
    async checkpoint(
      { head, versionstamp }: { head: RunHead; versionstamp: string | null },
      entries: readonly StepRecord[] = [],
      first = 0,
    ): Promise<string | undefined> {
      const values = await Promise.all(entries.map((entry, i) => placeEntry(sql, head.id, first + i, entry)));
      let last: string | null | undefined = versionstamp;
      for (let at = 0; at === 0 || at < values.length;) {
        const batch = batchOf(values, at);
        last = await commit(headWrite(head, {
          checks: [{ key: runKey(head), versionstamp: last }],
          sets: batch.map((value, i) => ({ key: stepKey(head.id, first + at + i), value })),
          bytes: sizeOf(batch),
        }));
        if (last === undefined) return undefined;
        at += Math.max(batch.length, 1);
      }
      return last ?? undefined;
    },

    async find(account_id: number, id: string): Promise<Kept | undefined> {
      const { value, versionstamp } = await kv.get<Uint8Array>(runKey({ account_id, id }));
      return value === null || versionstamp === null ? undefined : { head: decode(value), versionstamp };
    },

    /** Whether a run was started with the idempotency key. */
    isUsed: async (account_id: number, key: string | undefined): Promise<boolean> =>
      key !== undefined && (await kv.get(idempotencyKey(account_id, key))).versionstamp !== null,

    /** @returns undefined if it was too large for the head and its row was swept away */
    inputOf: (head: RunHead, at: Sql = sql): Promise<JsonObject | undefined> => readInput(at, head),

    /** Ends at the first entry whose row in PostgreSQL was swept away, or lost in a crash of the database. */
    async journalOf(id: string): Promise<StepRecord[]> {
      const entries: StepRecord[] = [];
      for await (const { value } of kv.list<Uint8Array>({ prefix: stepPrefix(id) }, { batchSize: 100 })) {
        const entry = await readEntry(sql, id, value);
        if (!entry) break;
        entries.push(entry);
      }
      return entries;
    },

    /** Every run in flight, of all accounts. */
    async *list(): AsyncGenerator<Kept> {
      const selector = { prefix: runPrefix() };
      for await (const { value, versionstamp } of kv.list<Uint8Array>(selector, { batchSize: KEYS_AT_ONCE })) {
        yield { head: decode(value), versionstamp };
      }
    },

    /** The newest runs of an account. */
    async newest(account_id: number, most: number): Promise<RunHead[]> {
      const heads: RunHead[] = [];
      const options = { reverse: true, limit: most, batchSize: KEYS_AT_ONCE };
      for await (const { value } of kv.list<Uint8Array>({ prefix: runPrefix(account_id) }, options)) {
        heads.push(decode(value));
      }
      return heads;
    },

    /** Deletes a run whose outcome is recorded. @param steps how many entries of its journal are in Deno KV */
    async remove({ head, versionstamp }: Kept, steps: number): Promise<void> {
      const keys = Array.from({ length: steps }, (_, number) => stepKey(head.id, number));
      if (!await removeKeys(head, versionstamp, keys)) await this.clear(head);
    },

    /** Deletes a run that waits now, unless another process has changed its head meanwhile. */
    async release({ head, versionstamp }: Kept): Promise<void> {
      const keys: Deno.KvKey[] = [];
      for await (const { key } of kv.list({ prefix: stepPrefix(head.id) })) keys.push(key);
      await removeKeys(head, versionstamp, keys);
    },

    /** The same for a run that had other owners, which may have kept more entries. */
    async clear(head: RunHead): Promise<void> {
      const { versionstamp } = await kv.get(runKey(head));
      const keys: Deno.KvKey[] = [];
      for await (const { key } of kv.list({ prefix: stepPrefix(head.id) })) keys.push(key);
      if (!await removeKeys(head, versionstamp, keys)) await this.clear(head);
    },
  };
}

function headWrite(head: RunHead, more: Write = {}): Write {
  const value = encode(JSON.stringify(head));
  return {
    checks: more.checks ?? [],
    sets: [{ key: runKey(head), value }, ...more.sets ?? []],
    bytes: value.length + (more.bytes ?? 0) + 200,
  };
}

const sizeOf = (values: readonly Uint8Array[]) => values.reduce((sum, { length }) => sum + length + 100, 0);

/** As many values from `at` on as fit in one commit. */
function batchOf(values: readonly Uint8Array[], at: number): Uint8Array[] {
  const batch = values.slice(at, at + KEYS_AT_ONCE);
  while (batch.length > 1 && sizeOf(batch) > BYTES_AT_ONCE) batch.length = Math.ceil(batch.length / 2);
  return batch;
}
