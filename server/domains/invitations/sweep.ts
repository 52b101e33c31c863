/** Deletes invitations and password resets that have expired, in small batches. */
import type { Sql } from "../../database/pool.ts";
import { deleteExpired } from "./queries.ts";

const AT_ONCE = 1_000;
/** The time limit of one sweep. The next one continues. */
const LONGEST_MS = 10_000;

export async function sweepLinks(sql: Sql): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (performance.now() < end && await deleteExpired(sql, AT_ONCE) === AT_ONCE);
}
