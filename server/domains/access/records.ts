/** SQL of the records that a user reaches. */
import type { Sql } from "../../database/pool.ts";
import { byRule, forEveryone, methods, type Reached, told, type Wanted } from "./reached.ts";

/** Where a list of records continues: the table, microseconds since 1970, the id. */
const KEY = /^(\d{1,9})\.(\d{1,17})\.([0-9a-f-]{36})$/;

/**
 * By table and time of creation, for which there is an index. A record must be visible itself, and its database too. The
 * public method `list` shows records to everyone, unless it has a scope.
 */
export function listRecords(sql: Sql, wanted: Wanted): Promise<Reached[]> {
  const { viewer, id, after, limit } = wanted;
  const [, table, micros, last] = KEY.exec(after ?? "") ?? [];
  const behind = last !== undefined;
  const by_rule = byRule(sql, wanted, "record");
  return sql<Reached[]>`
    select
      r.id::text as id, t.id || '.' || r.micros || '.' || r.id as key, null as name,
      json_build_array(d.department_id, r.department_id) as departments, d.by_rule and r.by_rule as by_rule,
      null as seen_from, d.open
    from (
      select
        id, department_id, ${by_rule} as by_rule, ${methods(sql)} as open,
        exists (
          select 1
          from jsonb_each(public_methods) m
          where m.key = 'list' and m.value ->> 'scope_by' is null and ${forEveryone(sql)}
        ) as shows_all
      from dbs
      where account_id = ${viewer.account_id}
        and ${told(sql, wanted)}
    ) d
    join db_tables t on t.db_id = d.id
    cross join lateral (
      select
        id, department_id, created_at, ${by_rule} as by_rule,
        (extract(epoch from created_at) * 1000000)::bigint as micros
      from records
      where table_id = t.id
        and ${told(sql, wanted)}
        and (d.shows_all or d.by_rule and ${by_rule})
        ${id === undefined ? sql`` : sql`and id = ${id}::uuid`}
        ${
    behind
      ? sql`
        and (table_id, created_at, id)
          > (${table ?? ""}::int, 'epoch'::timestamptz + ${
        micros ?? ""
      }::bigint * interval '1 microsecond', ${last}::uuid)
      `
      : sql``
  }
      order by created_at, id
      limit ${limit}
    ) r
    ${behind ? sql`where t.id >= ${table ?? ""}::int` : sql``}
    order by t.id, r.created_at, r.id
    limit ${limit}
  `;
}
