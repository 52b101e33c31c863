/** Creating, changing, deleting and starting flows. */
import type { Context } from "../../context.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { proveDepartment } from "../departments/proof.ts";
import {
  deleteFlow,
  findFlow,
  findStartable,
  insertFlow,
  insertVersion,
  lockFlow,
  updateFlow,
  type Values,
} from "./queries.ts";
import type { Flow, FlowChanges, FlowRun, NewFlow, RunAnswer } from "./schema.ts";
import { warningsOf } from "./warnings.ts";
import { proveWiring } from "./wiring.ts";

/** @throws {Refusal} 404 */
export async function readFlow(ctx: Context, id: number): Promise<Json<Flow>> {
  const flow = await findFlow(ctx.sql, ctx.viewer, id);
  if (!flow) throw notFound("Flow");
  const warnings = await warningsOf(ctx, flow.parse().fields.program);
  // The text goes on as it is: what parsed it and wrote it again would put keys that are numbers first.
  return new Json(`${flow.text.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`);
}

export async function createFlow(ctx: Context, input: NewFlow): Promise<Json<Flow>> {
  const { sql, viewer, flows } = ctx;
  const { active = true, fields = { program: [] }, department_id = null } = input;
  const code = input.code ?? slug(input.name, "_").slice(0, 100);
  if (!code) throw invalid({ code: ["can't be blank"] });
  await proveDepartment(ctx, department_id);
  await proveWiring(ctx, fields.program);
  const id = await insertFlow(sql, viewer.account_id, { ...valuesOf(input), code, active, fields, department_id });
  flows.forget(viewer.account_id);
  return await readFlow(ctx, id);
}

/** @throws {Refusal} 404; 409 where `lock_version` is stale */
export async function changeFlow(ctx: Context, id: number, changes: FlowChanges): Promise<Json<Flow>> {
  const { sql, viewer, flows } = ctx;
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  const is_current = await sql.begin(async (tx) => {
    const flow = await lockFlow(tx, viewer, id);
    if (!flow) throw notFound("Flow");
    if (changes.lock_version !== undefined && changes.lock_version !== flow.lock_version) return false;
    const is_changed = changes.fields && JSON.stringify(changes.fields.program) !== flow.program;
    if (is_changed) await proveWiring({ sql: tx, viewer }, changes.fields?.program);
    await updateFlow(tx, viewer.account_id, id, valuesOf(changes));
    if (is_changed) await insertVersion(tx, viewer.account_id, id);
    return true;
  });
  if (!is_current) throw conflict((await readFlow(ctx, id)).parse());
  flows.forget(viewer.account_id);
  return await readFlow(ctx, id);
}

/** @throws {Refusal} 404 */
export async function removeFlow({ sql, viewer, flows }: Context, id: number): Promise<void> {
  if (!await deleteFlow(sql, viewer, id)) throw notFound("Flow");
  flows.forget(viewer.account_id);
}

/**
 * Runs a flow by hand, and waits for its end as long as ACTION_WAIT_MS says.
 *
 * @throws {Refusal} 404; 422 where it is switched off
 */
export async function runFlow(ctx: Context, { id, input, idempotency_key }: FlowRun): Promise<RunAnswer> {
  const { sql, viewer, flows, config } = ctx;
  const flow = await findStartable(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  if (!flow.active) throw invalid({ base: ["This flow is switched off"] });
  const run = await flows.start({
    account_id: viewer.account_id,
    flow_code: flow.code,
    input,
    trigger: "manual",
    user_id: viewer.user_id,
    idempotency_key: idempotency_key === undefined
      ? undefined
      : `manual:${id}:user ${viewer.user_id}:${idempotency_key}`,
  });
  const state = await flows.wait(viewer.account_id, run.id, config.action_wait_ms);
  if (!state) throw new Error("a run that was begun is not there");
  const { status, data = null, error } = state;
  return { flow_process_id: run.id, status, ...(status === "finished" && { data }), ...(error && { error }) };
}

function valuesOf(
  { kind: _kind, program: _program, lock_version: _lock_version, ...input }: Partial<NewFlow> & FlowChanges,
): Values {
  return { ...input, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
