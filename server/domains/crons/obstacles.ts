/** Why triggers cannot start their flows at present. A start decides the same way, at its own time. */
import type { Sql } from "../../database/pool.ts";
import { NoReach, reachOfAuthor, type Users } from "../../reach.ts";
import { type Restriction, visibleTo } from "../../visibility.ts";
import { findKnownUser } from "../user_settings/queries.ts";

interface Trigger {
  target_code: string;
  author_id: number | null;
  /** Null unless changes of records start it. */
  record: { db_code: string } | null;
}

interface Target {
  code: string;
  active: boolean;
  department_id: number | null;
}

type Followed = Omit<Target, "active">;

/** @param sql the transaction, if the triggers were read in one */
export async function withObstacles<T extends Trigger>(
  sql: Sql,
  account: number,
  triggers: readonly T[],
): Promise<(T & { obstacle: string | null })[]> {
  const flows = new Map((await listTargets(sql, account, triggers)).map((flow) => [flow.code, flow]));
  const dbs = new Map((await listFollowed(sql, account, triggers)).map((db) => [db.code, db]));
  const reaches = new Map<number | null, Restriction | NoReach>();
  for (const author_id of new Set(triggers.map(({ author_id }) => author_id))) {
    reaches.set(author_id, await reachOrFault(sql, account, author_id));
  }
  return triggers.map((trigger) => {
    const reach = reaches.get(trigger.author_id);
    const db = trigger.record && dbs.get(trigger.record.db_code);
    return { ...trigger, obstacle: reach ? obstacleOf(trigger, reach, flows.get(trigger.target_code), db) : null };
  });
}

function obstacleOf(
  { target_code, record }: Trigger,
  reach: Restriction | NoReach,
  flow: Target | undefined,
  db: Followed | undefined | null,
): string | null {
  if (reach instanceof NoReach) return reach.message;
  if (!flow || !visibleTo(reach, flow.department_id)) return `there is no flow ${target_code}`;
  if (record && !(db && visibleTo(reach, db.department_id))) return `there is no database ${record.db_code}`;
  return flow.active ? null : `the flow ${target_code} is not active`;
}

function reachOrFault(sql: Sql, account: number, author_id: number | null): Promise<Restriction | NoReach> {
  const users: Users = { find: (account, user) => findKnownUser(sql, account, user) };
  return reachOfAuthor(users, account, author_id, "trigger").catch((error) => {
    if (error instanceof NoReach) return error;
    throw error;
  });
}

function listTargets(sql: Sql, account: number, triggers: readonly Trigger[]): Promise<Target[]> {
  const codes = [...new Set(triggers.map(({ target_code }) => target_code))];
  return sql<Target[]>`
    select code, active, department_id
    from flows
    where account_id = ${account}
      and code = any(${codes}::text[])
    limit ${codes.length}
  `;
}

async function listFollowed(sql: Sql, account: number, triggers: readonly Trigger[]): Promise<Followed[]> {
  const codes = [...new Set(triggers.flatMap(({ record }) => record ? [record.db_code] : []))];
  if (codes.length === 0) return [];
  return await sql<Followed[]>`
    select code, department_id
    from dbs
    where account_id = ${account}
      and code = any(${codes}::text[])
    limit ${codes.length}
  `;
}
