/**
 * Runs in flight, in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `flow_runs`, account, run | the run's head |
 * | `flow_steps`, run, number | an entry of its journal, or the place of one in `flow_values` |
 * | `flow_cancels`, run | true |
 * | `flow_keys`, account, key | the run that a caller's idempotency key began |
 * | `flow_owners`, process | until when the process is believed to live |
 *
 * A process proves once in a while that it lives, not each of its runs: that costs one write, however many it has.
 */
import type { Sql } from "../database.ts";
import { createCommits, type Write } from "./commits.ts";
import { type RunHead, type StepRecord, storable } from "./run.ts";

/** A journal's entry, or an input, over this goes to PostgreSQL: Deno KV takes 64 KiB a value. */
const MOST_IN_KV = 32 * 1024;
/** Heads are listed, so they stay small. */
const MOST_IN_HEAD = 4 * 1024;
/** How long a caller's key is remembered. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
/** How many a listing reads at once; what Deno KV takes. */
const AT_ONCE = 500;

const keyOf = ({ account_id, id }: Pick<RunHead, "account_id" | "id">): Deno.KvKey => ["flow_runs", account_id, id];
const stepKey = (id: string, number: number): Deno.KvKey => ["flow_steps", id, number];
const cancelKey = (id: string): Deno.KvKey => ["flow_cancels", id];
const ownerKey = (owner: string): Deno.KvKey => ["flow_owners", owner];

export interface Kept {
  head: RunHead;
  versionstamp: string;
}

interface Owner {
  name: string;
  /** Milliseconds since 1970. */
  until: number;
  versionstamp: string;
}

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(kv: Deno.Kv, sql: Sql) {
  const { commit } = createCommits(kv);
  const decode = (value: unknown) => JSON.parse(new TextDecoder().decode(value as Uint8Array));

  /** A value for KV, or the word that it stands in PostgreSQL. */
  const placed = async (id: string, place: string, value: unknown): Promise<Uint8Array> => {
    const text = storable(value);
    if (text.length * 3 > MOST_IN_KV && new TextEncoder().encode(text).length > MOST_IN_KV) {
      await sql`
        insert into flow_values (run_id, place, value)
        values (${id}, ${place}, ${text}::text::json)
        on conflict (run_id, place) do update set value = excluded.value
      `;
      return new TextEncoder().encode(JSON.stringify({ stored: place }));
    }
    return new TextEncoder().encode(text);
  };

  const read = async (id: string, value: unknown) => {
    const decoded = decode(value);
    return decoded?.stored === undefined ? decoded : await findValue(sql, id, decoded.stored);
  };

  const writeOf = (head: RunHead, more: Write = {}): Write => {
    const value = new TextEncoder().encode(JSON.stringify(head));
    return {
      checks: more.checks ?? [],
      sets: [{ key: keyOf(head), value }, ...more.sets ?? []],
      deletes: more.deletes ?? [],
      bytes: value.length + (more.bytes ?? 0) + 200,
    };
  };

  return {
    /** @returns the versionstamp, or the run that the key began before */
    async create(head: RunHead, key: string | undefined): Promise<{ versionstamp: string } | { id: string }> {
      const text = storable(head.input);
      const large = text.length > MOST_IN_HEAD;
      if (large) {
        await sql`
          insert into flow_values (run_id, place, value)
          values (${head.id}, 'input', ${text}::text::json)
          on conflict (run_id, place) do nothing
        `;
      }
      const kept = { ...head, input: large ? null : JSON.parse(text) };
      if (key === undefined) {
        const versionstamp = await commit(writeOf(kept));
        if (versionstamp === undefined) throw new Error("a write without checks was refused");
        return { versionstamp };
      }
      const idem: Deno.KvKey = ["flow_keys", head.account_id, key];
      const versionstamp = await commit(writeOf(kept, {
        checks: [{ key: idem, versionstamp: null }],
        sets: [{ key: idem, value: head.id, expires_ms: KEY_KEPT_MS }],
        bytes: 2 * key.length,
      }));
      if (versionstamp !== undefined) return { versionstamp };
      const { value } = await kv.get<string>(idem);
      // It has just come to its end of 24 hours.
      return value === null ? await this.create(head, key) : { id: value };
    },

    /**
     * Writes the head anew, and the journal's entries from `first` on.
     *
     * @returns undefined where another process has the run now
     */
    async checkpoint(
      { head, versionstamp }: Kept,
      entries: readonly StepRecord[] = [],
      first = 0,
    ): Promise<string | undefined> {
      const values = await Promise.all(entries.map((entry, i) => placed(head.id, `step ${first + i}`, entry)));
      return await commit(writeOf(head, {
        checks: [{ key: keyOf(head), versionstamp }],
        sets: values.map((value, i) => ({ key: stepKey(head.id, first + i), value })),
        bytes: values.reduce((sum, { length }) => sum + length + 100, 0),
      }));
    },

    async find(account_id: number, id: string): Promise<Kept | undefined> {
      const { value, versionstamp } = await kv.get(keyOf({ account_id, id }));
      return value === null || versionstamp === null ? undefined : { head: decode(value), versionstamp };
    },

    /** The input of a run whose head has none. */
    inputOf: async ({ id, input }: RunHead) => input ?? await findValue(sql, id, "input") ?? {},

    async journalOf(id: string): Promise<StepRecord[]> {
      const entries: StepRecord[] = [];
      for await (const { value } of kv.list({ prefix: ["flow_steps", id] }, { batchSize: 100 })) {
        entries.push(await read(id, value));
      }
      return entries;
    },

    /** @param account_id all accounts' where undefined; in the order of accounts and time */
    async *list(account_id?: number): AsyncGenerator<Kept> {
      const prefix = account_id === undefined ? ["flow_runs"] : ["flow_runs", account_id];
      for await (const { value, versionstamp } of kv.list({ prefix }, { batchSize: AT_ONCE })) {
        yield { head: decode(value), versionstamp };
      }
    },

    /** The newest of an account's. */
    async newest(account_id: number, most: number): Promise<RunHead[]> {
      const heads: RunHead[] = [];
      const options = { reverse: true, limit: most, batchSize: AT_ONCE };
      for await (const { value } of kv.list({ prefix: ["flow_runs", account_id] }, options)) heads.push(decode(value));
      return heads;
    },

    /** Once its outcome is recorded. @param steps how many entries its journal has in KV */
    async remove(head: RunHead, steps: number): Promise<void> {
      const deletes = [keyOf(head), cancelKey(head.id)];
      for (let number = 0; number < steps; number++) deletes.push(stepKey(head.id, number));
      // A commit takes 1,000 at most.
      for (let at = 0; at < deletes.length; at += AT_ONCE) {
        // deno-lint-ignore no-await-in-loop -- the head goes with the first
        await commit({ deletes: deletes.slice(at, at + AT_ONCE) });
      }
    },

    async requestCancel(id: string): Promise<void> {
      await commit({ sets: [{ key: cancelKey(id), value: true, expires_ms: KEY_KEPT_MS }] });
    },

    isCancelled: async (id: string): Promise<boolean> => (await kv.get(cancelKey(id))).value === true,

    /** @returns undefined where somebody has declared the process dead meanwhile */
    sayAlive: (name: string, until: number, versionstamp: string | null): Promise<string | undefined> =>
      commit({ checks: [{ key: ownerKey(name), versionstamp }], sets: [{ key: ownerKey(name), value: until }] }),

    async listOwners(): Promise<Owner[]> {
      const owners: Owner[] = [];
      for await (const { key, value, versionstamp } of kv.list<number>({ prefix: ["flow_owners"] })) {
        owners.push({ name: String(key[1]), until: value, versionstamp });
      }
      return owners;
    },

    /** Declares a process dead, unless it has said a word meanwhile. */
    bury: async ({ name, versionstamp }: Pick<Owner, "name" | "versionstamp">): Promise<boolean> =>
      await commit({ checks: [{ key: ownerKey(name), versionstamp }], deletes: [ownerKey(name)] }) !== undefined,
  };
}

async function findValue(sql: Sql, run_id: string, place: string) {
  const [row] = await sql<{ value: never }[]>`
    select value from flow_values where run_id = ${run_id} and place = ${place}
  `;
  return row?.value;
}
