/** Runs that delete records: what a person is told before one begins. */
import {
  type Deletion,
  deletionsFrom,
  deletionsOf,
  isTriggered,
  type Program,
  type Start,
} from "../../domains/agents/deleting_flows.ts";
import type { Plan } from "../../domains/agents/schema.ts";
import { Refusal } from "../../errors.ts";
import { slug } from "../../input/slug.ts";
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
 * A flow that is written, and that triggers start, by themselves or by flows that call it.
 *
 * @param before undefined of a new flow
 * @returns undefined where no trigger is on, and where it deletes nothing that it has not deleted before
 */
export async function planOfFlow(
  use: Use,
  before: Record<string, unknown> | undefined,
  changes: Record<string, unknown>,
): Promise<Plan | undefined> {
  const { ctx: { sql }, session: { account_id } } = use;
  const deletionsIfTriggered = async (flow: Record<string, unknown>) => {
    const program = programOf(flow);
    const is_on = flow.active !== false && await isTriggered(sql, account_id, program.code);
    return is_on ? await deletionsFrom(sql, account_id, [program]) : { deletions: [], state: "" };
  };
  const fields = { ...Object(before?.fields), ...Object(changes.fields) };
  const after = await deletionsIfTriggered({ ...before, ...changes, fields });
  if (after.deletions.length === 0) return undefined;
  const known = new Set((before ? await deletionsIfTriggered(before) : { deletions: [] }).deletions.map(stepOf));
  const more = after.deletions.filter((deletion) => !known.has(stepOf(deletion)));
  if (more.length === 0) return undefined;
  return {
    title: `Let the flow ${programOf({ ...before, ...changes }).code} delete records, which triggers start`,
    effects: await effectsOf(use, more),
    state: `${before?.lock_version ?? ""} ${after.state}`,
  };
}

const stepOf = ({ step }: Deletion) => step;

/** As it would be stored: without a code of its own, a flow is called like its name. */
const programOf = ({ code, name, on_failure, fields }: Record<string, unknown>): Program => ({
  code: slug(String(code ?? name ?? ""), "_").slice(0, 100),
  on_failure: typeof on_failure === "string" ? on_failure : null,
  program: Object(fields).program,
});

async function effectsOf(use: Use, deletions: readonly Deletion[]): Promise<string[]> {
  const effects: string[] = [];
  const by_table = new Map(deletions.map((deletion) => [`${deletion.db_code} ${deletion.table_name}`, deletion]));
  for (const { db_code, table_name } of [...by_table.values()].slice(0, 50)) {
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
