/** Runs that delete records: what a person is told before one begins. */
import {
  type Deletion,
  deletionsFrom,
  deletionsOf,
  listSeenDbs,
  mayDelete,
  MOST_FLOWS,
  type Program,
  readFlows,
  startedCallers,
} from "../../domains/agents/deleting_flows.ts";
import type { Plan } from "../../domains/agents/schema.ts";
import { Refusal } from "../../errors.ts";
import { slug } from "../../input/slug.ts";
import { countRecords, records } from "./losses.ts";
import type { Use } from "./tool.ts";

/** Runs in progress that are looked at, the newest. */
const MOST_RUNNING = 1_000;

/** A run that a call would begin. The caller has proven that it may begin it. */
export interface Start {
  flow_code: string;
  /** For people: what would begin. */
  title: string;
  /** The trigger that would start it. */
  trigger?: Record<string, unknown> | undefined;
  /** The caller may not read the program: its databases are named only where the caller sees them. */
  is_hidden?: boolean | undefined;
}

/** @returns undefined where the flow deletes nothing */
export async function planOfStart(
  use: Use,
  { flow_code, title, trigger, is_hidden }: Start,
): Promise<Plan | undefined> {
  const { ctx, session } = use;
  const { deletions, state } = await deletionsOf(ctx.sql, session.account_id, flow_code);
  if (deletions.length === 0) return undefined;
  return {
    title: `${title}, which deletes records`,
    effects: await effectsOf(use, deletions, is_hidden),
    // Its input and its schedule decide, too.
    state: trigger ? `${trigger.lock_version} ${state}` : state,
  };
}

/**
 * A trigger that is on starts the flow.
 *
 * @param trigger as it is; undefined for a new one
 * @returns undefined where the flow deletes nothing
 */
export const planOfTrigger = (
  use: Use,
  flow_code: string,
  trigger?: Record<string, unknown>,
): Promise<Plan | undefined> =>
  planOfStart(use, { flow_code, title: `Start by a trigger the flow ${flow_code}`, trigger });

/**
 * A flow that is written, and that starts without another call of an agent, by itself or by flows that call it.
 *
 * @param before undefined of a new flow
 * @returns undefined if nothing starts the flow, if neither it nor one of its callers deletes records, or if the change has
 *   no effect on which records are deleted
 */
export async function planOfFlow(
  use: Use,
  before: Record<string, unknown> | undefined,
  changes: Record<string, unknown>,
): Promise<Plan | undefined> {
  const { ctx: { sql, flows }, session: { account_id } } = use;
  const running = await flows.pending(account_id, MOST_RUNNING);
  const in_progress = [...new Set(running.map(({ flow_code }) => flow_code))];
  const startersOf = async (flow: Record<string, unknown>) =>
    flow.active === false ? [] : await startedCallers(sql, account_id, programOf(flow).code, in_progress);
  const fields = { ...Object(before?.fields), ...Object(changes.fields) };
  const flow = { ...before, ...changes, fields };
  const program = programOf(flow);
  const starters = await startersOf(flow);
  if (starters.length === 0) return undefined;
  const after = await deletionsFrom(sql, account_id, [program]);
  const known = new Set<string>();
  if (before && (await startersOf(before)).length > 0) {
    const { deletions } = await deletionsFrom(sql, account_id, [programOf(before)]);
    for (const { step } of deletions) known.add(step);
  }
  const more = after.deletions.filter(({ step }) => !known.has(step));
  const callers = starters.filter((code) => code !== program.code);
  const of_callers = await deletionsFrom(sql, account_id, await readFlows(sql, account_id, callers), program.code);
  // What the flow gives may decide what its callers delete.
  const fingerprintOf = of_callers.deletions.length > 0 ? wholeOf : decidingOf;
  if (more.length === 0 && before && fingerprintOf(before) === fingerprintOf(flow)) return undefined;
  const deletions = more.length > 0 ? more : [...after.deletions, ...of_callers.deletions];
  if (deletions.length === 0) return undefined;
  return {
    title: `Let the flow ${program.code} delete records, which triggers start`,
    effects: await effectsOf(use, deletions),
    state: `${before?.lock_version ?? ""} ${after.state} ${of_callers.state}`,
  };
}

/**
 * What decides which records a flow deletes, beside the deletions themselves: the steps before the last one that deletes or
 * calls a flow, with the branches around it, the input, and with whose rights they run.
 */
function decidingOf(flow: Record<string, unknown>): string {
  const { on_failure, runs_as, input, program } = programOf(flow);
  const steps = Array.isArray(program) ? program : [];
  const last = steps.findLastIndex((step) => mayDelete(step));
  return JSON.stringify([steps.slice(0, last + 1), on_failure, runs_as, input]);
}

/** All that decides what a flow gives to its callers. */
function wholeOf(flow: Record<string, unknown>): string {
  const { code: _code, ...all } = programOf(flow);
  return JSON.stringify(all);
}

/** An app that is written: everyone may start the flows of the public actions of a public app. */
export async function planOfApp(
  use: Use,
  before: Record<string, unknown> | undefined,
  changes: Record<string, unknown>,
): Promise<Plan | undefined> {
  const known = new Set(before ? openFlows(before) : []);
  for (const flow_code of openFlows({ ...before, ...changes })) {
    if (known.has(flow_code)) continue;
    const plan = await planOfStart(use, { flow_code, title: `Let everyone start the flow ${flow_code} by an action` });
    if (plan) return { ...plan, state: `${before?.lock_version ?? ""} ${plan.state}` };
  }
  return undefined;
}

/** Codes of flows that visitors may start by the app's actions. */
const openFlows = ({ public: is_public, active, actions }: Record<string, unknown>): string[] =>
  is_public === true && active !== false && Array.isArray(actions)
    ? actions.map(Object).flatMap(({ flow_code, public: is_open }) => is_open === true ? [String(flow_code)] : [])
    : [];

/** As it would be stored: without a code of its own, a flow is called like its name. */
const programOf = ({ code, name, on_failure, runs_as, input, fields }: Record<string, unknown>): Program => ({
  code: slug(String(code ?? name ?? ""), "_").slice(0, 100),
  on_failure: typeof on_failure === "string" ? on_failure : null,
  runs_as,
  input: input ?? null,
  program: Object(fields).program,
});

async function effectsOf(use: Use, deletions: readonly Deletion[], is_hidden = false): Promise<string[]> {
  const effects = new Set<string>();
  const by_table = new Map(deletions.map((deletion) => [`${deletion.db_code} ${deletion.table_name}`, deletion]));
  const tables = [...by_table.values()].slice(0, 50);
  const codes = tables.flatMap(({ db_code }) => db_code ?? []);
  const seen = await listSeenDbs(use.ctx.sql, use.ctx.viewer, codes);
  for (const { db_code, table_name } of tables) {
    if (db_code === null) {
      effects.add(`It involves more than ${MOST_FLOWS} flows: what the others delete is not known`);
      continue;
    }
    const count = await countRecords(use, db_code, table_name).catch(refusalIn);
    const is_unseen = !seen.has(db_code) || is_hidden && count instanceof Refusal;
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
