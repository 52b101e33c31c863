/**
 * Runs in flight, in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `flow_runs`, account, run | the run's head |
 * | `flow_steps`, run, number | an entry of its journal, or the place of one in `flow_values` |
 * | `flow_cancels`, run | true |
 * | `flow_keys`, account, key | the run that a caller's idempotency key began, and its input's hash |
 * | `flow_owners`, process | when it last said that it lives |
 *
 * A process proves once in a while that it lives, not each of its runs: that costs one write, however many it has.
 */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import { createCommits, type Write } from "./group_commit.ts";
import type { JsonObject } from "../flow.ts";
import { type RunHead, type StepRecord, storable } from "../run/run.ts";

/** A journal's entry, or an input, over this goes to PostgreSQL: Deno KV takes 64 KiB a value. */
const MOST_IN_KV = 32 * 1024;
/** Heads are listed, so they stay small. */
const MOST_IN_HEAD = 4 * 1024;
/** How long a caller's key is remembered. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
/** How many keys are read or written at once; Deno KV takes 1,000. */
const AT_ONCE = 500;
/** Keys that Deno KV reads together. */
const MOST_READ = 10;
/** Bytes; Deno KV takes 800 KiB. */
const MOST_IN_COMMIT = 500_000;

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
  /** Another one after each word of it. */
  versionstamp: string;
}

interface Begun {
  id: string;
  /** SHA-256, in base64url. */
  input: string;
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

  /** Undefined where its value in PostgreSQL is gone. */
  const read = async (id: string, value: unknown): Promise<StepRecord | undefined> => {
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

  /**
   * The head goes last: as long as it stands, somebody finds what else there is.
   *
   * @returns false where the head is not as it was read
   */
  const removeKeys = async (head: RunHead, versionstamp: string | null, steps: readonly Deno.KvKey[]) => {
    const keys = [...steps, keyOf(head)];
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const checks = [{ key: keyOf(head), versionstamp }];
      if (await commit({ checks, deletes: keys.slice(at, at + AT_ONCE), patient: true }) === undefined) return false;
    }
    return true;
  };

  return {
    /** @returns the run as it is kept, or the one that the key began before, and whether with the same input */
    async create(head: RunHead, key: string | undefined): Promise<Kept | { id: string; same: boolean }> {
      const text = storable(head.input);
      const large = text.length > MOST_IN_HEAD;
      if (large) {
        await sql`
          insert into flow_values (run_id, place, value)
          values (${head.id}, 'input', ${text}::text::json)
          on conflict (run_id, place) do nothing
        `;
      }
      // As it is written from now on: a large input would not fit.
      const kept: RunHead = { ...head, input: large ? null : JSON.parse(text) };
      if (key === undefined) {
        const versionstamp = await commit(writeOf(kept));
        if (versionstamp === undefined) throw new Error("a write without checks was refused");
        return { head: kept, versionstamp };
      }
      const idem: Deno.KvKey = ["flow_keys", head.account_id, key];
      const input = createHash("sha256").update(text).digest("base64url");
      const begun: Begun = { id: head.id, input };
      const versionstamp = await commit(writeOf(kept, {
        checks: [{ key: idem, versionstamp: null }],
        sets: [{ key: idem, value: begun, expires_ms: KEY_KEPT_MS }],
        bytes: 2 * key.length + 100,
      }));
      if (versionstamp !== undefined) return { head: kept, versionstamp };
      const { value } = await kv.get<Begun>(idem);
      // It has just come to its end of 24 hours.
      return value === null ? await this.create(head, key) : { id: value.id, same: value.input === input };
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
      let last: string | undefined = versionstamp;
      for (let at = 0; at === 0 || at < values.length;) {
        const page = pageOf(values, at);
        last = await commit(writeOf(head, {
          checks: [{ key: keyOf(head), versionstamp: last }],
          sets: page.map((value, i) => ({ key: stepKey(head.id, first + at + i), value })),
          bytes: sizeOf(page),
        }));
        if (last === undefined) return undefined;
        at += Math.max(page.length, 1);
      }
      return last;
    },

    async find(account_id: number, id: string): Promise<Kept | undefined> {
      const { value, versionstamp } = await kv.get(keyOf({ account_id, id }));
      return value === null || versionstamp === null ? undefined : { head: decode(value), versionstamp };
    },

    /** @returns undefined where it was too large for the head, and has been swept away */
    inputOf: async ({ id, input }: RunHead): Promise<JsonObject | undefined> =>
      input ?? await findValue(sql, id, "input"),

    /** Up to the first entry whose value is gone: what was swept away, or was lost with the database's last second. */
    async journalOf(id: string): Promise<StepRecord[]> {
      const entries: StepRecord[] = [];
      for await (const { value } of kv.list({ prefix: ["flow_steps", id] }, { batchSize: 100 })) {
        const entry = await read(id, value);
        if (!entry) break;
        entries.push(entry);
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
    async remove({ head, versionstamp }: Kept, steps: number): Promise<void> {
      const keys = Array.from({ length: steps }, (_, number) => stepKey(head.id, number));
      if (!await removeKeys(head, versionstamp, keys)) await this.clear(head);
    },

    /** Likewise, of a run that another process has had, which may have kept more. */
    async clear(head: RunHead): Promise<void> {
      const { versionstamp } = await kv.get(keyOf(head));
      const keys: Deno.KvKey[] = [];
      for await (const { key } of kv.list({ prefix: ["flow_steps", head.id] })) keys.push(key);
      if (!await removeKeys(head, versionstamp, keys)) await this.clear(head);
    },

    async requestCancel(id: string): Promise<void> {
      await commit({ sets: [{ key: cancelKey(id), value: true, expires_ms: KEY_KEPT_MS }] });
    },

    isCancelled: async (id: string): Promise<boolean> => (await kv.get(cancelKey(id))).value === true,

    /** Those of the runs that somebody has cancelled. */
    async listCancelled(ids: readonly string[]): Promise<string[]> {
      const pages = Array.from(
        { length: Math.ceil(ids.length / MOST_READ) },
        (_, page) => ids.slice(page * MOST_READ, (page + 1) * MOST_READ),
      );
      const found = await Promise.all(pages.map((page) => kv.getMany<true[]>(page.map(cancelKey))));
      return found.flatMap((entries, page) => pages[page]?.filter((_, at) => entries[at]?.value === true) ?? []);
    },

    /** @returns undefined where somebody has declared the process dead meanwhile */
    sayAlive: (name: string, versionstamp: string | null): Promise<string | undefined> =>
      commit({ checks: [{ key: ownerKey(name), versionstamp }], sets: [{ key: ownerKey(name), value: Date.now() }] }),

    /** Its name stands before its first run does; it is gone for ever once the process is declared dead. */
    isStanding: async (name: string): Promise<boolean> => (await kv.get(ownerKey(name))).versionstamp !== null,

    async listOwners(): Promise<Owner[]> {
      const owners: Owner[] = [];
      for await (const { key, versionstamp } of kv.list({ prefix: ["flow_owners"] })) {
        owners.push({ name: String(key[1]), versionstamp });
      }
      return owners;
    },

    /** Declares a process dead, unless it has said a word meanwhile. */
    bury: async ({ name, versionstamp }: Owner): Promise<boolean> =>
      await commit({ checks: [{ key: ownerKey(name), versionstamp }], deletes: [ownerKey(name)] }) !== undefined,
  };
}

const sizeOf = (values: readonly Uint8Array[]) => values.reduce((sum, { length }) => sum + length + 100, 0);

/** As many from `at` on as go into one commit. */
function pageOf(values: readonly Uint8Array[], at: number): Uint8Array[] {
  const page = values.slice(at, at + AT_ONCE);
  while (page.length > 1 && sizeOf(page) > MOST_IN_COMMIT) page.length = Math.ceil(page.length / 2);
  return page;
}

async function findValue(sql: Sql, run_id: string, place: string) {
  const [row] = await sql<{ value: never }[]>`
    select value from flow_values where run_id = ${run_id} and place = ${place}
  `;
  return row?.value;
}
