/** What flows delete when they run, for the plan that a person confirms. */
import { createHash } from "node:crypto";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";

export interface Deletion {
  db_code: string;
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

/** Flows call each other five deep at most, and the last one may have a flow for its failure. */
const LEVELS = 6;
/** Flows that are followed. */
const MOST_FLOWS = 100;

/** A flow as it is stored, or as it would be. */
export interface Program {
  code: string;
  on_failure: string | null;
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
  for (let depth = 0; level.length > 0 && depth < LEVELS; depth++) {
    const called = new Set<string>();
    for (const { code, on_failure, program } of level) {
      seen.add(code);
      digest.update(JSON.stringify([code, on_failure, program]));
      if (on_failure !== null) called.add(on_failure);
      for (const step of stepsIn(program)) {
        if (step.type === "flow" && typeof step.flow_code === "string") called.add(step.flow_code);
        const deletion = deletionOf(step);
        if (deletion) found.set(deletion.step, deletion);
      }
    }
    const next = [...called].filter((code) => !seen.has(code)).slice(0, MOST_FLOWS - seen.size);
    level = next.length === 0 ? [] : await readFlows(sql, account_id, next);
  }
  return { deletions: [...found.values()], state: digest.digest("base64url") };
}

/**
 * The flow and those that call it, perhaps for their failure, where one of them starts without another call of an agent: by
 * a trigger that is on, by a public action, or by a run that waits.
 *
 * @returns codes; none where nothing starts them
 */
export async function startedCallers(sql: Sql, account_id: number, flow_code: string): Promise<string[]> {
  const rows = await sql<{ code: string }[]>`
    with recursive callers (code, depth) as (
      select ${flow_code}::text collate "C", 1
      union
      select f.code::text collate "C", c.depth + 1
      from callers c
      join used_codes u on u.account_id = ${account_id} and u.kind = 'flow' and u.code = c.code
      join flows f on f.id = u.flow_id
      where c.depth < ${LEVELS}
    )
    select distinct code
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
    limit ${MOST_FLOWS}
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
    select code, on_failure, fields -> 'program' as program
    from flows
    where account_id = ${account_id} and code = any(${[...codes]}::text[])
    order by code
    limit ${MOST_FLOWS}
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
