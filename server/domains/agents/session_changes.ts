/** SQL of what a session has changed, and of what has happened to it since. */
import { notFound } from "../../errors.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import { MOST_CHANGES, seenBy } from "./queries.ts";
import type { Changed, UndoStep } from "./schema.ts";

interface KeptChange {
  id: string;
  object: Changed;
  object_id: string;
  db_id: number | null;
  action: "create" | "update" | "delete";
  before: Record<string, unknown> | null;
}

/** All changes of one object, the earliest first. */
export interface Group {
  changes: KeptChange[];
  first: KeptChange;
  last: KeptChange;
}

export function actionOf({ first, last }: Group): UndoStep["action"] {
  if (first.action === "create") return last.action === "delete" ? "none" : "delete";
  return last.action === "delete" ? "create" : "restore";
}

/** Changes of a session that are read: their objects, without what was before. */
const MOST_READ = 100_000;

/**
 * The objects of the session's last 1,000 changes, with all of its changes of them. The object that it has changed first is
 * the last.
 *
 * @throws {Refusal} 404
 */
export async function readGroups(sql: Sql, viewer: Viewer, session: string): Promise<Group[]> {
  const [known] = await sql`select from agent_sessions s where s.id = ${session} and ${seenBy(sql, viewer)}`;
  if (!known) throw notFound("Session");
  const found = await sql<Omit<KeptChange, "before">[]>`
    select id, object, object_id, db_id, action
    from agent_changes
    where session_id = ${session}
      and account_id = ${viewer.account_id}
    order by id desc
    limit ${MOST_READ}
  `;
  const keyOf = ({ object, object_id }: Pick<KeptChange, "object" | "object_id">) => `${object} ${object_id}`;
  const latest = new Set(found.slice(0, MOST_CHANGES).map(keyOf));
  const grouped = Map.groupBy(found.filter((change) => latest.has(keyOf(change))).toReversed(), keyOf);
  const lists = [...grouped.values()];
  // Of a database, what was before each change is needed.
  const needed = lists.flatMap((changes) =>
    changes[0]?.object === "db" ? changes : [changes[0], changes.at(-1)].filter((change) => change !== undefined)
  );
  const befores = await readBefores(sql, session, needed.map(({ id }) => id));
  return lists.flatMap((list): Group[] => {
    const changes = list.map((change): KeptChange => ({ ...change, before: befores.get(change.id) ?? null }));
    const [first, last] = [changes[0], changes.at(-1)];
    return first && last ? [{ changes, first, last }] : [];
  }).toSorted((a, b) => a.first.id < b.first.id ? 1 : -1);
}

async function readBefores(sql: Sql, session: string, ids: readonly string[]) {
  const rows = await sql<Pick<KeptChange, "id" | "before">[]>`
    select id, before from agent_changes where session_id = ${session} and id = any(${[...ids]}::uuid[])
  `;
  return new Map(rows.map(({ id, before }) => [id, before]));
}

/**
 * Objects with an entry in the audit log that is later than the session's first change, and neither of the session nor of an
 * undo of it.
 */
export async function changedSince(
  sql: Sql,
  account_id: number,
  session: string,
  groups: readonly Group[],
): Promise<Set<string>> {
  const json = groups.map(({ first: { id, object, object_id } }) => ({ id, object, object_id }));
  const rows = await sql<{ key: string }[]>`
    select g.object || ' ' || g.object_id as key
    from json_to_recordset(${JSON.stringify(json)}::text::json) g (id uuid, object text, object_id text)
    where exists (
      select
      from audit_entries e
      where e.account_id = ${account_id}
        and e.object = g.object
        and e.object_id = g.object_id
        and e.id > g.id
        and e.actor -> 'agent' ->> 'session' is distinct from ${session}::text
        and e.actor ->> 'undoes' is distinct from ${session}::text
    )
  `;
  return new Set(rows.map(({ key }) => key));
}

/** Present names of those that the viewer sees, by object and id. A record is named by its database. */
export async function namesOf(sql: Sql, viewer: Viewer, groups: readonly Group[]): Promise<Map<string, string>> {
  const json = groups.map(({ first: { object, object_id, db_id } }) => ({ object, object_id, db_id }));
  const seen = sql`account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;
  const rows = await sql<{ key: string; name: string | null }[]>`
    select g.object || ' ' || g.object_id as key, case g.object
      when 'app' then (select name from apps where id = g.object_id::uuid and ${seen})
      when 'db' then (select name from dbs where id = g.object_id::integer and ${seen})
      when 'flow' then (select name from flows where id = g.object_id::integer and ${seen})
      when 'cron' then (select coalesce(name, target_code) from crons where id = g.object_id::integer and ${seen})
      when 'record' then (select 'A record of ' || name from dbs where id = g.db_id and ${seen})
    end as name
    from json_to_recordset(${JSON.stringify(json)}::text::json) g (object text, object_id text, db_id integer)
  `;
  return new Map(rows.flatMap(({ key, name }) => name === null ? [] : [[key, name]]));
}

/** @returns how many were still there */
export async function deleteChanges(
  sql: Sql,
  { account_id }: Viewer,
  session: string,
  { changes }: Group,
): Promise<number> {
  const ids = changes.map(({ id }) => id);
  const deleted = await sql`
    delete from agent_changes
    where session_id = ${session} and account_id = ${account_id} and id = any(${ids}::uuid[])
    returning id
  `;
  return deleted.length;
}
