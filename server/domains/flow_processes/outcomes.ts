/** How many runs ended in which way, by hour, day or month. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { lowestId } from "../../database/uuid_v7.ts";
import { invalid } from "../../errors.ts";
import { isoOf } from "../../database/iso_time.ts";
import { latestPeriods, type Period, TimetableFault } from "../../schedule/schedule.ts";
import type { Viewer } from "../../viewer.ts";
import { filtered } from "./queries.ts";
import type { OutcomeCounts, OutcomeQuery } from "./schema.ts";

const COUNTS: Record<Period, number> = { hour: 48, day: 31, month: 13 };

/** The oldest period first. @throws {Refusal} 422 if there is no such time zone */
export async function countOutcomes({ sql, viewer, clock }: Context, query: OutcomeQuery): Promise<OutcomeCounts[]> {
  const moments = momentsOf(query, clock.now());
  const periods = moments.slice(0, -1).map((from, n): OutcomeCounts => ({
    from: isoOf(from),
    to: isoOf(moments[n + 1] ?? from),
    finished: 0,
    error: 0,
    cancelled: 0,
  }));
  const add = ({ n, status, count }: Counted) => {
    const period = periods[n - 1];
    if (period) period[status] += count;
  };
  const kept = await countKept(sql, viewer, query, moments);
  kept.forEach(add);
  // Finished runs are those that did not end otherwise.
  for (const { n, status, count } of kept) {
    const period = periods[n - 1];
    if (period && status !== "finished") period.finished -= count;
  }
  // Counts of deleted runs know neither users nor triggers.
  if (query.by !== "hour" && query.user_id === undefined && query.cron_id === undefined) {
    (await countDeleted(sql, viewer, query, moments)).forEach(add);
  }
  return periods;
}

function momentsOf({ by, timezone }: OutcomeQuery, now: Date): number[] {
  try {
    return latestPeriods(by, timezone, now, COUNTS[by]);
  } catch (error) {
    if (error instanceof TimetableFault) throw invalid({ [error.field]: [error.message] });
    throw error;
  }
}

interface Counted {
  /** Of the period, from 1. */
  n: number;
  status: "finished" | "error" | "cancelled";
  count: number;
}

/** All runs of a period, under `finished`, and those among them that ended otherwise. Both are read in an index only. */
const countKept = (sql: Sql, viewer: Viewer, query: OutcomeQuery, moments: readonly number[]): Promise<Counted[]> => {
  const ids = moments.map(lowestId);
  const within = sql`
    ${filtered(sql, viewer, query)} and id >= ${ids[0] ?? ""} and id < ${ids.at(-1) ?? ""}
  `;
  const period = sql`width_bucket(id, ${ids}::uuid[])`;
  return sql<Counted[]>`
    select ${period} as n, 'finished' as status, count(*)::int as count
    from flow_processes
    where ${within}
    group by 1
    union all
    select ${period}, status, count(*)::int
    from flow_processes
    where ${within}
      and status <> 'finished'
      and status in ('error', 'cancelled')
    group by 1, 2
  `;
};

/** A day belongs to the period that its noon is in. */
const countDeleted = (
  sql: Sql,
  viewer: Viewer,
  query: OutcomeQuery,
  moments: readonly number[],
): Promise<Counted[]> => {
  const times = moments.map(isoOf);
  return sql<Counted[]>`
    select
      width_bucket((day + interval '12 hours') at time zone 'utc', ${times}::timestamptz[]) as n, status,
      sum(count)::int as count
    from flow_outcomes
    where ${filtered(sql, viewer, query)}
      and day >= ${times[0] ?? ""}::timestamptz::date
      and day <= ${times.at(-1) ?? ""}::timestamptz::date
    group by 1, 2
  `;
};
