/**
 * Waiting runs: rows of `flow_waits` with a wake time. A row stays while its run is in progress again, without a wake
 * time, and is deleted when the run has ended.
 */
import type { Sql } from "../../database/pool.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { RunHead, StepRecord } from "../run/model.ts";
import { storable } from "../storage/storable.ts";

/** Why a run is suspended: until a moment, or until one of what it awaits has ended. */
export interface Wait {
  /** Milliseconds since 1970. */
  until: number;
  /** Ids of approvals and of runs. */
  awaits: readonly string[];
}

/** Waiting runs of an account. */
export const MOST_WAITING = 10_000;

/** Counts at most `MOST_WAITING`. */
export async function countWaiting(sql: Sql, account_id: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select from flow_waits where account_id = ${account_id} and wake_at is not null limit ${MOST_WAITING}) found
  `;
  return row?.count ?? 0;
}

/** @returns whether the account has so many waiting runs that no further one may wait */
export const isFull = async (sql: Sql, account_id: number): Promise<boolean> =>
  await countWaiting(sql, account_id) >= MOST_WAITING;

/** Longer than PostgreSQL's limit for a statement. */
const CHECKED_AFTER_S = 60;

/** @returns false if the run has an outcome, or a later claim forbids it */
export async function suspend(
  sql: Sql,
  head: RunHead,
  steps: readonly StepRecord[],
  { until, awaits }: Wait,
): Promise<boolean> {
  const row = {
    ...head,
    run_id: head.id,
    retry_of: head.retry?.of ?? null,
    parent_id: head.parent?.id ?? null,
    failure_of: head.failure_of ?? null,
    started_at: isoOf(head.begun_at ?? head.made_at),
    wake_at: isoOf(until),
    awaits,
    head,
    steps,
  };
  const stored = await sql`
    insert into flow_waits (
      run_id, account_id, department_id, flow_id, flow_version, flow_code, trigger, app_id, action, cron_id, user_id,
      retry_of, parent_id, failure_of, attempts, started_at, wake_at, awaits, check_after, head, steps
    )
    select
      r.run_id, a.id, d.id, r.flow_id, r.flow_version, r.flow_code, r.trigger, r.app_id, r.action, r.cron_id, r.user_id,
      r.retry_of, r.parent_id, r.failure_of, r.attempts, r.started_at, r.wake_at, r.awaits,
      case when r.awaits <> '{}' then now() + ${CHECKED_AFTER_S}::int * interval '1 second' end, r.head, r.steps
    from json_populate_record(null::flow_waits, ${storable(row)}::text::json) r
    join accounts a on a.id = r.account_id
    left join departments d on d.id = r.department_id
    where not exists (select from flow_claims c where c.run_id = r.run_id and c.attempts > r.attempts)
      and not exists (select from flow_processes p where p.id = r.run_id)
    on conflict (run_id) do update
    set
      department_id = excluded.department_id,
      attempts = excluded.attempts,
      wake_at = excluded.wake_at,
      awaits = excluded.awaits,
      check_after = excluded.check_after,
      head = excluded.head,
      steps = excluded.steps
    where flow_waits.attempts <= excluded.attempts
    returning 1
  `;
  return stored.length > 0;
}

/**
 * Locks runs that are due. Runs that another process has locked are left to it.
 *
 * @param sql a transaction
 */
export const lockDue = (sql: Sql, now: Date, limit: number): Promise<{ head: RunHead; attempts: number }[]> =>
  sql<{ head: RunHead; attempts: number }[]>`
    select head, attempts
    from flow_waits
    where wake_at <= ${now}
    order by wake_at
    limit ${limit}
    for update skip locked
  `;

/** The runs are in progress again. @param sql the transaction that has locked them */
export async function noteAwake(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql`
    update flow_waits
    set
      wake_at = null,
      check_after = null,
      attempts = attempts + 1
    where run_id = any(${[...ids]}::uuid[])
  `;
}

/** Whether something that a waiting run `w` awaits has ended. */
const hasEnded = (sql: Sql) =>
  sql`
    (
      exists (select from flow_processes p where p.id = any(w.awaits))
      or exists (select from flow_approvals a where a.id = any(w.awaits) and a.answered_at is not null)
      or exists (select from flow_turns t where t.run_id = any(w.awaits) and t.held_since is not null)
    )
  `;

/** Makes a run due if what it awaits has ended. @returns whether it is due */
export async function noteReady(sql: Sql, now: Date, run_id: string): Promise<boolean> {
  const [row] = await sql<{ due: boolean }[]>`
    with ready as (
      update flow_waits w
      set wake_at = ${now}
      where run_id = ${run_id}
        and wake_at > ${now}
        and awaits <> '{}'
        and ${hasEnded(sql)}
      returning 1
    )
    select exists (select from ready)
      or exists (select from flow_waits where run_id = ${run_id} and wake_at <= ${now}) as due
  `;
  return row?.due ?? false;
}

/** Runs that one statement compares with what they await. */
const MOST_CHECKED = 1_000;

/** Makes runs due whose end of waiting was recorded while they began to wait, by a process that died then. */
export async function checkWaiting(sql: Sql, now: Date): Promise<void> {
  const check = () =>
    sql`
      update flow_waits w
      set
        check_after = null,
        wake_at = case when wake_at > ${now} and ${hasEnded(sql)} then ${now} else wake_at end
      where run_id = any(array(
        select run_id
        from flow_waits
        where check_after < now()
        order by check_after
        limit ${MOST_CHECKED}
        for update skip locked
      ))
    `;
  while ((await check()).count === MOST_CHECKED);
}

/** The earliest wake time before a moment. */
export async function nextDue(sql: Sql, before: Date): Promise<number | undefined> {
  const [row] = await sql<{ due: number | null }[]>`
    select (extract(epoch from min(wake_at)) * 1000)::float8 as due from flow_waits where wake_at < ${before}
  `;
  return row?.due ?? undefined;
}

interface WaitingRun {
  head: RunHead;
  attempts: number;
  /** Milliseconds since 1970. */
  wake_at: number;
  /** It waits for its turn. */
  is_queued: boolean;
  /** Runs that it has called, an approval, or itself where it waits for its turn. */
  awaits: string[];
}

/** A waiting run. @param lock keeps others from waking it, in a transaction */
export async function findWaiting(
  sql: Sql,
  account_id: number,
  id: string,
  lock = false,
): Promise<WaitingRun | undefined> {
  const [row] = await sql<WaitingRun[]>`
    select
      head, attempts, (extract(epoch from wake_at) * 1000)::float8 as wake_at, awaits = array[run_id] as is_queued, awaits
    from flow_waits
    where run_id = ${id}
      and account_id = ${account_id}
      and wake_at is not null
    ${lock ? sql`for update` : sql``}
  `;
  return row;
}

/** Newest first. */
export async function listWaiting(sql: Sql, account_id: number, most: number): Promise<RunHead[]> {
  const rows = await sql<{ head: RunHead }[]>`
    select head
    from flow_waits
    where account_id = ${account_id}
      and wake_at is not null
    order by run_id desc
    limit ${most}
  `;
  return rows.map(({ head }) => head);
}

/** The journal up to the last wait; empty for a run that has never waited. */
export async function findEarlier(sql: Sql, id: string): Promise<StepRecord[]> {
  const [row] = await sql<{ steps: StepRecord[] }[]>`select steps from flow_waits where run_id = ${id}`;
  return row?.steps ?? [];
}

/** After a takeover: whether the previous owner had suspended the run. The claim then belongs to the waiting run. */
export async function claimWaiting(sql: Sql, { id, attempts }: RunHead): Promise<boolean> {
  const waiting = await sql`
    update flow_waits
    set attempts = ${attempts}
    where run_id = ${id}
      and wake_at is not null
      and attempts < ${attempts}
    returning 1
  `;
  return waiting.length > 0;
}

/** The run has ended. */
export async function forgetWait(sql: Sql, id: string): Promise<void> {
  await sql`delete from flow_waits where run_id = ${id}`;
}
