/** Runs that are old enough to be forgotten, in small batches, so that nobody waits. */
import type { Sql } from "../../database/pool.ts";
import { lowestId } from "../../database/uuid_v7.ts";

/** Source: issue 5, "Inspection". */
const RUNS_KEPT_DAYS = 14;
/** The engine does not go on with a run that was made so long ago. */
export const VALUES_KEPT_HOURS = 24;
const AT_ONCE = 500;
/** Of a minute: whoever has more to sweep goes on in the next one. */
const LONGEST_MS = 10_000;

export async function sweepHistory(sql: Sql, now: Date): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  const runs = lowestId(now.getTime() - RUNS_KEPT_DAYS * 24 * 3_600_000);
  const values = lowestId(now.getTime() - VALUES_KEPT_HOURS * 3_600_000);
  const untilDone = async (work: () => Promise<{ count: number }>) => {
    while (performance.now() < end && (await work()).count === AT_ONCE);
  };
  await untilDone(() =>
    sql`
    delete from flow_processes
    where id in (select id from flow_processes where id < ${runs} order by id limit ${AT_ONCE} for update skip locked)
  `
  );
  await untilDone(() =>
    sql`
    delete from flow_values
    where (run_id, place) in (
      select run_id, place from flow_values where run_id < ${values} order by run_id limit ${AT_ONCE} for update skip locked
    )
  `
  );
  await untilDone(() =>
    sql`
    delete from flow_effects
    where (run_id, place) in (
      select run_id, place from flow_effects where run_id < ${values} order by run_id limit ${AT_ONCE} for update skip locked
    )
  `
  );
  await untilDone(() =>
    sql`
    delete from flow_claims
    where run_id in (
      select run_id from flow_claims where run_id < ${values} order by run_id limit ${AT_ONCE} for update skip locked
    )
  `
  );
  await untilDone(() =>
    sql`
    delete from flow_versions
    where (flow_id, version) in (
      select flow_id, version
      from flow_versions
      where replaced_at < ${new Date(now.getTime() - 24 * 3_600_000).toISOString()}
      order by replaced_at
      limit ${AT_ONCE}
      for update skip locked
    )
  `
  );
}
