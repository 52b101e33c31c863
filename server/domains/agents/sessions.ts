/** SQL of agents' sessions. */
import type { Pool, Sql } from "../../database/pool.ts";
import { newUuid } from "../../database/uuid_v7.ts";
import type { Viewer } from "../../viewer.ts";

/** A session as a call of a tool needs it. */
export interface Session {
  id: string;
  name: string;
  account_id: number;
  user_id: number;
  token_id: number;
}

/** The viewer of an API token. */
export type TokenViewer = Viewer & { token_id: number };

/** Sessions that are not used for so long are deleted, with what an undo needs. */
const KEPT = "30 days";
/** Those that have changed nothing: many clients begin one whenever they start. */
const KEPT_UNCHANGED = "1 day";

export async function insertSession(
  sql: Sql,
  { account_id, user_id, token_id }: TokenViewer,
  { name, version }: { name: string; version: string },
): Promise<string> {
  const id = newUuid();
  await sql`
    insert into agent_sessions (id, account_id, user_id, token_id, name, version)
    values (${id}, ${account_id}, ${user_id}, ${token_id}, ${name}, ${version})
  `;
  return id;
}

/** A session that has not ended, of this token. Notes that it is used. */
export async function findSession(sql: Sql, viewer: TokenViewer, id: string): Promise<Session | undefined> {
  const { account_id, user_id, token_id } = viewer;
  const [row] = await sql<(Session & { idle: boolean })[]>`
    select id, name, account_id, user_id, token_id, last_seen_at < now() - interval '1 minute' as idle
    from agent_sessions
    where id = ${id}
      and account_id = ${account_id}
      and user_id = ${user_id}
      and token_id = ${token_id}
      and ended_at is null
  `;
  if (row?.idle) {
    await sql`update agent_sessions set last_seen_at = now() where id = ${id} and account_id = ${account_id}`;
  }
  return row;
}

export async function endSession(sql: Sql, { id, account_id }: Session): Promise<void> {
  await sql`update agent_sessions set ended_at = now() where id = ${id} and account_id = ${account_id}`;
}

/** Deletes old sessions, those without a change earlier, and confirmations that ended a day ago. */
export async function sweepAgents(sql: Pool, at_once: number): Promise<void> {
  await sql`
    delete from agent_confirmations
    where id in (
      select id from agent_confirmations where expires_at < now() - interval '1 day' order by expires_at limit ${at_once}
    )
  `;
  await sql`
    delete from agent_sessions
    where id in (
      select id
      from agent_sessions
      where last_seen_at < now() - ${KEPT}::text::interval
      order by last_seen_at
      limit ${at_once}
    )
  `;
  // Only a day of sessions is looked through; what a stopped server misses ends later.
  await sql`
    delete from agent_sessions
    where id in (
      select s.id
      from agent_sessions s
      where s.last_seen_at < now() - ${KEPT_UNCHANGED}::text::interval
        and s.last_seen_at > now() - 2 * ${KEPT_UNCHANGED}::text::interval
        and not exists (select from agent_changes c where c.session_id = s.id)
      order by s.last_seen_at
      limit ${at_once}
    )
  `;
}
