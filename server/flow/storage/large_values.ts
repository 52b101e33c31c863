/** Values that are too large for Deno KV are stored in PostgreSQL, and referenced from Deno KV. */
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { RunHead, StepRecord } from "../run/model.ts";
import { decode, encode } from "./kv_keys.ts";
import { storable } from "./storable.ts";

/** Bytes. Deno KV takes 64 KiB in a value. */
const MOST_IN_KV = 32 * 1024;
/** Characters. Heads are read in lists, so they stay small. */
const MOST_IN_HEAD = 4 * 1024;

/** The value for Deno KV: the entry, or a reference to its row. */
export async function placeEntry(sql: Sql, run_id: string, number: number, entry: StepRecord): Promise<Uint8Array> {
  const text = storable(entry);
  // A character has at most 3 bytes, so short texts need not be encoded to be measured.
  if (text.length * 3 <= MOST_IN_KV) return encode(text);
  const bytes = encode(text);
  if (bytes.length <= MOST_IN_KV) return bytes;
  const place = `step ${number}`;
  await sql`
    insert into flow_values (run_id, place, value)
    values (${run_id}, ${place}, ${text}::text::json)
    on conflict (run_id, place) do update set value = excluded.value
  `;
  return encode(JSON.stringify({ stored: place }));
}

/** @returns undefined if the row is gone */
export async function readEntry(sql: Sql, run_id: string, value: Uint8Array): Promise<StepRecord | undefined> {
  const decoded = decode(value);
  return decoded?.stored === undefined ? decoded : await findValue(sql, run_id, decoded.stored);
}

/** The input as JSON. `in_head`: the same as a value, or null if it went to PostgreSQL. */
export async function placeInput(
  sql: Sql,
  { id, input }: RunHead,
): Promise<{ text: string; in_head: JsonObject | null }> {
  const text = storable(input);
  if (text.length <= MOST_IN_HEAD) return { text, in_head: JSON.parse(text) };
  await sql`
    insert into flow_values (run_id, place, value)
    values (${id}, 'input', ${text}::text::json)
    on conflict (run_id, place) do nothing
  `;
  return { text, in_head: null };
}

/** @returns undefined if it was too large for the head and its row was swept away */
export const readInput = async (sql: Sql, { id, input }: RunHead): Promise<JsonObject | undefined> =>
  input ?? await findValue(sql, id, "input");

async function findValue(sql: Sql, run_id: string, place: string) {
  const [row] = await sql<{ value: never }[]>`
    select value from flow_values where run_id = ${run_id} and place = ${place}
  `;
  return row?.value;
}
