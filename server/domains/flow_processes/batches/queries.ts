/** SQL of retries of many runs. Each belongs to one user. */
import type { z } from "zod";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import type { Refusals, RetryOfMany, RunsToRetry } from "./schema.ts";

/** A process that works on one renews its claim with every few runs. */
const CLAIM_S = 60;

export type Filter = z.output<typeof RunsToRetry>;

/** @returns undefined if the viewer has none with this id */
export async function findRetry(
  sql: Sql,
  { account_id, user_id }: Viewer,
  id: string,
): Promise<RetryOfMany | undefined> {
  const [row] = await sql<RetryOfMany[]>`
    select
      id, case when state = 'running' and claimed_until < now() then 'interrupted' else state end as state, total, done,
      refused, refusals, iso(created_at) as created_at
    from flow_retries
    where id = ${id}
      and account_id = ${account_id}
      and user_id = ${user_id}
  `;
  return row;
}

/** The viewer's that is worked on. */
export async function findRunning(sql: Sql, { user_id }: Viewer): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from flow_retries where user_id = ${user_id} and state = 'running' and claimed_until > now() limit 1
  `;
  return row?.id;
}

/** Does nothing if the id is known. */
export async function insertRetry(
  sql: Sql,
  { account_id, user_id }: Viewer,
  { id, filter, total }: { id: string; filter: Filter; total: number },
): Promise<void> {
  await sql`
    insert into flow_retries (id, account_id, user_id, filter, total, claimed_until)
    values (${id}, ${account_id}, ${user_id}, ${JSON.stringify(filter)}::text::jsonb, ${total}, now())
    on conflict (id) do nothing
  `;
}

export interface Claimed {
  filter: Filter;
  /** Milliseconds since 1970. */
  began_ms: number;
  last_id: string | null;
  done: number;
}

/** @returns undefined if it has ended, or a process works on it */
export async function claimRetry(sql: Sql, { user_id }: Viewer, id: string): Promise<Claimed | undefined> {
  const [row] = await sql<Claimed[]>`
    update flow_retries
    set claimed_until = now() + ${CLAIM_S}::int * interval '1 second'
    where id = ${id}
      and user_id = ${user_id}
      and state = 'running'
      and claimed_until <= now()
    returning filter, (extract(epoch from created_at) * 1000)::float8 as began_ms, last_id, done
  `;
  return row;
}

/** @returns whether it goes on: false after it was cancelled */
export async function noteRetried(
  sql: Sql,
  id: string,
  { last_id, done, refusals }: { last_id: string; done: number; refusals: Refusals },
): Promise<boolean> {
  const { count } = await sql`
    update flow_retries
    set
      last_id = ${last_id},
      done = done + ${done}::int,
      refused = refused + ${refusals.length}::int,
      refusals = case
        when jsonb_array_length(refusals) < 20 then refusals || ${JSON.stringify(refusals)}::text::jsonb
        else refusals
      end,
      claimed_until = now() + ${CLAIM_S}::int * interval '1 second'
    where id = ${id}
      and state = 'running'
  `;
  return count > 0;
}

/** @returns false if it has ended before */
export async function endRetry(sql: Sql, id: string, state: "finished" | "cancelled"): Promise<boolean> {
  const { count } = await sql`update flow_retries set state = ${state} where id = ${id} and state = 'running'`;
  return count > 0;
}

/** Any process may continue it at once. */
export async function releaseRetry(sql: Sql, id: string): Promise<void> {
  await sql`
    update flow_retries set claimed_until = now() - interval '1 second' where id = ${id} and state = 'running'
  `;
}

/** Runs are kept as long. */
export async function sweepRetries(sql: Sql, at_once: number): Promise<void> {
  await sql`
    delete from flow_retries
    where id in (select id from flow_retries where created_at < now() - interval '14 days' limit ${at_once})
  `;
}
