/** SQL of lists of agents' sessions. */
import type { Json } from "../../database/json.ts";
import { listJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import type { AgentSession, AgentSessionPage } from "./schema.ts";

/** More changes of a session are not counted. */
export const MOST_CHANGES = 1_000;

/** Members see sessions with their own tokens, admins all of the account. */
export const seenBy = (sql: Sql, { account_id, user_id, role }: Viewer) =>
  sql`s.account_id = ${account_id} ${role === "admin" ? sql`` : sql`and s.user_id = ${user_id}`}`;

export function listSessions(sql: Sql, viewer: Viewer, page: AgentSessionPage): Promise<Json<AgentSession[]>> {
  const chosen = sql`from agent_sessions s where ${seenBy(sql, viewer)}`;
  return listJson<AgentSession>(
    sql,
    sql`
      select
        s.id, s.name, s.version, s.user_id, (select u.name from users u where u.id = s.user_id) as user_name,
        (
          select count(*)::int from (select from agent_changes c where c.session_id = s.id limit ${MOST_CHANGES}) counted
        ) as changes,
        iso(s.created_at) as created_at, iso(s.last_seen_at) as last_seen_at, iso(s.ended_at) as ended_at,
        iso(s.undone_at) as undone_at
      ${chosen}
      order by s.id desc
      ${slice(sql, page)}
    `,
    sql`select count(*) ${chosen}`,
  );
}
