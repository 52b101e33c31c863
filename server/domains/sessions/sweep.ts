/** Deletes sessions that have ended, and attempts and challenges that count no longer, in small batches. */
import type { Sql } from "../../database/pool.ts";
import { WINDOW_S } from "./attempts.ts";
import { sweepChallenges } from "./challenges.ts";
import { sweepSessions } from "./queries.ts";

const AT_ONCE = 1_000;
/** The time limit of one sweep. The next one continues. */
const LONGEST_MS = 10_000;

export async function sweepSignIns(sql: Sql): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (performance.now() < end && await sweepSessions(sql, WINDOW_S, AT_ONCE) === AT_ONCE);
  while (performance.now() < end && await sweepChallenges(sql, AT_ONCE) === AT_ONCE);
}
