/** Applies a push, all of it or nothing. A dry run executes the same statements and rolls them back. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, type Fields, invalid, type Refusal } from "../../errors.ts";
import { fold } from "../../input/shapes.ts";
import { refusalOf } from "../../trpc.ts";
import { readFlow } from "../flows/read.ts";
import { usedBy } from "../uses/uses.ts";
import { THING_KINDS } from "./kinds/kinds.ts";
import { decide, type Decisions, type Task } from "./plan.ts";
import { prepare } from "./prepare.ts";
import type { Plan, PlannedChange, Push } from "./schema.ts";
import { nameOfUse, type Value, type Writing, type Written } from "./thing.ts";
import { inTransaction, withRememberingCompiler } from "./transaction.ts";

/** @throws {Refusal} 409 with the plan as `current`; 422 by `kind/key.field` */
export async function pushArchive(ctx: Context, push: Push): Promise<Plan> {
  const remembering = withRememberingCompiler(ctx);
  const refused = await prepare(remembering, await decide(ctx.sql, ctx.viewer.account_id, push));
  const attempt = () =>
    inTransaction(remembering, async (ctx) => {
      const decisions = await decide(ctx.sql, ctx.viewer.account_id, push);
      const { changes, is_outdated } = await applyAll(ctx, decisions, push, refused);
      const is_whole = decisions.conflicts.length === 0 &&
        changes.every(({ faults }) => Object.keys(faults).length === 0);
      const commits = is_whole && !push.dry_run;
      const { conflicts, unchanged } = decisions;
      return { commits, result: { plan: { applied: commits, changes, conflicts, unchanged }, is_outdated } };
    });
  const first = await attempt();
  // A thing was changed after it was read, which is a conflict.
  const { plan } = first.is_outdated ? await attempt() : first;
  if (push.dry_run || plan.applied) return push.dry_run ? withoutAddresses(plan) : plan;
  if (plan.conflicts.length > 0) {
    throw conflict(plan, "The account has changed since the base of this push: nothing was applied");
  }
  throw invalid(faultsOf(plan));
}

/** Addresses of a dry run lead nowhere. */
const withoutAddresses = (plan: Plan): Plan => ({
  ...plan,
  changes: plan.changes.map((change) => ({ ...change, webhook_url: null })),
});

const faultsOf = ({ changes }: Plan): Fields =>
  Object.fromEntries(
    changes.flatMap(({ kind, key, faults }) =>
      Object.entries(faults).map(([field, messages]) => [`${kind}/${key}.${field}`, messages])
    ),
  );

async function applyAll(
  ctx: Context,
  { tasks }: Decisions,
  { secrets }: Push,
  refused: ReadonlyMap<string, Fields>,
): Promise<{ changes: PlannedChange[]; is_outdated: boolean }> {
  let is_outdated = false;
  const writing: Writing = { ctx, secrets, departmentId: (name) => findDepartment(ctx, name) };
  const written = new Map<Task, Written>();
  const changes = new Map<Task, PlannedChange>();
  const removals = tasks.filter(({ action }) => action === "delete").toReversed();
  for (const task of [...tasks.filter(({ action }) => action !== "delete"), ...removals]) {
    const { stored: _stored, value: _value, ...planned } = task;
    const change: PlannedChange = { ...planned, warnings: {}, webhook_url: null };
    changes.set(task, change);
    change.faults = { ...task.faults, ...refused.get(`${task.kind}/${task.key}`) };
    if (task.action === "keep" || Object.keys(change.faults).length > 0) continue;
    try {
      const done = await ctx.sql.begin((tx) => applyOne(within(writing, tx), task));
      if (!done) continue;
      written.set(task, done);
      change.warnings = done.warnings ?? {};
      change.webhook_url = done.webhook_url ?? null;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.status >= 500) throw error;
      is_outdated ||= refusal.status === 404 || refusal.status === 409 && refusal.body.used_by === undefined;
      change.faults = refusal.fields ?? { base: [sentenceOf(refusal)] };
    }
  }
  // What a flow or a renamed thing is named by may have been written after it.
  for (const [task, { id }] of written) {
    const change = changes.get(task);
    if (change) change.warnings = { ...change.warnings, ...await lateWarnings(ctx, task, id) };
  }
  return { changes: tasks.flatMap((task) => changes.get(task) ?? []), is_outdated };
}

/** The savepoint of one thing: what it has written is undone where it fails. */
function within(writing: Writing, tx: Sql): Writing {
  const ctx: Context = Object.create(writing.ctx, { sql: { value: tx } });
  return { ...writing, ctx, departmentId: (name) => findDepartment(ctx, name) };
}

async function applyOne(writing: Writing, task: Task): Promise<Written | undefined> {
  const kind = THING_KINDS[task.kind];
  const { key, stored, value, fields } = task;
  if (task.action === "delete") {
    if (stored) await kind.remove(writing.ctx, stored, key);
    return undefined;
  }
  if (!value) throw new Error("a thing without a value is written");
  if (!stored) return await kind.create(writing, key, value);
  const names = [...fields, ...kind.hints ?? []];
  const changes: Value = Object.fromEntries(names.map((name) => [name, value[name]]));
  return await kind.change(writing, stored, key, changes, value);
}

/** @throws {Refusal} 422 on `department` */
async function findDepartment({ sql, viewer }: Context, name: unknown): Promise<number | null> {
  if (typeof name !== "string") return null;
  const [row] = await sql<{ id: number }[]>`
    select id from departments where account_id = ${viewer.account_id} and name_folded = ${fold(name)}
  `;
  if (!row) throw invalid({ department: [`names the department ${name}, which is not there`] });
  return row.id;
}

/** A refusal to delete says what is in use. */
function sentenceOf({ message, body: { used_by } }: Refusal): string {
  if (!Array.isArray(used_by)) return message;
  return `is used by ${used_by.map(nameOfUse).join(", ") || "something"}`;
}

async function lateWarnings(ctx: Context, { kind, key, from }: Task, id: Written["id"]): Promise<Fields> {
  const warnings: Fields = kind === "flow" ? fieldsOfFlow((await readFlow(ctx, Number(id))).parse().warnings) : {};
  if (from === null || kind !== "flow" && kind !== "connector" && kind !== "db") return warnings;
  const { sql, viewer } = ctx;
  const [row] = await sql<{ used_by: { kind: string; id: string | number; name: string | null }[] }[]>`
    select ${usedBy(sql, viewer, kind, sql`${from}`)} as used_by
  `;
  if (!row || row.used_by.length === 0) return warnings;
  const users = row.used_by.map((use) => `${nameOfUse(use)} still names ${from}, not ${key}`);
  return { ...warnings, base: users };
}

/** The archive has a program at the top of a flow. */
const fieldsOfFlow = (warnings: Fields): Fields =>
  Object.fromEntries(Object.entries(warnings).map(([path, messages]) => [path.replace(/^fields\./, ""), messages]));
