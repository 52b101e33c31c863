/**
 * Undoes what an agent's session has changed, the latest first. Each object is undone by the function that a person's own
 * change calls, so apps and flows get new versions, and the audit log names the person. What somebody else has changed
 * since is left as it is.
 */
import type { Context } from "../../context.ts";
import { notFound, Refusal } from "../../errors.ts";
import type { Sql } from "../../database/pool.ts";
import { refusalOf } from "../../trpc.ts";
import { allowPerson } from "./program_or_person.ts";
import { allow, type Role } from "../../viewer.ts";
import { MOST_CHANGES, seenBy } from "./queries.ts";
import type { Changed, UndoStep } from "./schema.ts";
import { REVERSALS } from "./reversals.ts";
import { lossOfUndo } from "./table_records.ts";

interface KeptChange {
  id: string;
  object: Changed;
  object_id: string;
  db_id: number | null;
  action: "create" | "update" | "delete";
  before: Record<string, unknown> | null;
}

/** All changes of one object, the earliest first. */
interface Group {
  changes: KeptChange[];
  first: KeptChange;
  last: KeptChange;
}

/** The role and the scope of the procedures that make the same change. */
const NEEDED: Record<Changed, [role: Role, scope: string]> = {
  app: ["manager", "apps:write"],
  db: ["manager", "dbs:write"],
  flow: ["manager", "flows:write"],
  cron: ["manager", "crons:write"],
  record: ["user", "records:write"],
};

/** What an undo would do, in its order. @throws {Refusal} 404 */
export async function planUndo({ sql, viewer }: Context, session: string): Promise<UndoStep[]> {
  const groups = await readGroups(sql, viewer, session);
  const names = await namesOf(sql, viewer.account_id, groups);
  const changed = await changedSince(sql, viewer.account_id, session, groups);
  const losses = new Map<Group, string | undefined>();
  const own = groups.filter(({ first: { object, object_id } }) => !changed.has(`${object} ${object_id}`));
  // One after the other: an undo has a thousand changes at most, and few databases.
  for (const group of groups) losses.set(group, await lossOf(sql, viewer.account_id, group, own));
  return groups.map((group): UndoStep => {
    const { first: { object, object_id }, changes } = group;
    const key = `${object} ${object_id}`;
    return {
      object,
      object_id,
      name: names.get(key) ?? String(group.last.before?.name ?? first(group.last.before) ?? object),
      action: actionOf(group),
      changes: changes.length,
      obstacle: changed.has(key) ? "It has been changed since, and not by this session" : losses.get(group) ?? null,
    };
  });
}

/**
 * @returns what was done; steps with an obstacle were not, and can be tried again
 * @throws {Refusal} 403 for a token; 404
 */
export async function undoSession(ctx: Context, session: string): Promise<UndoStep[]> {
  const { sql, viewer } = ctx;
  const steps = await planUndo(ctx, session);
  allowPerson(viewer);
  const groups = await readGroups(sql, viewer, session);
  const done: UndoStep[] = [];
  const groupOf = ({ object, object_id }: UndoStep) =>
    groups.find(({ first }) => first.object === object && first.object_id === object_id);
  // Those that are undone already, and those that will be.
  let own = steps.filter(({ obstacle }) => obstacle === null).flatMap((step) => groupOf(step) ?? []);
  for (const step of steps) {
    const group = groupOf(step);
    const obstacle = group && step.obstacle === null ? await undoGroup(ctx, group, own) : step.obstacle;
    if (group && obstacle === null) await deleteChanges(sql, viewer.account_id, session, group);
    else own = own.filter((one) => one !== group);
    done.push({ ...step, obstacle });
  }
  await sql`
    update agent_sessions s
    set undone_at = now()
    where s.id = ${session}
      and s.account_id = ${viewer.account_id}
      and not exists (select from agent_changes c where c.session_id = s.id)
  `;
  return done;
}

/**
 * What the undo of a database would take from others.
 *
 * @param undone the groups that are undone with it
 */
async function lossOf(
  sql: Sql,
  account_id: number,
  group: Group,
  undone: readonly Group[],
): Promise<string | undefined> {
  const { object, object_id } = group.first;
  if (object !== "db" || actionOf(group) === "create" || actionOf(group) === "none") return undefined;
  const own = undone.flatMap(({ first: { object, object_id, action, before } }) =>
    object === "record" ? [{ id: object_id, before: action === "create" ? null : Object(before?.data) }] : []
  );
  return await lossOfUndo(sql, account_id, Number(object_id), group.changes, own);
}

/** @returns why it cannot be undone; null if it is */
async function undoGroup(ctx: Context, group: Group, undone: readonly Group[]): Promise<string | null> {
  const { object, object_id, db_id, before } = group.first;
  const reversal = REVERSALS[object];
  const place = { id: object_id, db_id };
  try {
    allow(ctx.viewer, ...NEEDED[object]);
    // Once more: records may have come since the plan.
    const loss = await lossOf(ctx.sql, ctx.viewer.account_id, group, undone);
    if (loss !== undefined) return loss;
    switch (actionOf(group)) {
      case "delete":
        await reversal.remove(ctx, place);
        break;
      case "create":
        if (before) await reversal.create(ctx, place, before);
        break;
      case "restore":
        // Renamed fields keep their values only if each change of a schema is reversed by itself.
        for (const change of object === "db" ? group.changes.toReversed() : [group.first]) {
          if (change.before) await reversal.restore(ctx, place, change.before);
        }
    }
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(refusal instanceof Refusal) || refusal.status >= 500) throw error;
    if (refusal.status === 404 && actionOf(group) === "delete") return null;
    return sentenceOf(refusal);
  }
}

/** Names what uses the object, because an undo has no `force`. */
function sentenceOf({ message, body: { used_by } }: Refusal): string {
  if (!Array.isArray(used_by)) return message;
  const uses = used_by.slice(0, 5).map(({ kind, name }) => `the ${kind} ${name}`);
  return uses.length === 0 ? "Something uses it" : `It is used by ${uses.join(", ")}`;
}

function actionOf({ first, last }: Group): UndoStep["action"] {
  if (first.action === "create") return last.action === "delete" ? "none" : "delete";
  return last.action === "delete" ? "create" : "restore";
}

/** The first value of a record, as its name. */
const first = (before: Record<string, unknown> | null): unknown =>
  Object.values(Object(before?.data)).find((value) => value !== null);

/** The latest objects first. @throws {Refusal} 404 */
async function readGroups(sql: Sql, viewer: Context["viewer"], session: string): Promise<Group[]> {
  const [known] = await sql`select from agent_sessions s where s.id = ${session} and ${seenBy(sql, viewer)}`;
  if (!known) throw notFound("Session");
  const changes = await sql<KeptChange[]>`
    select id, object, object_id, db_id, action, before
    from agent_changes
    where session_id = ${session}
      and account_id = ${viewer.account_id}
    order by id desc
    limit ${MOST_CHANGES}
  `;
  const grouped = Map.groupBy(changes.toReversed(), ({ object, object_id }) => `${object} ${object_id}`);
  const groups = [...grouped.values()].flatMap((changes): Group[] => {
    const [first, last] = [changes[0], changes.at(-1)];
    return first && last ? [{ changes, first, last }] : [];
  });
  return groups.toSorted((a, b) => a.first.id < b.first.id ? 1 : -1);
}

/** Objects with an entry in the audit log that is later than the session's first change, and not its own. */
async function changedSince(
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
    )
  `;
  return new Set(rows.map(({ key }) => key));
}

/** Present names, by object and id. A record is named by its database. */
async function namesOf(sql: Sql, account_id: number, groups: readonly Group[]): Promise<Map<string, string>> {
  const json = groups.map(({ first: { object, object_id, db_id } }) => ({ object, object_id, db_id }));
  const rows = await sql<{ key: string; name: string | null }[]>`
    select g.object || ' ' || g.object_id as key, case g.object
      when 'app' then (select name from apps a where a.id::text = g.object_id and a.account_id = ${account_id})
      when 'db' then (select name from dbs d where d.id::text = g.object_id and d.account_id = ${account_id})
      when 'flow' then (select name from flows f where f.id::text = g.object_id and f.account_id = ${account_id})
      when 'cron' then (
        select coalesce(name, target_code) from crons c where c.id::text = g.object_id and c.account_id = ${account_id}
      )
      when 'record' then (
        select 'A record of ' || name from dbs d where d.id = g.db_id and d.account_id = ${account_id}
      )
    end as name
    from json_to_recordset(${JSON.stringify(json)}::text::json) g (object text, object_id text, db_id integer)
  `;
  return new Map(rows.flatMap(({ key, name }) => name === null ? [] : [[key, name]]));
}

async function deleteChanges(sql: Sql, account_id: number, session: string, { changes }: Group): Promise<void> {
  const ids = changes.map(({ id }) => id);
  await sql`
    delete from agent_changes
    where session_id = ${session} and account_id = ${account_id} and id = any(${ids}::uuid[])
  `;
}
