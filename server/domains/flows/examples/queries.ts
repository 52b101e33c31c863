/** SQL of examples. */
import { oneJson } from "../../../database/lists.ts";
import { Json } from "../../../database/json.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Answer, ComparedStep, JsonObject, Outcome, RunUser, SeenRun } from "../../../flow/flow.ts";
import type { Viewer } from "../../../viewer.ts";
import type { FlowExample } from "./schema.ts";

/** The number of examples of a flow. */
export const MOST_EXAMPLES = 20;

/** What an example keeps. */
export interface Recorded {
  run: SeenRun;
  trigger_data: JsonObject | null;
  /** As templates saw the user; null if the program does not. */
  user: RunUser | null;
  user_id: number | null;
  input: JsonObject;
  /** The secret inputs, encrypted for the run. Beside what is recorded, because keys are rotated. */
  sealed: string | null;
  /** By place. */
  answers: Record<string, Answer>;
  outcome: Outcome;
  steps: ComparedStep[];
}

const listed = (sql: Sql) =>
  sql`
    id, name, recorded -> 'run' ->> 'id' as run_id, recorded -> 'outcome' ->> 'status' as status, created_by_id,
    iso(created_at) as created_at
  `;

/** Oldest first. */
export async function listExamples(sql: Sql, account: number, flow: number): Promise<Json<FlowExample[]>> {
  const rows = await sql<FlowExample[]>`
    select ${listed(sql)}
    from flow_examples
    where account_id = ${account}
      and flow_id = ${flow}
    order by id
    limit ${MOST_EXAMPLES}
  `;
  return new Json(JSON.stringify(rows));
}

export interface KnownExample {
  id: number;
  name: string;
  recorded: Recorded;
}

/** With what they have recorded. */
export async function listRecorded(sql: Sql, account: number, flow: number): Promise<KnownExample[]> {
  const rows = await sql<(KnownExample & { sealed: string | null })[]>`
    select id, name, recorded, sealed
    from flow_examples
    where account_id = ${account}
      and flow_id = ${flow}
    order by id
    limit ${MOST_EXAMPLES}
  `;
  return rows.map(({ id, name, recorded, sealed }) => ({ id, name, recorded: { ...recorded, sealed } }));
}

/** @returns undefined if the flow has 20 examples already. @param sql a transaction in which the flow is locked */
export async function insertExample(
  sql: Sql,
  viewer: Viewer,
  flow: number,
  name: string,
  recorded: string,
  sealed: string | null,
): Promise<Json<FlowExample> | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into flow_examples (account_id, flow_id, name, recorded, sealed, created_by_id)
    select ${viewer.account_id}, ${flow}, ${name}, ${recorded}::text::json, ${sealed}, ${viewer.user_id}
    where (select count(*) from flow_examples where flow_id = ${flow}) < ${MOST_EXAMPLES}
    returning id
  `;
  return row && findExample(sql, viewer.account_id, flow, row.id);
}

export const findExample = (sql: Sql, account: number, flow: number, id: number) =>
  oneJson<FlowExample>(
    sql,
    sql`
      select ${listed(sql)}
      from flow_examples
      where id = ${id}
        and flow_id = ${flow}
        and account_id = ${account}
    `,
  );

export async function renameExample(
  sql: Sql,
  account: number,
  flow: number,
  id: number,
  name: string,
): Promise<Json<FlowExample> | undefined> {
  await sql`
    update flow_examples
    set name = ${name}
    where id = ${id}
      and flow_id = ${flow}
      and account_id = ${account}
  `;
  return await findExample(sql, account, flow, id);
}

export async function deleteExample(sql: Sql, account: number, flow: number, id: number): Promise<boolean> {
  const { count } = await sql`
    delete from flow_examples
    where id = ${id}
      and flow_id = ${flow}
      and account_id = ${account}
  `;
  return count > 0;
}
