/** SQL of an app's actions. */
import type { Sql } from "../../database/pool.ts";

export interface FoundAction {
  account_id: number;
  department_id: number | null;
  active: boolean;
  public: boolean;
  /** Null if the app has no action of that name. */
  flow_code: string | null;
  action_public: boolean | null;
  /** The user who wrote the action last; null if that user is unknown. */
  author_id: number | null;
}

/** Finds an app's action without regard to visibility, which the caller of this function checks. */
export async function findAction(sql: Sql, app_id: string, name: string): Promise<FoundAction | undefined> {
  const [found] = await sql<FoundAction[]>`
    select
      account_id, department_id, active, public,
      a.action ->> 'flow_code' as flow_code, (a.action ->> 'public')::boolean as action_public,
      (action_authors ->> ${name})::int as author_id
    from apps
    left join lateral (
      select action from jsonb_array_elements(actions::jsonb) action where action ->> 'action' = ${name} limit 1
    ) a on true
    where id = ${app_id}
  `;
  return found;
}
