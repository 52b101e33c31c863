/**
 * Undoes what an agent's session has changed, the latest first. Each object is undone by the functions that a person's own
 * change calls, so apps and flows get new versions, and the audit log names the person. Each object is undone in one
 * transaction: all of the session's changes of it, and only once. An object that another user has changed since is left as
 * it is.
 */
import type { Context } from "../../context.ts";
import { settlingPool } from "../../database/acting.ts";
import { Refusal } from "../../errors.ts";
import type { Sql } from "../../database/pool.ts";
import { refusalOf } from "../../trpc.ts";
import { allowPerson } from "./program_or_person.ts";
import { allow, type Role, type Viewer } from "../../viewer.ts";
import { nameOfUse } from "../archive/thing.ts";
import { inTransaction } from "../archive/transaction.ts";
import { REVERSALS } from "./reversals.ts";
import type { Changed, UndoStep } from "./schema.ts";
import {
  actionOf,
  changedSince,
  deleteChanges,
  type Group,
  keyOf,
  readGroups,
  readPresent,
} from "./session_changes.ts";
import { lossOfUndo } from "./table_records.ts";

/** The role and the scope of the procedures that make the same change. */
const NEEDED: Record<Changed, [role: Role, scope: string]> = {
  app: ["manager", "apps:write"],
  db: ["manager", "dbs:write"],
  flow: ["manager", "flows:write"],
  cron: ["manager", "crons:write"],
  record: ["user", "records:write"],
};

interface Planned {
  group: Group;
  step: UndoStep;
}

const CHANGED_SINCE = "It has been changed since, and not by this session";
const UNDONE = "It has been undone already";
const UNSEEN = "You do not see it any more";

/** What an undo would do, in its order. @throws {Refusal} 404 */
export const planUndo = async ({ sql, viewer }: Context, session: string): Promise<UndoStep[]> =>
  (await plan(sql, viewer, session)).map(({ step }) => step);

async function plan(sql: Sql, viewer: Viewer, session: string): Promise<Planned[]> {
  const { groups, changed } = await readGroups(sql, viewer, session);
  const present = await readPresent(sql, viewer, groups);
  const own = groups.filter(({ first }) => !changed.has(keyOf(first)));
  const planned: Planned[] = [];
  // One after the other: an undo has a thousand objects at most, and few databases.
  for (const group of groups) {
    const { first: { object, object_id }, last, changes } = group;
    const key = keyOf(group.first);
    const { name, is_seen = null } = present.get(key) ?? {};
    const action = actionOf(group);
    const is_unseen = is_seen === false && (action === "delete" || action === "restore");
    const obstacle = changed.has(key)
      ? CHANGED_SINCE
      : is_unseen
      ? UNSEEN
      : await lossOf(sql, viewer, group, own) ?? null;
    const known = String(last.before?.name ?? firstValue(last.before) ?? object);
    const step = { object, object_id, name: is_seen === false ? known : name ?? known, action };
    planned.push({ group, step: { ...step, changes: changes.length, obstacle } });
  }
  return planned;
}

/**
 * @returns what was done; steps with an obstacle were not, and can be tried again
 * @throws {Refusal} 403 for a token; 404
 */
export async function undoSession(ctx: Context, session: string): Promise<UndoStep[]> {
  const { sql, viewer } = ctx;
  const planned = await plan(sql, viewer, session);
  allowPerson(viewer);
  ctx.call.undoes = session;
  const obstacles = new Map(planned.map(({ group, step }) => [group, step.obstacle]));
  // Those that are undone already, and those that will be.
  const own = () => planned.flatMap(({ group }) => obstacles.get(group) === null ? [group] : []);
  for (let rest = own(); rest.length > 0;) {
    const used: Group[] = [];
    for (const group of rest) {
      const { obstacle, is_used } = await undoGroup(ctx, session, group, own());
      obstacles.set(group, obstacle);
      if (is_used) used.push(group);
    }
    // What used an object may be undone by now.
    rest = used.length < rest.length ? used : [];
  }
  await sql`
    update agent_sessions s
    set undone_at = now()
    where s.id = ${session}
      and s.account_id = ${viewer.account_id}
      and not exists (select from agent_changes c where c.session_id = s.id)
  `;
  return planned.map(({ group, step }) => ({ ...step, obstacle: obstacles.get(group) ?? null }));
}

/**
 * What the undo of a database would take from others.
 *
 * @param undone the groups that are undone with it
 */
async function lossOf(
  sql: Sql,
  viewer: Viewer,
  group: Group,
  undone: readonly Group[],
): Promise<string | undefined> {
  const { object, object_id } = group.first;
  if (object !== "db" || actionOf(group) === "create" || actionOf(group) === "none") return undefined;
  const own = undone.flatMap(({ first: { object, object_id, action, before } }) =>
    object === "record" ? [{ id: object_id, before: action === "create" ? null : Object(before?.data) }] : []
  );
  return await lossOfUndo(sql, viewer, Number(object_id), group.changes, own);
}

interface Undone {
  /** Why it cannot be undone; null if it is. */
  obstacle: string | null;
  /** Something uses the object. */
  is_used: boolean;
}

async function undoGroup(ctx: Context, session: string, group: Group, undone: readonly Group[]): Promise<Undone> {
  const { viewer } = ctx;
  const { object, object_id } = group.first;
  try {
    allow(viewer, ...NEEDED[object]);
    if (object === "app") await undoApp(ctx, session, group);
    else {
      await inTransaction(ctx, async (ctx) => {
        if (object === "db") {
          // Waits for those who write records. Once more: records may have come since the plan.
          await ctx.sql`select from dbs where id = ${Number(object_id)} for update`;
          const loss = await lossOf(ctx.sql, viewer, group, undone);
          if (loss !== undefined) throw new Refusal(409, loss);
        }
        await reverse(ctx, group);
        await settle(ctx.sql, viewer, session, group);
        return { commits: true, result: undefined };
      });
    }
    return { obstacle: null, is_used: false };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!(refusal instanceof Refusal) || refusal.status >= 500) throw error;
    const is_used = Array.isArray(refusal.body.used_by);
    if (refusal.status !== 404 || actionOf(group) !== "delete") return { obstacle: sentenceOf(refusal), is_used };
    const present = (await readPresent(ctx.sql, viewer, [group])).get(keyOf(group.first));
    if (present?.is_seen === false) return { obstacle: UNSEEN, is_used: false };
    await deleteChanges(ctx.sql, viewer, session, group);
    return { obstacle: null, is_used: false };
  }
}

/** An app is compiled before its transaction begins, which would keep the embedded database's only session. */
async function undoApp(ctx: Context, session: string, group: Group): Promise<void> {
  let is_settled = false;
  const sql = settlingPool(ctx.sql, async (tx, rows) => {
    // The statement that writes the app returns its row. Where another change came first, it writes nothing, and the app is
    // compiled again.
    if (Array.isArray(rows) && rows.length === 0) return "commit";
    await settle(tx, ctx.viewer, session, group);
    is_settled = true;
    return "commit";
  });
  await reverse(Object.create(ctx, { sql: { value: sql } }), group);
  if (actionOf(group) === "none") await deleteChanges(ctx.sql, ctx.viewer, session, group);
  else if (!is_settled) throw new Error(`the undo of the app ${group.first.object_id} has written nothing`);
}

async function reverse(ctx: Context, group: Group): Promise<void> {
  const { object, object_id: id, db_id, before } = group.first;
  const reversal = REVERSALS[object];
  const place = { id, db_id };
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
}

/**
 * Runs at the end of an object's transaction. The reversal has locked the object, so no other transaction can change it
 * before the commit.
 *
 * @throws {Refusal} 409 if another user has changed the object since the plan, or another undo has undone it
 */
async function settle(tx: Sql, viewer: Viewer, session: string, group: Group): Promise<void> {
  const changed = await changedSince(tx, viewer.account_id, session, [group.first]);
  if (changed.size > 0) throw new Refusal(409, CHANGED_SINCE);
  if (await deleteChanges(tx, viewer, session, group) < group.changes.length) throw new Refusal(409, UNDONE);
}

/** Names what uses the object, because an undo has no `force`. */
function sentenceOf({ message, body: { used_by } }: Refusal): string {
  if (!Array.isArray(used_by)) return message;
  const uses = used_by.slice(0, 5).map(nameOfUse);
  return uses.length === 0 ? "Something uses it" : `It is used by ${uses.join(", ")}`;
}

/** The first value of a record, as its name. */
const firstValue = (before: Record<string, unknown> | null): unknown =>
  Object.values(Object(before?.data)).find((value) => value !== null);
