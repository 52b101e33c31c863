/**
 * The ids of an archive and those of the account that it is imported into. Apps, records and runs keep their ids, which
 * are UUIDs; everything else is numbered by each server.
 */
import type { Sql } from "../../../database/pool.ts";
import { invalid } from "../../../errors.ts";

/** Each with the table that numbers it. */
export const NUMBERED = {
  department: "departments",
  team: "teams",
  group: "groups",
  mailbox: "mailboxes",
  user: "users",
  connector: "connectors",
  db: "dbs",
  table: "db_tables",
  flow: "flows",
  trigger: "crons",
} as const;
export type IdKind = keyof typeof NUMBERED;

export interface Ids {
  find(kind: IdKind, old: unknown): number | undefined;
  /** @throws {Refusal} 422 if the archive has the id twice */
  set(kind: IdKind, old: number, id: number): void;
  /** Reserves a new id for each that has none. @param sql a transaction */
  reserve(sql: Sql, kind: IdKind, olds: Iterable<unknown>): Promise<void>;
}

/** For a second row of the same id. */
export const twice = (kind: IdKind, old: unknown) => invalid({ base: [`has the ${kind} ${old} twice`] });

export function createIds(): Ids {
  const known = new Map<IdKind, Map<unknown, number>>(
    Object.keys(NUMBERED).map((kind) => [kind as IdKind, new Map()]),
  );
  const of = (kind: IdKind) => known.get(kind) ?? new Map<unknown, number>();
  return {
    find: (kind, old) => of(kind).get(old),
    set(kind, old, id) {
      if (of(kind).has(old)) throw twice(kind, old);
      of(kind).set(old, id);
    },
    async reserve(sql, kind, olds) {
      const missing = [...new Set(olds)].filter((old) => typeof old === "number" && !of(kind).has(old));
      if (missing.length === 0) return;
      const ids = await sql<{ id: number }[]>`
        select nextval(pg_get_serial_sequence(${NUMBERED[kind]}, 'id'))::int as id
        from generate_series(1, ${missing.length}::int)
      `;
      for (const [index, old] of missing.entries()) of(kind).set(old, ids[index]?.id ?? 0);
    },
  };
}
