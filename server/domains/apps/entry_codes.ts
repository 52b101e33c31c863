/** One-time codes that lead a member from the site to an app's own host, where the session's cookie does not reach. */
import type { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import type { Sql } from "../../database/pool.ts";

/** Redirects take no longer. */
const LIFETIME_S = 30;

const hashOf = (code: string, asked: string): Buffer => createHash("sha256").update(code + asked).digest();

interface App {
  id: string;
  account_id: number;
}

/** @param asked the question of the host that takes the code, if it has asked @returns the code. Only its SHA-256 is stored */
export async function insertEntryCode(sql: Sql, app: App, session_id: number, asked = ""): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await sql`
    insert into app_entry_codes (hash, account_id, app_id, session_id, expires_at)
    select ${hashOf(code, asked)}, account_id, ${app.id}, id, now() + make_interval(secs => ${LIFETIME_S})
    from sessions
    where id = ${session_id}
      and account_id = ${app.account_id}
  `;
  return code;
}

/** Removes the code. @returns its session; undefined where the code is wrong, used, too old, or for another app or question */
export async function takeEntryCode(sql: Sql, app: App, code: string, asked: string): Promise<number | undefined> {
  const [taken] = await sql<{ session_id: number | null }[]>`
    delete from app_entry_codes
    where hash = ${hashOf(code, asked)}
      and account_id = ${app.account_id}
      and app_id = ${app.id}
    returning case when expires_at > now() then session_id end as session_id
  `;
  return taken?.session_id ?? undefined;
}

/** @returns how many were deleted, at most `at_once` */
export async function sweepEntryCodes(sql: Sql, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from app_entry_codes c
    where c.ctid = any(array(
      select c.ctid from app_entry_codes c where c.expires_at < now() limit ${at_once}
    ))
  `;
  return count;
}
