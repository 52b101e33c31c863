/**
 * Turns of runs whose flow has `max_at_once`. A run holds its turn until it ends; the others are queued in the order in
 * which they were started. A queued run is a waiting run that awaits itself.
 */
import type { Pool, Sql } from "../../database/pool.ts";
import type { RunHead } from "../run/model.ts";
import { isFull } from "./wait_store.ts";

/** What a flow does with a run beyond `max_at_once`: it waits for its turn, or it does not start. */
export const OVERLAPS_OF_RUNS = ["queue", "skip"] as const;

/** A flow, or a run of it. */
export type OfFlow = Pick<RunHead, "account_id" | "flow_id">;

/**
 * - `free`: the flow has no limit.
 * - `skipped`: the flow's `overlap` is `skip`.
 * - `full`: too many runs of the account wait.
 */
export type Turn = "free" | "held" | "queued" | "skipped" | "full";

export interface Taken {
  turn: Turn;
  /** Runs that are due now. */
  woken: number;
  max_at_once: number | null;
}

/** Turns that one statement gives. */
const MOST_PASSED = 1_000;

/**
 * Queues a run and gives free turns to the first of the queue.
 *
 * @param is_started it is a run already, so it is queued even where a new one is skipped
 */
export const takeTurn = (sql: Pool, run: RunHead, now: Date, is_started: boolean): Promise<Taken> =>
  sql.begin(async (tx): Promise<Taken> => {
    const { id, account_id, flow_id } = run;
    const flow = await lockFlow(tx, run);
    if (!flow || flow.max_at_once === null) return { turn: "free", woken: 0, max_at_once: null };
    const { max_at_once, overlap } = flow;
    await tx`
      insert into flow_turns (run_id, account_id, flow_id)
      values (${id}, ${account_id}, ${flow_id})
      on conflict (run_id) do nothing
    `;
    const woken = await passFree(tx, run, max_at_once, now);
    if (await findTurn(tx, account_id, id) === "held") return { turn: "held", woken, max_at_once };
    const refused = is_started ? undefined : overlap === "skip" ? "skipped" : await isFull(tx, account_id) && "full";
    if (!refused) return { turn: "queued", woken, max_at_once };
    await tx`delete from flow_turns where run_id = ${id} and account_id = ${account_id}`;
    return { turn: refused, woken, max_at_once };
  });

/** @returns undefined without a turn */
export async function findTurn(sql: Sql, account_id: number, id: string): Promise<"held" | "queued" | undefined> {
  const [row] = await sql<{ held: boolean }[]>`
    select held_since is not null as held from flow_turns where run_id = ${id} and account_id = ${account_id}
  `;
  return row && (row.held ? "held" : "queued");
}

/**
 * Gives turns of runs that have ended to the first of the queue.
 *
 * @param given_back a run that was not started after all
 * @returns how many runs are due now
 */
export const passTurns = (sql: Pool, of: OfFlow, now: Date, given_back?: string): Promise<number> =>
  sql.begin(async (tx) => {
    const flow = await lockFlow(tx, of);
    if (given_back !== undefined) {
      await tx`delete from flow_turns where run_id = ${given_back} and account_id = ${of.account_id}`;
    }
    return await passFree(tx, of, flow?.max_at_once ?? null, now);
  });

/** One process at a time gives turns of a flow. @returns undefined if the flow was deleted */
async function lockFlow(
  sql: Sql,
  { account_id, flow_id }: OfFlow,
): Promise<{ max_at_once: number | null; overlap: typeof OVERLAPS_OF_RUNS[number] } | undefined> {
  const [flow] = await sql<{ max_at_once: number | null; overlap: typeof OVERLAPS_OF_RUNS[number] }[]>`
    select max_at_once, overlap from flows where id = ${flow_id} and account_id = ${account_id} for no key update
  `;
  return flow;
}

/** Of a turn `t`. For an `exists`, PostgreSQL may read the whole history (600 ms instead of 40 with 1,000 turns). */
const hasOutcome = (sql: Sql) => sql`((select true from flow_processes p where p.id = t.run_id) is not null)`;

/** @param most null: without a limit */
async function passFree(
  sql: Sql,
  { account_id, flow_id }: OfFlow,
  most: number | null,
  now: Date,
): Promise<number> {
  let woken = 0;
  for (;;) {
    const [row] = await sql<{ passed: number; woken: number }[]>`
      with held as materialized (
        select count(*) as count
        from flow_turns t
        where flow_id = ${flow_id}
          and account_id = ${account_id}
          and held_since is not null
          and not ${hasOutcome(sql)}
      ),
      ended as (
        delete from flow_turns t
        where flow_id = ${flow_id}
          and account_id = ${account_id}
          and held_since is not null
          and ${hasOutcome(sql)}
      ),
      next as materialized (
        select run_id
        from flow_turns
        where flow_id = ${flow_id}
          and account_id = ${account_id}
          and held_since is null
        order by number
        limit greatest(0, least(${MOST_PASSED}::bigint, ${most}::bigint - (select count from held)))
        for update
      ),
      passed as (
        update flow_turns t
        set held_since = ${now}
        from next
        where t.run_id = next.run_id
        returning t.run_id
      ),
      woken as (
        update flow_waits w
        set wake_at = ${now}
        from passed p
        where w.run_id = p.run_id
          and w.wake_at > ${now}
          and w.awaits = array[w.run_id]
        returning w.run_id
      )
      select (select count(*) from passed)::int as passed, (select count(*) from woken)::int as woken
    `;
    woken += row?.woken ?? 0;
    // Among them may be runs that were cancelled while they were queued, whose turns are free again.
    if (!row || row.passed === 0) return woken;
  }
}

/** Flows with a queue, of all accounts. */
export const listQueues = (sql: Sql, limit: number): Promise<OfFlow[]> =>
  sql<OfFlow[]>`
    with recursive queued as (
      (select flow_id, account_id from flow_turns where held_since is null order by flow_id limit 1)
      union all
      select n.flow_id, n.account_id
      from queued q
      cross join lateral (
        select flow_id, account_id
        from flow_turns
        where held_since is null
          and flow_id > q.flow_id
        order by flow_id
        limit 1
      ) n
    )
    select flow_id, account_id from queued limit ${limit}
  `;

export interface HeldTurn extends OfFlow {
  run_id: string;
  has_ended: boolean;
}

/** A page of the turns that have been held since before a moment, without those of runs that wait. */
export const listHeld = (
  sql: Sql,
  before: Date,
  after: Pick<HeldTurn, "flow_id" | "run_id">,
  limit: number,
): Promise<HeldTurn[]> =>
  sql<HeldTurn[]>`
    select *
    from (
      select
        run_id, flow_id, account_id, ${hasOutcome(sql)} as has_ended,
        (select true from flow_waits w where w.run_id = t.run_id) is not null as waits
      from flow_turns t
      where held_since < ${before}
        and (flow_id, run_id) > (${after.flow_id}, ${after.run_id})
    ) held
    where has_ended
      or not waits
    order by flow_id, run_id
    limit ${limit}
  `;

/** Deletes the turn of a run that is not in Deno KV, unless it waits. */
export async function dropTurn(sql: Sql, { account_id, run_id }: HeldTurn): Promise<void> {
  await sql`
    delete from flow_turns t
    where run_id = ${run_id}
      and account_id = ${account_id}
      and not exists (select from flow_waits w where w.run_id = t.run_id)
  `;
}
