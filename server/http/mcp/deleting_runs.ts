/** Runs that delete records: what a person is told before one begins. */
import {
  type Deletion,
  deletionsFrom,
  deletionsOf,
  isTriggered,
  mayDelete,
  type Program,
} from "../../domains/agents/deleting_flows.ts";
import type { Plan } from "../../domains/agents/schema.ts";
import { Refusal } from "../../errors.ts";
import { slug } from "../../input/slug.ts";
import { countRecords, records } from "./losses.ts";
import type { Use } from "./tool.ts";

/** A run that a call would begin. The caller has proven that it may begin it. */
export interface Start {
  flow_code: string;
  /** For people: what would begin. */
  title: string;
  /** The caller may not read the program: its databases are named only where the caller sees them. */
  is_hidden?: boolean | undefined;
}

/** @returns undefined where the flow deletes nothing */
export async function planOfStart(use: Use, { flow_code, title, is_hidden }: Start): Promise<Plan | undefined> {
  const { ctx, session } = use;
  const { deletions, state } = await deletionsOf(ctx.sql, session.account_id, flow_code);
  if (deletions.length === 0) return undefined;
  return { title: `${title}, which deletes records`, effects: await effectsOf(use, deletions, is_hidden), state };
}

/** A trigger that is on starts the flow. @returns undefined where the flow deletes nothing */
export const planOfTrigger = (use: Use, flow_code: string): Promise<Plan | undefined> =>
  planOfStart(use, { flow_code, title: `Start by a trigger the flow ${flow_code}` });

/**
 * A flow that is written, and that triggers start, by themselves or by flows that call it.
 *
 * @param before undefined of a new flow
 * @returns undefined where no trigger is on, and where it deletes what it has deleted before, on the same conditions
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
  const flow = { ...before, ...changes, fields };
  const after = await deletionsIfTriggered(flow);
  if (after.deletions.length === 0) return undefined;
  const known = new Set((before ? await deletionsIfTriggered(before) : { deletions: [] }).deletions.map(stepOf));
  const more = after.deletions.filter((deletion) => !known.has(stepOf(deletion)));
  if (more.length === 0 && before && decidingOf(before) === decidingOf(flow)) return undefined;
  return {
    title: `Let the flow ${programOf(flow).code} delete records, which triggers start`,
    effects: await effectsOf(use, more.length > 0 ? more : after.deletions),
    state: `${before?.lock_version ?? ""} ${after.state}`,
  };
}

/**
 * What decides which records a flow deletes, beside the deletions themselves: the steps before the last one that deletes or
 * calls a flow, with the branches around it, and with whose rights they run.
 */
function decidingOf(flow: Record<string, unknown>): string {
  const { on_failure, program } = programOf(flow);
  const steps = Array.isArray(program) ? program : [];
  const last = steps.findLastIndex((step) => mayDelete(step));
  return JSON.stringify([steps.slice(0, last + 1), on_failure, flow.runs_as]);
}

const stepOf = ({ step }: Deletion) => step;

/** As it would be stored: without a code of its own, a flow is called like its name. */
const programOf = ({ code, name, on_failure, fields }: Record<string, unknown>): Program => ({
  code: slug(String(code ?? name ?? ""), "_").slice(0, 100),
  on_failure: typeof on_failure === "string" ? on_failure : null,
  program: Object(fields).program,
});

async function effectsOf(use: Use, deletions: readonly Deletion[], is_hidden = false): Promise<string[]> {
  const effects = new Set<string>();
  const by_table = new Map(deletions.map((deletion) => [`${deletion.db_code} ${deletion.table_name}`, deletion]));
  for (const { db_code, table_name } of [...by_table.values()].slice(0, 50)) {
    const count = await countRecords(use, db_code, table_name).catch(refusalIn);
    const is_unseen = count instanceof Refusal && (is_hidden || count.status === 404);
    const of_table = table_name === "" || is_unseen ? "" : `the table ${table_name} of `;
    const db = is_unseen ? "a database that the caller does not see" : `the database ${db_code}`;
    const has = count instanceof Refusal ? "" : `, which has ${records(count)}`;
    effects.add(`It deletes records of ${of_table}${db}${has}`);
  }
  return [...effects];
}

/** A run has the rights of the flow's author: the token may see less. */
function refusalIn(error: unknown): Refusal {
  if (!(error instanceof Refusal) || error.status >= 500) throw error;
  return error;
}
