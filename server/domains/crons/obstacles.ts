/** Why triggers cannot start their flows at present. A start decides the same way, at its own time. */
import type { Sql } from "../../database/pool.ts";
import { NoReach, reachOfAuthor, type Users } from "../../reach.ts";
import { type Restriction, visibleTo } from "../../visibility.ts";
import { findKnownUser } from "../user_settings/queries.ts";

interface Trigger {
  target_code: string;
  author_id: number | null;
}

interface Target {
  code: string;
  active: boolean;
  department_id: number | null;
}

/** @param sql the transaction, if the triggers were read in one */
export async function withObstacles<T extends Trigger>(
  sql: Sql,
  account: number,
  triggers: readonly T[],
): Promise<(T & { obstacle: string | null })[]> {
  const flows = new Map((await listTargets(sql, account, triggers)).map((flow) => [flow.code, flow]));
  const reaches = new Map<number | null, Restriction | NoReach>();
  for (const author_id of new Set(triggers.map(({ author_id }) => author_id))) {
    reaches.set(author_id, await reachOrFault(sql, account, author_id));
  }
  return triggers.map((trigger) => {
    const reach = reaches.get(trigger.author_id);
    return { ...trigger, obstacle: reach ? obstacleOf(trigger, reach, flows.get(trigger.target_code)) : null };
  });
}

function obstacleOf({ target_code }: Trigger, reach: Restriction | NoReach, flow: Target | undefined): string | null {
  if (reach instanceof NoReach) return reach.message;
  if (!flow || !visibleTo(reach, flow.department_id)) return `there is no flow ${target_code}`;
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
