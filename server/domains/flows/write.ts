/** Creating, changing and deleting flows. */
import type { z } from "zod";
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import { hasReach, type Users } from "../../reach.ts";
import { fieldsOf } from "../../input/messages.ts";
import { fold } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { faultOf } from "../../log.ts";
import type { Viewer } from "../../viewer.ts";
import { proveDepartment } from "../departments/proof.ts";
import { proveCode } from "./code.ts";
import { findKnownUser } from "../user_settings/queries.ts";
import { proveExamples } from "./examples/check.ts";
import {
  deleteFlow,
  findGuard,
  findStartable,
  insertFlow,
  insertVersion,
  lockFlow,
  updateFlow,
  type Values,
  type WrittenFlow,
} from "./queries.ts";
import { readFlow } from "./read.ts";
import { type Flow, FlowChanges, type FlowToDelete, type NewFlow } from "./schema.ts";
import { readVersion } from "./versions/read.ts";
import { proveUnused } from "../uses/uses.ts";
import { proveNoCycle } from "./cycles.ts";
import { proveOnFailure, proveWiring } from "./wiring.ts";

/** @throws {Refusal} 422 */
export async function createFlow(ctx: Context, input: NewFlow): Promise<Json<Flow>> {
  const { sql, viewer, flows } = ctx;
  const { active = true, guarded = false, runs_as = "author", secret_inputs = [], on_failure = null } = input;
  const { fields = { program: [] }, department_id = null, max_at_once = null, overlap = "queue" } = input;
  const code = input.code ?? slug(input.name, "_").slice(0, 100);
  if (!code) throw invalid({ code: ["can't be blank"] });
  await proveDepartment(ctx, department_id);
  await proveWiring(ctx, fields.program);
  await proveOnFailure(ctx, code, on_failure);
  await proveNoCycle(sql, viewer.account_id, code, fields.program);
  await proveCode(ctx, fields.program);
  const values = {
    ...valuesOf(input),
    code,
    active,
    guarded,
    runs_as,
    secret_inputs,
    on_failure,
    max_at_once,
    overlap,
    fields,
    department_id,
    author_id: viewer.user_id,
  };
  const id = await insertFlow(sql, viewer.account_id, values);
  flows.forget(viewer.account_id);
  return await readFlow(ctx, id);
}

/** @throws {Refusal} 404; 409 if `lock_version` is stale; 422 */
export async function changeFlow(ctx: Context, id: number, changes: FlowChanges): Promise<Json<Flow>> {
  const { sql, viewer, flows, log } = ctx;
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  // Before the transaction: nothing is locked while a source is compiled.
  if (changes.fields) await proveCode(ctx, changes.fields.program);
  await proveGuard(ctx, id, changes);
  const is_current = await sql.begin(async (tx) => {
    const flow = await lockFlow(tx, viewer, id);
    if (!flow) throw notFound("Flow");
    if (changes.lock_version !== undefined && changes.lock_version !== flow.lock_version) return false;
    const is_new = await isNewVersion(tx, viewer, flow, changes);
    if (is_new) await proveWiring({ sql: tx, viewer }, changes.fields?.program ?? JSON.parse(flow.program));
    const { code = flow.code, on_failure = flow.on_failure } = changes;
    if (is_new || changes.code !== undefined) {
      await proveOnFailure({ sql: tx, viewer }, code, on_failure);
      const program = changes.fields?.program ?? JSON.parse(flow.program);
      await proveNoCycle(tx, viewer.account_id, changes.code ?? flow.code, program);
    }
    await updateFlow(tx, viewer.account_id, id, { ...valuesOf(changes), ...is_new && { author_id: viewer.user_id } });
    if (is_new) await insertVersion(tx, viewer.account_id, id);
    return true;
  });
  if (!is_current) throw conflict((await readFlow(ctx, id)).parse());
  flows.forget(viewer.account_id);
  // If this fails, the next sweep does it.
  if (changes.max_at_once !== undefined) {
    await flows.passTurns(viewer.account_id, id)
      .catch((error) => log.warn("the turns of a flow were not passed on", faultOf(error)));
  }
  return await readFlow(ctx, id);
}

/** @throws {Refusal} 422 if the flow is guarded, its program or state changes, and an example fails */
export async function proveGuard(ctx: Context, id: number, changes: FlowChanges): Promise<void> {
  const { fields, active, guarded, force } = changes;
  const is_changed = fields !== undefined || changes.input !== undefined || changes.output !== undefined;
  if (force || guarded === false || !is_changed && active !== true && !guarded) return;
  const flow = await findGuard(ctx.sql, ctx.viewer, id);
  if (!flow || !(guarded ?? flow.guarded)) return;
  if (is_changed || guarded && !flow.guarded || active === true && !flow.active) {
    const { input = flow.input, output = flow.output, secret_inputs = flow.secret_inputs } = changes;
    await proveExamples(ctx, { ...flow, input, output, secret_inputs }, fields?.program ?? flow.program);
  }
}

/**
 * Restores the program, what it declares, and `runs_as` of a version. The replaced state becomes a version in turn, and the viewer is the
 * author.
 *
 * @throws {Refusal} 404; 422 if the program may not be written any more
 */
export async function restoreVersion(ctx: Context, id: number, version: number): Promise<Json<Flow>> {
  const { program, ...declared } = (await readVersion(ctx, id, version)).parse();
  const changes: z.ZodSafeParseResult<FlowChanges> = FlowChanges.safeParse({
    fields: { program },
    runs_as: declared.runs_as,
    input: declared.input,
    output: declared.output,
    secret_inputs: declared.secret_inputs,
    on_failure: declared.on_failure,
  });
  if (!changes.success) throw invalid(fieldsOf(changes.error.issues));
  return await changeFlow(ctx, id, changes.data);
}

/**
 * Whether the change is a new version, whose author is the viewer: another program, declaration or `runs_as`, or a program
 * that is saved again because its author may not write it any more.
 */
async function isNewVersion(
  tx: Sql,
  { account_id }: Viewer,
  flow: WrittenFlow,
  { fields, runs_as, input, output, secret_inputs, on_failure }: FlowChanges,
): Promise<boolean> {
  if (fields && JSON.stringify(fields.program) !== flow.program) return true;
  if (input !== undefined && textOf(input) !== flow.input) return true;
  if (output !== undefined && textOf(output) !== flow.output) return true;
  if (secret_inputs !== undefined && JSON.stringify(secret_inputs) !== flow.secret_inputs) return true;
  if (on_failure !== undefined && on_failure !== flow.on_failure) return true;
  if (runs_as !== undefined && runs_as !== flow.runs_as) return true;
  const users: Users = { find: (account, user) => findKnownUser(tx, account, user) };
  return fields !== undefined && !await hasReach(users, account_id, flow.author_id);
}

const textOf = (schema: unknown): string | null => schema === null ? null : JSON.stringify(schema);

/** @throws {Refusal} 404; 409 if it is in use */
export async function removeFlow(ctx: Context, { id, force }: z.output<typeof FlowToDelete>): Promise<void> {
  const { sql, viewer, flows } = ctx;
  const flow = await findStartable(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  await proveUnused(ctx, "flow", flow.code, "flow", force);
  if (!await deleteFlow(sql, viewer, id)) throw notFound("Flow");
  flows.forget(viewer.account_id);
}

/** The columns of a body. Its `kind` is constant, and `lock_version` is a condition. */
function valuesOf(
  { kind: _kind, program: _program, lock_version: _lock_version, force: _force, ...input }:
    & Partial<NewFlow>
    & FlowChanges,
): Values {
  return { ...input, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
