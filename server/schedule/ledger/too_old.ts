/** When a row of the ledger is given up: its run is not started any more, whatever it has waited for. */
import type { Sql } from "../../database/pool.ts";

/** The flow engine remembers idempotency keys for 24 hours and deletes a run's data by the age of its id. */
const GIVEN_UP_HOURS = 23;
/** Longer than any run may take. */
export const LOST_HOURS = 2;

/**
 * A condition on a ledger row `r` and its trigger `c`. With `catch_up` 0 a due time never runs late: it is given up when
 * its minute is over, unless it has waited for the run before. An event has no due time that it could miss, and its sender
 * was told that it is accepted.
 */
export const isTooOld = (sql: Sql, now: Date) =>
  sql`(
    r.created_at < now() - ${GIVEN_UP_HOURS}::int * interval '1 hour'
    or r.event_key is null and (
      r.due_at < ${now}::timestamptz - (c.catch_up + ${3_600 * LOST_HOURS}::int) * interval '1 second'
      or c.catch_up = 0 and r.state = 'ran' and not r.by_hand and r.due_at <= ${now}::timestamptz - interval '1 minute'
    )
  )`;

/** The reason of a ledger row `r` that is given up. */
export const tooOldReason = (sql: Sql) =>
  sql`
    case when r.event_key is null
      then ${`not started in time, nor within its catch-up window and ${LOST_HOURS} hours`}
      else ${`not started within ${GIVEN_UP_HOURS} hours`}
    end
  `;
