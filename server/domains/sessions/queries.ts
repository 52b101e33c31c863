/** SQL of sessions. */
import type { Buffer } from "node:buffer";
import { listJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import { IDLE_DAYS, LONGEST_DAYS } from "../../session_cookie.ts";
import { relationOf, type Use } from "../../uses.ts";
import type { Viewer } from "../../viewer.ts";
import type { Session, SessionPage } from "./schema.ts";

/** A session that has not ended. */
const isLive = (sql: Sql) =>
  sql`(
    s.last_seen_at > now() - make_interval(days => ${IDLE_DAYS})
    and s.created_at > now() - make_interval(days => ${LONGEST_DAYS})
  )`;

/** Its opposite, in a form that uses the indexes. */
const hasEnded = (sql: Sql) =>
  sql`(
    s.last_seen_at <= now() - make_interval(days => ${IDLE_DAYS})
    or s.created_at <= now() - make_interval(days => ${LONGEST_DAYS})
  )`;

/** The user's own sessions, the newest first by default. */
export function listSessions(sql: Sql, { account_id, user_id, session_id }: Viewer, page: SessionPage) {
  const own = sql`from sessions s where s.account_id = ${account_id} and s.user_id = ${user_id} and ${isLive(sql)}`;
  return listJson<Session>(
    sql,
    sql`
      select
        s.id, s.device, s.address, coalesce(s.id = ${session_id}::int, false) as current,
        iso(s.last_seen_at) as last_seen_at, iso(s.created_at) as created_at
      ${own}
      order by ${page.sort === "id" ? sql`s.id` : sql`s.id desc`}
      ${slice(sql, page)}
    `,
    sql`select count(*) ${own}`,
  );
}

/** A user who may sign in, or whose password must at least be compared as if. */
export interface Candidate {
  id: number;
  account_id: number;
  active: boolean;
  password_hash: string | null;
}

/** @param login a login or an e-mail address; a login goes first where it is another user's address */
export async function findCandidate(sql: Sql, account: number, login: string): Promise<Candidate | undefined> {
  const folded = fold(login.trim());
  const [user] = await sql<Candidate[]>`
    select id, account_id, active, password_hash
    from users
    where account_id = ${account}
      and (login_folded = ${folded} or email_folded = ${folded})
    order by login_folded = ${folded} desc
    limit 1
  `;
  return user;
}

export interface Row {
  account_id: number;
  user_id: number;
  hash: Buffer;
  device: string;
  address: string;
  /** The hash that a password was compared with; absent where the user was proven in another way. */
  password_hash?: string | null;
}

/**
 * The lock makes a change of the user wait: it then ends this session, too. A change that came first is seen here.
 *
 * @returns undefined where the user is gone, has been switched off or has got another password in the meantime
 */
export async function insertSession(sql: Sql, row: Row): Promise<number | undefined> {
  const [session] = await sql<{ id: number }[]>`
    insert into sessions (account_id, user_id, hash, device, address)
    select account_id, id, ${row.hash}, ${row.device}, ${row.address}
    from users
    where id = ${row.user_id}
      and account_id = ${row.account_id}
      and active
      ${row.password_hash === undefined ? sql`` : sql`and password_hash is not distinct from ${row.password_hash}`}
    for share
    returning id
  `;
  return session?.id;
}

export async function deleteSession(sql: Sql, account: number, user: number, id: number): Promise<boolean> {
  const { count } = await sql`delete from sessions where id = ${id} and account_id = ${account} and user_id = ${user}`;
  return count > 0;
}

/** @param kept the session that stays; null deletes all */
export const deleteSessions = (sql: Sql, account: number, user: number, kept: number | null) =>
  sql`
    delete from sessions
    where account_id = ${account}
      and user_id = ${user}
      and id is distinct from ${kept}::int
  `;

/** Gives a session another secret. @returns false if it has ended */
export async function renewSession(sql: Sql, account: number, user: number, id: number, hash: Buffer) {
  const { count } = await sql`
    update sessions
    set hash = ${hash}
    where id = ${id}
      and account_id = ${account}
      and user_id = ${user}
  `;
  return count > 0;
}

export const deleteSessionByHash = (sql: Sql, hash: Buffer) => sql`delete from sessions where hash = ${hash}`;

/**
 * The query of authentication, which uses an index. The session must be live, and its user active.
 *
 * @param by the hash of the session's secret, or its id
 */
export async function findSessionViewer(sql: Sql, by: Buffer | number): Promise<Viewer | undefined> {
  const [viewer] = await sql<Viewer[]>`
    select
      s.account_id, s.user_id, null as token_id, s.id as session_id, u.role, null as scopes, null as expires_at,
      a.departments_mode = 'restricted' as restricted, u.without_department,
      array(select d.department_id from department_users d where d.user_id = u.id) as department_ids
    from sessions s
    join users u on u.id = s.user_id
    join accounts a on a.id = s.account_id
    where ${typeof by === "number" ? sql`s.id = ${by}` : sql`s.hash = ${by}`}
      and u.active
      and ${isLive(sql)}
  `;
  return viewer;
}

/**
 * A session that has ended stays so: its last use may be written after its end.
 *
 * @param uses milliseconds since 1970 by session id
 */
export const touchSessions = (sql: Sql, uses: readonly Use[]) =>
  sql`
    update sessions s
    set last_seen_at = greatest(s.last_seen_at, to_timestamp(u.at / 1000.0))
    from ${relationOf(sql, uses)} u (id, account_id, at)
    where s.id = u.id
      and s.account_id = u.account_id
      and ${isLive(sql)}
  `;

/** Deletes sessions that have ended, and attempts that count no longer. @returns how many, at most `at_once` of each */
export async function sweepSessions(sql: Sql, attempts_count_for_s: number, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from sessions s
    where s.ctid = any(array(
      select s.ctid from sessions s where ${hasEnded(sql)} limit ${at_once}
    ))
  `;
  const attempts = await sql`
    delete from sign_in_attempts a
    where a.ctid = any(array(
      select a.ctid
      from sign_in_attempts a
      where a.attempted_at < now() - make_interval(secs => ${attempts_count_for_s})
      limit ${at_once}
    ))
  `;
  return Math.max(count, attempts.count);
}
