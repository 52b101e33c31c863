/** Records outcomes in PostgreSQL. Group commit: outcomes that arrive during a transaction share the next one. */
import { refusalOfDatabase } from "../../database/pg_errors.ts";
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { CANCELLED } from "../run/execution/interruption.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { Outcome, RunHead, StepRecord } from "../run/model.ts";
import { boundedSteps, MOST_OUTPUTS } from "./bounded_steps.ts";
import { inputTerms } from "./input_terms.ts";
import { storable } from "./storable.ts";

/** A run that has ended, with all that is recorded of it. */
export interface EndedRun {
  head: RunHead;
  input: JsonObject;
  outcome: Outcome;
  steps: readonly StepRecord[];
  /** Milliseconds since 1970. */
  finished_at: number;
}

/** An outcome that is no JSON: it is too large for one text, or too deep. */
class NoJson extends Error {}

/**
 * Whether the outcome itself cannot be stored, as opposed to a database that is unavailable. Not by the error's type: the
 * driver throws a TypeError when it writes to a connection that was lost.
 */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof NoJson || (refusalOfDatabase(error)?.status ?? 500) < 500;

/** The run without the values that may be impossible to store. */
export const withoutValues = (ended: EndedRun): EndedRun => ({
  ...ended,
  input: {},
  steps: [],
  outcome: { status: "error", data: null, error: "What the run gave cannot be stored" },
});

/** Limits of one transaction. */
const MOST_ROWS = 200;
const MOST_CHARACTERS = 4_000_000;

/** A row of `flow_processes` as JSON. */
export interface ProcessRow {
  text: string;
  /** A run may await this one. */
  has_parent: boolean;
}

interface Waiting {
  id: string;
  row: ProcessRow;
  resolve(inserted: boolean): void;
  reject(error: unknown): void;
}

/** Resolves when an outcome is durable; to false if another outcome is recorded, or a later claim forbids this one. */
export type RecordOutcome = (ended: EndedRun) => Promise<boolean>;

export function createRecordOutcome(sql: Sql): RecordOutcome {
  const waiting: Waiting[] = [];
  let working = false;

  const work = async () => {
    working = true;
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      try {
        const inserted = await insertProcesses(sql, batch.map(({ row }) => row));
        batch.forEach(({ id, resolve }) => resolve(inserted.has(id)));
      } catch (error) {
        // One row fails the whole statement, so each is inserted alone.
        await (batch.length === 1 ? batch[0]?.reject(error) : Promise.all(batch.map((one) => insertOne(sql, one))));
      }
    }
    working = false;
  };

  return (ended) =>
    new Promise((resolve, reject) => {
      waiting.push({ id: ended.head.id, row: rowOf(ended), resolve, reject });
      if (!working) queueMicrotask(() => working || void work());
    });
}

async function insertOne(sql: Sql, { id, row, resolve, reject }: Waiting): Promise<void> {
  await insertProcesses(sql, [row]).then((inserted) => resolve(inserted.has(id)), reject);
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let characters = 0;
  let count = 0;
  for (const { row } of waiting) {
    characters += row.text.length;
    if (count > 0 && (characters > MOST_CHARACTERS || count === MOST_ROWS)) break;
    count++;
  }
  return waiting.splice(0, count);
}

/** @throws {NoJson} */
export function rowOf(ended: EndedRun): ProcessRow {
  try {
    const whole = storable(columnsOf(ended));
    // The outputs need not be measured if all of the row is shorter than they may be.
    const text = whole.length <= MOST_OUTPUTS
      ? whole
      : storable(columnsOf({ ...ended, steps: boundedSteps(ended.steps) }));
    return { text, has_parent: ended.head.parent !== undefined };
  } catch (error) {
    throw new NoJson("the outcome cannot be written as JSON", { cause: error });
  }
}

const columnsOf = ({ head, input, outcome, steps, finished_at }: EndedRun) => ({
  id: head.id,
  account_id: head.account_id,
  department_id: head.department_id,
  flow_id: head.flow_id,
  flow_version: head.flow_version,
  flow_code: head.flow_code,
  trigger: head.trigger,
  status: outcome.status,
  app_id: head.app_id,
  action: head.action,
  cron_id: head.cron_id,
  parent_id: head.parent?.id ?? null,
  failure_of: head.failure_of ?? null,
  trigger_data: head.trigger_data ?? null,
  user_id: head.user_id,
  granted: head.grant ?? null,
  retry_of: head.retry?.of ?? null,
  attempts: head.attempts,
  input,
  sealed: head.sealed ?? null,
  input_terms: inputTerms(input),
  data: outcome.data,
  error: outcome.error,
  steps: closed(steps, finished_at),
  ...countsOf(steps),
  started_at: isoOf(head.begun_at ?? finished_at),
  finished_at: isoOf(finished_at),
});

/** The end of a run cancels steps that are in progress or wait: iterations beside the one that ended it, and loops. */
const closed = (steps: readonly StepRecord[], finished_at: number): readonly StepRecord[] =>
  steps.map((step) =>
    step.status !== "running" && step.status !== "waiting" ? step : {
      ...step,
      status: "cancelled",
      error: CANCELLED.message,
      ms: Math.max(0, finished_at - Date.parse(step.started_at)),
    }
  );

/** What a list tells of the steps. A flow goes on after a step that failed where `on_error` says so. */
const countsOf = (steps: readonly StepRecord[]) => ({
  failed_steps: steps.filter(({ status }) => status === "error").length,
  warnings: steps.reduce((sum, { warnings }) => sum + warnings.length, 0),
});

/**
 * Rows of a deleted account are skipped, and a deleted department becomes null: neither may fail the other rows. Runs that
 * await one of the rows are due then. They are locked in the order of their ids, so that two batches do not wait for each
 * other.
 *
 * @returns the ids of the rows that were inserted
 */
export async function insertProcesses(sql: Sql, rows: readonly ProcessRow[]): Promise<Set<string>> {
  const due = sql`,
    parents as materialized (
      select w.run_id, i.finished_at
      from inserted i
      join flow_waits w on w.run_id = i.parent_id
      where w.awaits @> array[i.id]
        and w.wake_at > i.finished_at
      order by w.run_id
      for update of w
    ),
    due as (
      update flow_waits w
      set wake_at = p.finished_at
      from parents p
      where w.run_id = p.run_id
        and w.wake_at > p.finished_at
    )
  `;
  const inserted = await sql<{ id: string }[]>`
    with inserted as (
    insert into flow_processes (
      id, account_id, department_id, flow_id, flow_version, flow_code, trigger, status, app_id, action, cron_id,
      parent_id, failure_of, trigger_data, user_id, granted, retry_of, attempts, input, input_terms, sealed, data, error,
      steps, failed_steps, warnings, started_at, finished_at
    )
    select
      r.id, r.account_id, d.id, r.flow_id, r.flow_version, r.flow_code, r.trigger, r.status, r.app_id, r.action, r.cron_id,
      r.parent_id, r.failure_of, r.trigger_data, r.user_id, r.granted, r.retry_of, r.attempts, r.input, r.input_terms,
      r.sealed, r.data, r.error, r.steps, r.failed_steps, r.warnings, r.started_at, r.finished_at
    from json_populate_recordset(null::flow_processes, ${`[${rows.map(({ text }) => text).join()}]`}::text::json) r
    join accounts a on a.id = r.account_id
    left join departments d on d.id = r.department_id
    left join flow_claims c on c.run_id = r.id
    where c.attempts is null
      or c.attempts <= r.attempts
    on conflict (id) do nothing
    returning id, account_id, input_terms, parent_id, finished_at
    ),
    found_by as (
      insert into flow_inputs (account_id, term, run_id)
      select account_id, unnest(input_terms), id
      from inserted
    )
    ${rows.some(({ has_parent }) => has_parent) ? due : sql``}
    select id from inserted
  `;
  return new Set(inserted.map(({ id }) => id));
}
