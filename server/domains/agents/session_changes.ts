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

/** Changes of a session that are read, without what was before them. */
const MOST_READ = 100_000;

type Change = Omit<KeptChange, "before">;
type Key = Pick<KeptChange, "object" | "object_id">;

export const keyOf = ({ object, object_id }: Key): string => `${object} ${object_id}`;

/**
 * The objects of the session's last 1,000 changes, with all of its changes of them. If others have changed all of these
 * objects since, those of the 1,000 changes before, and so on. The object that the session has changed first is the last.
 *
 * @throws {Refusal} 404
 */
export async function readGroups(
  sql: Sql,
  viewer: Viewer,
  session: string,
): Promise<{ groups: Group[]; changed: Set<string> }> {
  const [known] = await sql`select from agent_sessions s where s.id = ${session} and ${seenBy(sql, viewer)}`;
  if (!known) throw notFound("Session");
  const found = await sql<Change[]>`
    select id, object, object_id, db_id, action
    from agent_changes
    where session_id = ${session}
      and account_id = ${viewer.account_id}
    order by id desc
    limit ${MOST_READ}
  `;
  const all = Map.groupBy(found, keyOf);
  for (let start = 0;; start += MOST_CHANGES) {
    const keys = new Set(found.slice(start, start + MOST_CHANGES).map(keyOf));
    const lists = [...all].flatMap(([key, changes]) => keys.has(key) ? [changes.toReversed()] : []);
    const changed = await changedSince(sql, viewer.account_id, session, lists.flatMap((list) => list.slice(0, 1)));
    const is_last = start + MOST_CHANGES >= found.length;
    if (is_last || changed.size < lists.length) return { groups: await groupsOf(sql, session, lists), changed };
  }
}

/** @param lists the changes of each object, the earliest first */
async function groupsOf(sql: Sql, session: string, lists: readonly Change[][]): Promise<Group[]> {
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
 * undo of it. Entries of the server itself do not count: it pauses triggers that fail.
 *
 * @param firsts the first change of each object
 */
export async function changedSince(
  sql: Sql,
  account_id: number,
  session: string,
  firsts: readonly Change[],
): Promise<Set<string>> {
  const json = firsts.map(({ id, object, object_id }) => ({ id, object, object_id }));
  const rows = await sql<Key[]>`
    select g.object, g.object_id
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
        and e.actor ->> 'via' <> 'server'
    )
  `;
  return new Set(rows.map(keyOf));
}

/** An object that is there. */
interface Present {
  /** A record is named by its database. */
  name: string;
  /** Null for a record that is gone. */
  is_seen: boolean | null;
}

/** Those of the objects that are there, by their keys, and whether the viewer sees them. */
export async function readPresent(sql: Sql, viewer: Viewer, groups: readonly Group[]): Promise<Map<string, Present>> {
  const json = groups.map(({ first: { object, object_id, db_id } }) => ({ object, object_id, db_id }));
  const own = sql`account_id = ${viewer.account_id}`;
  const seen = visible(sql, viewer);
  const rows = await sql<(Key & { present: Present | null })[]>`
    select g.object, g.object_id, case g.object
      when 'app' then (
        select json_build_object('name', name, 'is_seen', ${seen}) from apps where id = g.object_id::uuid and ${own}
      )
      when 'db' then (
        select json_build_object('name', name, 'is_seen', ${seen}) from dbs where id = g.object_id::integer and ${own}
      )
      when 'flow' then (
        select json_build_object('name', name, 'is_seen', ${seen}) from flows where id = g.object_id::integer and ${own}
      )
      when 'cron' then (
        select json_build_object('name', coalesce(name, target_code), 'is_seen', ${seen})
        from crons
        where id = g.object_id::integer and ${own}
      )
      when 'record' then (
        select json_build_object(
          'name', 'A record of ' || name,
          'is_seen', ${seen} and (select ${seen} from records where id = g.object_id::uuid)
        )
        from dbs
        where id = g.db_id and ${own}
      )
    end as present
    from json_to_recordset(${JSON.stringify(json)}::text::json) g (object text, object_id text, db_id integer)
  `;
  return new Map(rows.flatMap((row) => row.present === null ? [] : [[keyOf(row), row.present]]));
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
