/**
 * Keeps definitions of databases in memory, so that records are validated without a query. A definition may be outdated
 * for a moment. Each statement on records therefore checks the `lock_version` that it was made for.
 */
import type { Pool, Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { accountKey, readAccountKey, remember } from "../../remembered.ts";
import { readSchema } from "./definition.ts";
import type { Databases, KnownDb } from "./known_db.ts";
import { type KnownTable, knownTable, type Table } from "./table.ts";

/** The maximum age of a definition that is used without a statement, which would check it. */
const BELIEVED_MS = 5_000;
const REMEMBERED = 2_000;

interface Row extends Omit<KnownDb, "tables"> {
  schema: unknown;
  tables: { id: number; name: string; searched: string[] }[];
}

export function createDatabases(sql: Pool, log: Log): Databases {
  const known = remember<string, KnownDb>({
    load: (key) => findKnownDb(sql, ...readAccountKey(key)),
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    notified: { sql, log, channel: "db_changed", matches: ({ id }, payload) => id === Number(payload) },
  });
  return {
    forget: (id) => known.forgetWhere((db) => db.id === id),
    async isCurrent({ id, account_id, lock_version }) {
      const rows = await sql`
        select
        from dbs
        where id = ${id}
          and account_id = ${account_id}
          and lock_version = ${lock_version}
      `;
      return rows.length > 0;
    },
    find: (account_id, code) => known.find(accountKey(account_id, code)),
  };
}

/** Asks the database. For a transaction, which must see what it has written. */
export async function findKnownDb(sql: Sql, account_id: number, code: string): Promise<KnownDb | undefined> {
  const [row] = await sql<Row[]>`
    select
      d.id, d.account_id, d.department_id, d.code, d.public_methods, d.public_write_limit,
      coalesce(d.live_until > now(), false) as live, d.lock_version, d.schema,
      (
        select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'searched', t.searched)), '[]')
        from db_tables t
        where t.db_id = d.id
      ) as tables
    from dbs d
    where d.account_id = ${account_id}
      and d.code = ${code}
  `;
  if (!row) return undefined;
  const { schema, tables, ...db } = row;
  return { ...db, tables: knownTables(readSchema(schema), tables) };
}

function knownTables(defined: Map<string, Table>, stored: Row["tables"]): Map<string, KnownTable> {
  const known = new Map<string, KnownTable>();
  for (const [name, table] of defined) {
    const row = stored.find((row) => row.name === name);
    if (!row) throw new Error(`the table ${name} has no number`);
    known.set(name, knownTable(table, row.id, row.searched));
  }
  return known;
}
