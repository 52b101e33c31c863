/**
 * Challenges: random values that a browser must bring back within 10 minutes, each once. They are stored in PostgreSQL, so that
 * every process knows them, as SHA-256.
 */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import { Refusal } from "../../errors.ts";
import { countedAs } from "../../fairness/counted_as.ts";

/** Seconds for which a challenge can be used. */
export const CHALLENGE_S = 10 * 60;
/** The most unused challenges of one user or address. */
export const MOST_CHALLENGES = 100;

export interface Challenge {
  account_id: number;
  purpose: "passkey registration" | "passkey sign-in" | "oidc";
  /** The user who registers something; null for a sign-in. */
  user_id: number | null;
}

const hashOf = (secret: string) => createHash("sha256").update(secret).digest();

/**
 * @param address the caller's, by which the challenges of callers without a login are limited
 * @param details returned by `takeChallenge`
 * @throws {Refusal} 429 where the user or the address has too many
 */
export async function addChallenge(
  sql: Sql,
  { account_id, purpose, user_id }: Challenge,
  secret: string,
  address: string,
  details: Record<string, string>,
): Promise<void> {
  const subject = user_id === null ? countedAs(address) : `user ${user_id}`;
  const { count } = await sql`
    insert into sign_in_challenges (hash, account_id, purpose, user_id, subject, details)
    select ${hashOf(secret)}, ${account_id}, ${purpose}, ${user_id}, ${subject}, ${sql.json(details)}
    where (
      select count(*)
      from (
        select 1
        from sign_in_challenges
        where subject = ${subject}
          and created_at > now() - make_interval(secs => ${CHALLENGE_S})
        limit ${MOST_CHALLENGES}
      ) known
    ) < ${MOST_CHALLENGES}
  `;
  if (count === 0) {
    throw new Refusal(429, "Too many attempts to sign in: try again later", {
      headers: { "retry-after": String(CHALLENGE_S) },
    });
  }
}

/**
 * Uses a challenge up, whatever becomes of the attempt.
 *
 * @returns its details; undefined where it is unknown, has been used, is too old or was made for something else
 */
export async function takeChallenge(
  sql: Sql,
  { account_id, purpose, user_id }: Challenge,
  secret: string,
): Promise<Record<string, string> | undefined> {
  const [taken] = await sql<{ details: Record<string, string> }[]>`
    delete from sign_in_challenges
    where hash = ${hashOf(secret)}
      and account_id = ${account_id}
      and purpose = ${purpose}
      and user_id is not distinct from ${user_id}::int
      and created_at > now() - make_interval(secs => ${CHALLENGE_S})
    returning details
  `;
  return taken?.details;
}

/** @returns how many it deleted, at most `at_once` */
export async function sweepChallenges(sql: Sql, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from sign_in_challenges c
    where c.ctid = any(array(
      select c.ctid
      from sign_in_challenges c
      where c.created_at <= now() - make_interval(secs => ${CHALLENGE_S})
      limit ${at_once}
    ))
  `;
  return count;
}
