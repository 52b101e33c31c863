/** Runs that have ended, in PostgreSQL. Inserted many at once: each transaction costs a sync to the disk. */
import type { Sql } from "../../database/pool.ts";
import { refusalOfDatabase } from "../../database/pg_errors.ts";
import { isoOf, type Outcome, type RunHead, type StepRecord, storable } from "../run/run.ts";
import type { JsonObject } from "../flow.ts";

export interface Ended {
  head: RunHead;
  input: JsonObject;
  outcome: Outcome;
  steps: readonly StepRecord[];
  /** Milliseconds since 1970. */
  finished_at: number;
}

/** Whether it is the outcome that cannot be stored, not the store that is away. */
export const isUnfit = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || (refusalOfDatabase(error)?.status ?? 500) < 500;

/** What of a run can always be stored. */
export const withoutValues = (ended: Ended): Ended => ({
  ...ended,
  input: {},
  steps: [],
  outcome: { status: "error", data: null, error: "What the run gave cannot be stored" },
});

const MOST_ROWS = 200;
const MOST_CHARACTERS = 4_000_000;

interface Waiting {
  id: string;
  row: string;
  resolve(inserted: boolean): void;
  reject(error: unknown): void;
}

/** @returns a function that resolves when an outcome is there for good; to false where it is not this one */
export function createHistory(sql: Sql): (ended: Ended) => Promise<boolean> {
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
    characters += row.length;
    if (count > 0 && (characters > MOST_CHARACTERS || count === MOST_ROWS)) break;
    count++;
  }
  return waiting.splice(0, count);
}

const rowOf = ({ head, input, outcome, steps, finished_at }: Ended): string =>
  storable({
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
    user_id: head.user_id,
    retry_of: head.retry?.of ?? null,
    attempts: head.attempts,
    input,
    data: outcome.data,
    error: outcome.error,
    steps,
    started_at: isoOf(head.begun_at ?? finished_at),
    finished_at: isoOf(finished_at),
  });

/** Accounts and departments that are gone meanwhile take nothing of the others along. @returns the new ones */
async function insertProcesses(sql: Sql, rows: readonly string[]): Promise<Set<string>> {
  const inserted = await sql<{ id: string }[]>`
    insert into flow_processes (
      id, account_id, department_id, flow_id, flow_version, flow_code, trigger, status, app_id, action, cron_id, user_id,
      retry_of, attempts, input, data, error, steps, started_at, finished_at
    )
    select
      r.id, r.account_id, d.id, r.flow_id, r.flow_version, r.flow_code, r.trigger, r.status, r.app_id, r.action, r.cron_id,
      r.user_id, r.retry_of, r.attempts, r.input, r.data, r.error, r.steps, r.started_at, r.finished_at
    from json_populate_recordset(null::flow_processes, ${`[${rows.join()}]`}::text::json) r
    join accounts a on a.id = r.account_id
    left join departments d on d.id = r.department_id
    left join flow_claims c on c.run_id = r.id
    where c.attempts is null
      or c.attempts <= r.attempts
    on conflict (id) do nothing
    returning id
  `;
  return new Set(inserted.map(({ id }) => id));
}

/** What stands of a run that has ended, for whoever waits for it. */
export interface Recorded extends Outcome {
  app_id: string | null;
  action: string | null;
}

export async function findOutcome(sql: Sql, account_id: number, id: string): Promise<Recorded | undefined> {
  const [row] = await sql<Recorded[]>`
    select status, data, error, app_id, action
    from flow_processes
    where id = ${id}
      and account_id = ${account_id}
  `;
  return row;
}

/**
 * Refuses from now on what those who had the run before still send.
 *
 * @returns the outcome, where one of them was in time
 */
export async function fence(sql: Sql, { id, account_id, attempts }: RunHead): Promise<Recorded | undefined> {
  await sql`
    insert into flow_claims (run_id, attempts)
    values (${id}, ${attempts})
    on conflict (run_id) do update set attempts = greatest(flow_claims.attempts, excluded.attempts)
  `;
  return await findOutcome(sql, account_id, id);
}

/** The journal of a run that another one repeats. */
export async function findSteps(sql: Sql, account_id: number, id: string): Promise<StepRecord[] | undefined> {
  const [row] = await sql<{ steps: StepRecord[] }[]>`
    select steps from flow_processes where id = ${id} and account_id = ${account_id}
  `;
  return row?.steps;
}
