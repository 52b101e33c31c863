/** What flows delete when they run, for the plan that a person confirms. */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";

export interface Deletion {
  /** Null for what is not known, because not all flows were followed. */
  db_code: string | null;
  /** Empty in a database with one table. */
  table_name: string;
  /** The whole step as JSON, by which deletions are compared. */
  step: string;
}

export interface Deletions {
  deletions: Deletion[];
  /** A digest of all programs that would run. */
  state: string;
}

/** Flows that are followed. */
export const MOST_FLOWS = 100;

const UNFOLLOWED: Deletion = { db_code: null, table_name: "", step: "flows that are not followed" };

/** What decides which steps a flow executes: as it is stored, or as it would be. */
export interface Program {
  code: string;
  on_failure: string | null;
  runs_as: unknown;
  /** The JSON Schema of its input. */
  input: unknown;
  program: unknown;
}

/** What a flow deletes; nothing where there is no such flow, because its start is refused then. */
export const deletionsOf = async (sql: Sql, account_id: number, flow_code: string): Promise<Deletions> =>
  await deletionsFrom(sql, account_id, await readFlows(sql, account_id, [flow_code]));

/**
 * What these flows delete, also by the flows that they call and by those for their failures.
 *
 * @param except the code of a flow that is not followed
 */
export async function deletionsFrom(
  sql: Sql,
  account_id: number,
  flows: readonly Program[],
  except?: string,
): Promise<Deletions> {
  const digest = createHash("sha256");
  const found = new Map<string, Deletion>();
  const seen = new Set(except === undefined ? [] : [except]);
  let level = flows;
  // A run is refused below the fifth level. The flow of a failure begins at the first one again.
  while (level.length > 0) {
    const called = new Set<string>();
    for (const { code, on_failure, runs_as, input, program } of level) {
      seen.add(code);
      digest.update(JSON.stringify([code, on_failure, runs_as, input, program]));
      if (on_failure !== null) called.add(on_failure);
      for (const step of stepsIn(program)) {
        if (step.type === "flow" && typeof step.flow_code === "string") called.add(step.flow_code);
        const deletion = deletionOf(step);
        if (deletion) found.set(deletion.step, deletion);
      }
    }
    const next = [...called].filter((code) => !seen.has(code));
    const is_whole = seen.size + next.length <= MOST_FLOWS;
    if (!is_whole) found.set(UNFOLLOWED.step, UNFOLLOWED);
    level = is_whole && next.length > 0 ? await readFlows(sql, account_id, next) : [];
  }
  return { deletions: [...found.values()], state: digest.digest("base64url") };
}

/**
 * The flow and those that call it, perhaps for their failure, where one of them starts without another call of an agent: by
 * a trigger that is on, by a public action, or by a run that waits or is in progress.
 *
 * @param in_progress codes of flows that are executed now
 * @returns codes, at most one more than are followed; none where nothing starts them
 */
export async function startedCallers(
  sql: Sql,
  account_id: number,
  flow_code: string,
  in_progress: readonly string[],
): Promise<string[]> {
  const callers_in_progress = in_progress.filter((code) => code !== flow_code);
  const rows = await sql<{ code: string }[]>`
    with recursive callers (code) as (
      select ${flow_code}::text collate "C"
      union
      select f.code::text collate "C"
      from callers c
      join used_codes u on u.account_id = ${account_id} and u.kind = 'flow' and u.code = c.code
      join flows f on f.id = u.flow_id
    )
    select code
    from callers
    where exists (
      select from crons where account_id = ${account_id} and active and target_code in (select code from callers)
    )
    or exists (
      select
      from callers c
      join used_codes u on u.account_id = ${account_id} and u.kind = 'flow' and u.code = c.code
      join apps a on a.id = u.app_id and a.public and a.active
      cross join jsonb_array_elements(a.actions) e
      where e ->> 'flow_code' = c.code and e -> 'public' = 'true'
    )
    or exists (
      select
      from callers c
      join flows f on f.account_id = ${account_id} and f.code = c.code
      join flow_waits w on w.flow_id = f.id
    )
    or exists (select from callers where code = any(${callers_in_progress}::text[]))
    limit ${MOST_FLOWS + 1}
  `;
  return rows.map(({ code }) => code);
}

function deletionOf(step: Record<string, unknown>): Deletion | undefined {
  const { type, action, db_code, table_name } = step;
  if (type !== "record" || action !== "delete" || typeof db_code !== "string") return undefined;
  return { db_code, table_name: typeof table_name === "string" ? table_name : "", step: JSON.stringify(step) };
}

/** Whether a step, or one inside of it, deletes records or calls a flow. */
export const mayDelete = (step: unknown): boolean =>
  stepsIn(step).some((inner) => inner.type === "flow" || deletionOf(inner) !== undefined);

/** Every object of a program: steps have their branches under several names. */
function* stepsIn(json: unknown): Generator<Record<string, unknown>> {
  if (typeof json !== "object" || json === null) return;
  if (!Array.isArray(json)) yield { ...json };
  for (const inner of Object.values(json)) yield* stepsIn(inner);
}

export const readFlows = (sql: Sql, account_id: number, codes: readonly string[]) =>
  sql<Program[]>`
    select code, on_failure, runs_as, input, fields -> 'program' as program
    from flows
    where account_id = ${account_id} and code = any(${[...codes]}::text[])
    order by code
    limit ${MOST_FLOWS + 1}
  `;

/** Codes of those databases that the user sees, whatever the token's scopes are. */
export async function listSeenDbs(sql: Sql, viewer: Viewer, codes: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ code: string }[]>`
    select code
    from dbs
    where account_id = ${viewer.account_id}
      and code = any(${[...codes]}::text[])
      and ${visible(sql, viewer)}
  `;
  return new Set(rows.map(({ code }) => code));
}
