/**
 * Keys and values of runs in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `flow_runs`, account, run | the run's head |
 * | `flow_steps`, run, number | an entry of the journal, or a reference to its row in `flow_values` |
 * | `flow_cancels`, run | true |
 * | `flow_keys`, account, idempotency key | the run that was started with the key, and the hash of its input |
 * | `flow_owners`, lease | the time of the latest heartbeat |
 *
 * A process renews one lease for all of its runs: one write for each heartbeat, however many runs it has.
 */
import type { RunHead } from "../run/model.ts";

export const runKey = ({ account_id, id }: Pick<RunHead, "account_id" | "id">): Deno.KvKey => [
  "flow_runs",
  account_id,
  id,
];
/** The prefix of an account's runs, or of all runs. The order is that of accounts and, within one, of starts. */
export const runPrefix = (account_id?: number): Deno.KvKey =>
  account_id === undefined ? ["flow_runs"] : ["flow_runs", account_id];
export const stepKey = (id: string, number: number): Deno.KvKey => ["flow_steps", id, number];
export const stepPrefix = (id: string): Deno.KvKey => ["flow_steps", id];
export const cancelKey = (id: string): Deno.KvKey => ["flow_cancels", id];
export const idempotencyKey = (account_id: number, key: string): Deno.KvKey => ["flow_keys", account_id, key];
export const LEASES: Deno.KvKey = ["flow_owners"];
export const leaseKey = (lease: string): Deno.KvKey => [...LEASES, lease];

/** How long an idempotency key and a cancel are kept. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;

/** JSON in UTF-8. Deno KV's own serialization keeps types that JSON does not have. */
export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
export const decode = (value: Uint8Array) => JSON.parse(new TextDecoder().decode(value));
