/** What the ledgers of triggers show at a glance: the latest due times, and counts by day. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import { isoOf } from "../../database/iso_time.ts";
import { latestPeriods } from "../../schedule/schedule.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import { findCron } from "./queries.ts";
import { type CronDay, type CronSlots, type ListedCron, SLOTS } from "./schema.ts";
import { dayAhead, nextTimes } from "./timetable.ts";

/** In the order of the triggers' ids. */
export async function readCronSlots(ctx: Context, ids: readonly number[]): Promise<CronSlots[]> {
  const found = await listSlots(ctx.sql, ctx.viewer, ids);
  return found.map(({ id, slots, ...cron }) => ({
    cron_id: id,
    next_times: nextTimes(ctx, cron),
    ahead: dayAhead(ctx, cron),
    slots,
  }));
}

type Listed = Pick<ListedCron, "id" | "active" | "schedule" | "timezone"> & Pick<CronSlots, "slots">;

const listSlots = (sql: Sql, viewer: Viewer, ids: readonly number[]): Promise<Listed[]> =>
  sql<Listed[]>`
    select c.id, c.active, c.schedule, c.timezone, r.slots
    from crons c
    cross join lateral (
      select coalesce(json_agg(json_build_object('due_at', due_at, 'state', state) order by due_at, id), '[]') as slots
      from (
        select
          id, iso(due_at) as due_at,
          case when outcome = 'error' and state in ('ran', 'late') then 'failed' else state end as state
        from cron_runs
        where cron_id = c.id
          and account_id = ${viewer.account_id}
          and not by_hand
        order by cron_runs.due_at desc, id desc
        limit ${SLOTS}
      ) latest
    ) r
    where c.id = any(${[...ids]}::int[])
      and c.account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
    order by c.id
  `;

/** The ledger is kept for 90 days. */
const DAYS = 91;

/** @throws {Refusal} 404 */
export async function readCronDays({ sql, viewer, clock }: Context, id: number): Promise<CronDay[]> {
  const cron = (await findCron(sql, viewer, id))?.parse();
  if (!cron) throw notFound("Trigger");
  const moments = latestPeriods("day", cron.timezone, clock.now(), DAYS);
  const date = new Intl.DateTimeFormat("en-CA", { timeZone: cron.timezone, dateStyle: "short" });
  const days = moments.slice(0, -1).map((from, n): CronDay => ({
    // Noon is on the same day, whatever clocks do at midnight.
    day: date.format(from + 12 * 3_600_000),
    from: isoOf(from),
    to: isoOf(moments[n + 1] ?? from),
    ran: 0,
    late: 0,
    queued: 0,
    skipped: 0,
    missed: 0,
    failed: 0,
  }));
  for (const { n, state, failed, slots } of await countDays(sql, viewer.account_id, id, moments)) {
    const day = days[n - 1];
    if (!day) continue;
    day[state] += slots;
    if (failed) day.failed += slots;
  }
  return days;
}

interface Counted {
  /** Of the day, from 1. */
  n: number;
  state: CronSlots["slots"][number]["state"] & keyof CronDay;
  failed: boolean;
  slots: number;
}

const countDays = (sql: Sql, account: number, id: number, moments: readonly number[]): Promise<Counted[]> => {
  const times = moments.map(isoOf);
  return sql<Counted[]>`
    select
      width_bucket(due_at, ${times}::timestamptz[]) as n, state,
      outcome = 'error' and state in ('ran', 'late') as failed, sum(slots)::int as slots
    from cron_runs
    where cron_id = ${id}
      and account_id = ${account}
      and not by_hand
      and due_at >= ${times[0] ?? ""}
      and due_at < ${times.at(-1) ?? ""}
    group by 1, 2, 3
  `;
};
