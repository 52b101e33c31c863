/** Actions of apps: what their code may ask the server to do. Source: spec, "Action entry"; decisions, "Action call". */
import type { Context, Viewer } from "../../context.ts";
import { notFound, unauthorized } from "../../errors.ts";
import type { JsonObject, RunState } from "../../flow/flow.ts";
import { visibleTo } from "../../visibility.ts";
import { findAction } from "./queries.ts";
import type { ActionAnswer } from "./schema.ts";

/** Who calls: somebody with a login, or nobody. */
export interface ActionCaller {
  viewer: Viewer | undefined;
}

interface Called {
  id: string;
  action_name: string;
}

interface Action {
  account_id: number;
  app_id: string;
  name: string;
  flow_code: string;
}

/**
 * The action, where this caller may call it: without a login only a public one of a public app that is active.
 *
 * @throws {Refusal} 401, 404
 */
async function actionFor({ sql }: Context, { viewer }: ActionCaller, { id, action_name }: Called): Promise<Action> {
  const found = await findAction(sql, id, action_name);
  if (!found?.flow_code) throw notFound("Action");
  const open = found.active && found.public && found.action_public;
  if (viewer?.account_id === found.account_id) {
    // Who edits an app tries its actions before it is switched on.
    const active = found.active || viewer.role === "admin" || viewer.role === "manager";
    if (!active || !open && !visibleTo(viewer, found.department_id)) throw notFound("Action");
  } else if (!open) {
    throw viewer ? notFound("Action") : unauthorized();
  }
  return { account_id: found.account_id, app_id: id, name: action_name, flow_code: found.flow_code };
}

/** Runs the action's flow, and waits for its end as long as ACTION_WAIT_MS says. */
export async function callAction(
  ctx: Context,
  caller: ActionCaller,
  called: Called,
  input: JsonObject,
  key: string | undefined,
): Promise<ActionAnswer> {
  const { account_id, app_id, name, flow_code } = await actionFor(ctx, caller, called);
  const { id } = await ctx.flows.start({
    account_id,
    flow_code,
    input,
    trigger: "action",
    user_id: caller.viewer?.account_id === account_id ? caller.viewer.user_id : null,
    app_id,
    action: name,
    idempotency_key: key === undefined ? undefined : `action:${app_id}:${name}:${key}`,
  });
  const state = await ctx.flows.wait(account_id, id, ctx.config.action_wait_ms);
  if (!state) throw new Error("a run that was begun is not there");
  return answerOf(state);
}

/** @throws {Refusal} 404 unless the process belongs to that app and action */
export async function actionStatus(
  ctx: Context,
  caller: ActionCaller,
  called: Called,
  flow_process_id: string,
): Promise<ActionAnswer> {
  const { account_id, app_id, name } = await actionFor(ctx, caller, called);
  const state = await ctx.flows.wait(account_id, flow_process_id, 0);
  if (state?.app_id !== app_id || state.action !== name) throw notFound("Flow process");
  return answerOf(state);
}

function answerOf({ id, status, data, error }: RunState): ActionAnswer {
  switch (status) {
    case "pending":
      return { flow_process_id: id, status };
    case "finished":
      return { flow_process_id: id, status, data: data ?? null };
    default:
      return { flow_process_id: id, status: "error", error: error ?? "The flow failed" };
  }
}
