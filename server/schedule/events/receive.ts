/** An event of a trigger, such as a delivery of a webhook: writes it to the ledger and starts its run. */
import { v7 } from "uuid";
import type { Sql } from "../../database/pool.ts";
import { unavailable } from "../../errors.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { type LockedTrigger, withCircumstances } from "../claim/circumstances.ts";
import { flowObstacle } from "../claim/decision.ts";
import { pausedReason, WAITS } from "../ledger/reasons.ts";
import { markStarted, ofTrigger, type PendingStart } from "../ledger/start_rows.ts";
import type { LedgerState } from "../ledger/states.ts";
import { planned } from "../planned.ts";
import type { Deps } from "../start/new_run.ts";
import { type Start, startOne } from "../start/start_runs.ts";

/** Events that wait for the run before, of one trigger. */
const MOST_QUEUED = 1_000;

export interface TriggerEvent {
  account_id: number;
  cron_id: number;
  /** An event with the same key is the same one. Undefined: each is another one. */
  key: string | undefined;
  /** The input of the run. */
  input: JsonObject;
  /** What the row of the ledger stands for. */
  count?: number;
}

export interface Received {
  /** Null if no run was started. */
  flow_process_id: string | null;
  state: LedgerState;
  reason: string | null;
  /** The event has come before. */
  is_known: boolean;
  /** Why no run is started: the flow cannot be started now (`flow`), or it takes no such input (`input`). */
  obstacle?: "flow" | "input";
}

/** @throws {Refusal} 503 if the trigger is not active, or if too many events wait */
export async function receive(deps: Deps, event: TriggerEvent): Promise<Received> {
  const { sql, clock } = deps;
  const { received, row } = await planned(sql, (tx) => note(tx, event, clock.now()));
  if (!row) return received;
  const start = await startNoted(deps, row);
  if (start === "has_run") return received;
  const obstacle = start === "wrong_input" ? "input" : start === "refused" ? "flow" : undefined;
  return { ...await readState(sql, row), ...obstacle && { obstacle } };
}

/** A run that is neither there nor refused is started by the next tick. */
export async function startNoted(deps: Deps, row: PendingStart): Promise<Start> {
  const start = await startOne(deps, row, new Set());
  if (start === "has_run") await markStarted(deps.sql, [row], deps.clock.now());
  return start;
}

/** @param sql a transaction */
export async function note(
  sql: Sql,
  event: TriggerEvent,
  now: Date,
): Promise<{ received: Received; row: PendingStart | undefined }> {
  const { account_id, cron_id } = event;
  const locked = await lock(sql, event);
  const known = event.key === undefined ? undefined : await findKnown(sql, event, event.key);
  // A delivery that has started no run is forgotten, because its sender delivers it again. Changes of records come once.
  const is_forgotten = known && locked?.kind === "webhook" && (known.state === "skipped" || known.state === "missed");
  if (known && !is_forgotten) return { received: { ...stateOf(known), is_known: true }, row: undefined };
  if (!locked?.active) throw unavailable("The trigger is not active", undefined, 60);
  if (known) await sql`update cron_runs set event_key = 'skipped ' || id where id = ${known.id}`;
  const [trigger] = await withCircumstances(sql, [locked]);
  if (!trigger) throw new Error("a trigger is lost");
  const obstacle = flowObstacle(trigger);
  let [state, reason]: [LedgerState, string | null] = ["ran", null];
  if (obstacle !== undefined) [state, reason] = ["skipped", obstacle];
  else if (trigger.overlap === "skip" && trigger.running) [state, reason] = ["skipped", "the run before has not ended"];
  else if (trigger.overlap === "queue" && (trigger.running || trigger.waiting)) [state, reason] = ["queued", WAITS];
  if (state === "queued" && await countQueued(sql, cron_id) >= MOST_QUEUED) {
    throw unavailable("Too many events wait for the run before", undefined, 60);
  }
  const flow_process_id = state === "skipped" ? null : v7();
  const failures = trigger.failures + (trigger.flow_active === null ? 1 : 0);
  const is_over = failures > trigger.failures && trigger.max_failures !== null && failures >= trigger.max_failures;
  const [inserted] = await sql<Pick<PendingStart, "id" | "due_at">[]>`
    insert into cron_runs
      (cron_id, account_id, due_at, slots, state, reason, flow_process_id, taken_at, payload, event_key)
    values (
      ${cron_id}, ${account_id}, ${now}, ${event.count ?? 1}, ${state}, ${reason}, ${flow_process_id},
      ${state === "ran" ? now : null}, ${flow_process_id === null ? null : JSON.stringify(event.input)}::text::json,
      ${event.key ?? `run ${flow_process_id ?? v7()}`}
    )
    returning id, due_at
  `;
  if (!inserted) throw new Error("an insert returned no row");
  await sql`
    update crons
    set
      failures = ${failures},
      last_run_id = case
        when ${state} = 'ran' then ${flow_process_id}::uuid
        when ${obstacle !== undefined} then null
        else last_run_id
      end,
      last_run_at = case when ${state} = 'ran' then ${now} else last_run_at end,
      last_status = case when ${state} = 'ran' then 'pending' when ${
    obstacle !== undefined
  } then 'skipped' else last_status end,
      active = not ${is_over}::boolean,
      paused_reason = ${is_over ? pausedReason(failures, reason ?? "") : null}
    where id = ${cron_id}
      and account_id = ${account_id}
  `;
  const { target_code, author_id, timezone, input, kind } = trigger;
  const row: PendingStart | undefined = state === "ran" && flow_process_id !== null
    ? {
      ...inserted,
      cron_id,
      account_id,
      by_hand: false,
      flow_process_id,
      target_code,
      author_id,
      timezone,
      input,
      kind,
      payload: event.input,
    }
    : undefined;
  const received: Received = {
    flow_process_id: state === "ran" ? flow_process_id : null,
    state,
    reason,
    is_known: false,
    ...obstacle !== undefined && { obstacle: "flow" },
  };
  return { received, row };
}

async function lock(
  sql: Sql,
  { account_id, cron_id }: TriggerEvent,
): Promise<LockedTrigger & { active: boolean } | undefined> {
  const [row] = await sql<(LockedTrigger & { active: boolean })[]>`
    select
      c.id, c.account_id, ${ofTrigger(sql)}, c.schedule, c.next_run_at, c.catch_up, c.overlap, c.failures,
      c.max_failures, c.paused_reason, c.active
    from crons c
    where c.id = ${cron_id}
      and c.account_id = ${account_id}
    for update
  `;
  return row;
}

type State = Pick<Received, "flow_process_id" | "state" | "reason">;
interface KnownRow extends State {
  id: number;
}

const stateOf = ({ flow_process_id, state, reason }: State): State => ({ flow_process_id, state, reason });

async function findKnown(sql: Sql, { account_id, cron_id }: TriggerEvent, key: string): Promise<KnownRow | undefined> {
  const [row] = await sql<KnownRow[]>`
    select id, case when state in ('ran', 'late') then flow_process_id end as flow_process_id, state, reason
    from cron_runs
    where cron_id = ${cron_id}
      and account_id = ${account_id}
      and event_key = ${key}
  `;
  return row;
}

async function readState(sql: Sql, { id, account_id }: PendingStart): Promise<Received> {
  const [row] = await sql<State[]>`
    select flow_process_id, state, reason
    from cron_runs
    where id = ${id}
      and account_id = ${account_id}
  `;
  return { flow_process_id: null, state: "skipped", reason: "the trigger was deleted", ...row, is_known: false };
}

async function countQueued(sql: Sql, cron_id: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select from cron_runs where cron_id = ${cron_id} and state = 'queued' limit ${MOST_QUEUED}) q
  `;
  return row?.count ?? 0;
}
