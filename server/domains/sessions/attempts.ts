/**
 * Limits attempts to sign in, and other guesses of passwords: 10 in 15 minutes by login, and by address, whatever process they reach. Source: SECURITY.md.
 * An attempt counts before its password is compared, so that parallel attempts cannot exceed the limit.
 */
import { createHash } from "node:crypto";
import type { Pool, Sql } from "../../database/pool.ts";
import { Refusal } from "../../errors.ts";
import { countedAs } from "../../fairness/counted_as.ts";
import { fold } from "../../input/shapes.ts";
import type { Call } from "../../viewer.ts";

export const MOST_ATTEMPTS = 10;
export const WINDOW_S = 15 * 60;

/** What attempts are counted by. A long login and an address in any spelling become short texts. */
export function subjectsOf(account: number, login: string, address: string): string[] {
  const hash = createHash("sha256").update(fold(login.trim())).digest("base64url");
  return [`login ${account} ${hash}`, subjectOfAddress(address)].sort();
}

/** What attempts without a login are counted by. */
export const subjectOfAddress = (address: string): string => `address ${countedAs(address)}`;

/**
 * Counts an attempt.
 *
 * @throws {Refusal} 429 where one of the subjects has too many; the attempt is then not counted
 */
export async function countAttempt(sql: Pool, subjects: readonly string[]): Promise<void> {
  const wait_s = await sql.begin(async (sql) => {
    // In one order for all: two attempts never wait for each other.
    for (const subject of subjects) await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 12))`;
    const waits = await Promise.all(subjects.map((subject) => waitOf(sql, subject)));
    const longest = Math.max(...waits);
    if (longest === 0) await sql`insert into sign_in_attempts (subject) select unnest(${[...subjects]}::text[])`;
    return longest;
  });
  if (wait_s > 0) {
    throw new Refusal(429, "Too many attempts: try again later", {
      headers: { "retry-after": String(wait_s) },
    });
  }
}

/**
 * Counts a link with a wrong secret, by address and apart from attempts to sign in: any site can make a browser load
 * wrong links, which must not lock the people at its address out. What a page loads as a part of itself, such as an
 * image, is not counted.
 *
 * @throws {Refusal} 429
 */
export async function countWrongLink(
  sql: Pool,
  { request, address }: Pick<Call, "request" | "address">,
): Promise<void> {
  if ((request.headers.get("sec-fetch-dest") ?? "document") !== "document") return;
  await countAttempt(sql, [`link from ${countedAs(address)}`]);
}

/** Seconds until one more attempt is possible; 0 where it is now. */
async function waitOf(sql: Sql, subject: string): Promise<number> {
  const [oldest] = await sql<{ wait_s: number }[]>`
    select greatest(1, ceil(extract(epoch from attempted_at - now()) + ${WINDOW_S}))::int as wait_s
    from sign_in_attempts
    where subject = ${subject}
      and attempted_at > now() - make_interval(secs => ${WINDOW_S})
    order by attempted_at desc
    offset ${MOST_ATTEMPTS - 1}
    limit 1
  `;
  return oldest?.wait_s ?? 0;
}

const isAddress = (subject: string) => subject.startsWith("address ");

/** After a success: its attempt was none to limit, and the earlier ones are forgiven, except those of the address. */
export const forgiveAttempts = (sql: Sql, subjects: readonly string[]) =>
  sql`
    delete from sign_in_attempts a
    where a.subject = any(${subjects.filter((subject) => !isAddress(subject))}::text[])
      or a.ctid = any(array(
        select latest.ctid
        from sign_in_attempts latest
        where latest.subject = any(${subjects.filter(isAddress)}::text[])
        order by latest.attempted_at desc
        limit 1
      ))
  `;
