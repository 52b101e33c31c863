/** Runs that delete records: what a person is told before one begins. */
import {
  type Deletion,
  deletionsIn,
  deletionsOf,
  hasTrigger,
  type Start,
} from "../../domains/agents/deleting_flows.ts";
import type { Plan } from "../../domains/agents/schema.ts";
import { Refusal } from "../../errors.ts";
import { countRecords, records } from "./losses.ts";
import type { Use } from "./tool.ts";

/** @returns undefined where the flow deletes nothing */
export async function planOfStart(use: Use, start: Start, verb: string): Promise<Plan | undefined> {
  const { ctx, session } = use;
  const found = await deletionsOf(ctx.sql, session.account_id, start);
  if (!found) return undefined;
  const { flow_code, deletions, state } = found;
  return {
    title: `${verb} the flow ${flow_code}, which deletes records`,
    effects: await effectsOf(use, deletions),
    state,
  };
}

/**
 * A change of the program of a flow that triggers start by themselves.
 *
 * @returns undefined where no trigger is on, and where it deletes nothing that it has not deleted before
 */
export async function planOfProgram(
  use: Use,
  flow: Record<string, unknown>,
  changes: Record<string, unknown>,
): Promise<Plan | undefined> {
  const keyOf = ({ db_code, table_name }: Deletion) => `${db_code} ${table_name}`;
  const known = new Set(deletionsIn(Object(flow.fields).program).map(keyOf));
  const more = deletionsIn(Object(changes.fields).program).filter((deletion) => !known.has(keyOf(deletion)));
  const { ctx, session } = use;
  if (more.length === 0 || !await hasTrigger(ctx.sql, session.account_id, String(flow.code))) return undefined;
  return {
    title: `Let the flow ${flow.code} delete records, which triggers start`,
    effects: await effectsOf(use, more),
    state: String(flow.lock_version),
  };
}

async function effectsOf(use: Use, deletions: readonly Deletion[]): Promise<string[]> {
  const effects: string[] = [];
  for (const { db_code, table_name } of deletions.slice(0, 50)) {
    const of_table = table_name === "" ? "" : `the table ${table_name} of `;
    const count = await countRecords(use, db_code, table_name).catch(unseen);
    const has = count === undefined ? "" : `, which has ${records(count)}`;
    effects.push(`It deletes records of ${of_table}the database ${db_code}${has}`);
  }
  return effects;
}

/** A run has the rights of the flow's author: the token may see less. */
function unseen(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.status >= 500) throw error;
}
