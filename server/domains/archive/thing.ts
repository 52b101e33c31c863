/**
 * What an account consists of, as things with stable names: the kinds, and what each of them must know.
 *
 * | term | meaning |
 * |---|---|
 * | thing | an app, database, flow, connector, trigger or department |
 * | key | its name within its kind: the `url_code`, the `code`, or the slug of the name. Files are named after it |
 * | value | its definition as JSON, without ids: departments, flows and databases are named |
 * | default | what a key of a value means that is left out; values are sent without keys that have their default |
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { fieldsOf } from "../../input/messages.ts";
import { slug } from "../../input/slug.ts";

/** In the order in which they are created: each names only what stands before it, except flows, which name each other. */
export const KINDS = ["department", "connector", "db", "flow", "app", "trigger"] as const;
export type Kind = (typeof KINDS)[number];

export type Value = Record<string, unknown>;

/** A thing without its value. */
export interface Named {
  id: string | number;
  /** The key that it has unless an older thing of the kind has it. */
  wanted: string;
}

/** A thing as stored. */
export interface Stored {
  id: string | number;
  lock_version: number;
  /** Complete: with the keys that have their default. */
  value: Value;
}

/** What a write of a thing may use. */
export interface Writing {
  /** Its `sql` is the transaction. */
  ctx: Context;
  /** By `kind/key`: used where a thing is created that needs one, or where the present one would go elsewhere. */
  secrets: Readonly<Record<string, string>>;
  /** @throws {Refusal} 422 on `department` */
  departmentId(name: unknown): Promise<number | null>;
}

export interface Written {
  id: string | number;
  /** By field. Flows are checked again when everything is written. */
  warnings?: Record<string, string[]>;
  /** The secret address of a new webhook trigger. */
  webhook_url?: string | null;
}

export interface ThingKind {
  /** Of all things of the kind, in the order of their creation. */
  list(sql: Sql, account: number): Promise<Named[]>;
  read(sql: Sql, account: number, ids: readonly (string | number)[]): Promise<Stored[]>;
  /** Every key that a value may have, in the order of files. */
  shape: z.ZodObject;
  /** Of the keys that may be left out. */
  defaults(value: Value, key: string): Value;
  /** The key that belongs to a value, beside further numbers: `nightly` allows `nightly-2`. Undefined allows any. */
  keyOf?(value: Value): string | undefined;
  /** Faults that the shape does not state, by field. */
  faults?(value: Value, key: string): Record<string, string[]>;
  /** Keys of a value that say how to change, and are no part of the definition. */
  hints?: readonly string[];
  /** Brings a value into the form in which it is stored. @param stored undefined for a new thing */
  settle?(value: Value, stored: Value | undefined): Value;
  create(writing: Writing, key: string, value: Value): Promise<Written>;
  /** @param changes the fields that differ, and the hints */
  change(writing: Writing, stored: Stored, key: string, changes: Value, value: Value): Promise<Written>;
  /** @throws {Refusal} where data would be lost, or something uses it */
  remove(ctx: Context, stored: Stored, key: string): Promise<void>;
}

/** @returns every key of the value. @throws {Refusal} 422 by field */
export function readValue(kind: ThingKind, key: string, json: unknown): Value {
  const sent = typeof json === "object" && json !== null && !Array.isArray(json) ? json as Value : {};
  const result = kind.shape.safeParse({ ...kind.defaults(sent, key), ...sent });
  if (!result.success) throw invalid(fieldsOf(result.error.issues));
  const value: Value = result.data;
  const wanted = kind.keyOf?.(value);
  const faults = { ...kind.faults?.(value, key) };
  if (wanted !== undefined && key.replace(/-\d+$/, "") !== wanted && key !== wanted) {
    faults.name = sent.name === undefined
      ? [`is missing: without it, the thing is called ${wanted}, not ${key}`]
      : [`belongs to a thing called ${wanted}, not ${key}`];
  }
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return value;
}

/** What a push adds to a value, such as a secret. @throws {Refusal} 422 by field */
export function readWhole<S extends z.ZodType>(shape: S, json: unknown): z.output<S> {
  const read = shape.safeParse(json);
  if (!read.success) throw invalid(fieldsOf(read.error.issues));
  return read.data;
}

/** The value as it is sent: in the order of the shape, without hints and without keys that have their default. */
export function compact(kind: ThingKind, key: string, value: Value): Value {
  const defaults = kind.defaults(value, key);
  return Object.fromEntries(
    Object.keys(kind.shape.shape)
      .filter((name) => !kind.hints?.includes(name))
      .filter((name) => value[name] !== undefined && !same(value[name], defaults[name]))
      .map((name) => [name, value[name]]),
  );
}

/** Whether two values are the same JSON. The order of keys counts: a schema's fields have one. */
export const same = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other);

/** Equal values have equal etags, on every server. */
export const etagOf = (compacted: Value): string =>
  createHash("sha256").update(JSON.stringify(compacted)).digest("base64url").slice(0, 22);

/** For what PostgreSQL stores as jsonb, which does not keep the order of keys. */
export function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => [key, sorted(value)]),
  );
}

/** A department's name. */
export const DepartmentName = z.string().trim().min(1).max(255).nullable();

/** The longest `url_code` and `code`. A number may follow it. */
const LONGEST_KEY = 100;
export const keyOfName = (name: string, otherwise: string): string =>
  slug(name).slice(0, LONGEST_KEY).replace(/-+$/, "") || otherwise;

export const KEY = /^[a-z0-9_-]{1,110}$/;

/** The keys of a kind's things. Of several that want the same key, the later ones get a number. */
export function keysOf(things: readonly Named[]): Map<string, Named> {
  const keys = new Map<string, Named>();
  const taken = new Set(things.map(({ wanted }) => wanted));
  for (const thing of things) {
    let key = thing.wanted;
    for (let n = 2; keys.has(key) || key !== thing.wanted && taken.has(key); n++) key = `${thing.wanted}-${n}`;
    keys.set(key, thing);
  }
  return keys;
}

/** What uses or mentions something, as people call it. */
export const nameOfUse = ({ kind, name, id }: { kind: string; name: string | null; id: string | number }): string =>
  `the ${kind === "cron" ? "trigger" : kind} ${name ?? id}`;
