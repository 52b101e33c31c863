/** Actions of apps: what their code may ask the server to do. Source: spec, "Action entry"; decisions, "Action call". */
import type { Context, Viewer } from "../../context.ts";
import { notFound, type Refusal, unauthorized } from "../../errors.ts";
import type { JsonObject, RunState } from "../../flow/flow.ts";
import { visibleTo } from "../../visibility.ts";
import { findAction, type FoundAction } from "./queries.ts";
import type { ActionAnswer } from "./schema.ts";

/** Who calls: somebody with a login, or nobody. */
export interface ActionCaller {
  viewer: Viewer | undefined;
  /** Whose idempotency keys without a login are: a browser, else an address. */
  visitor?: string;
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
 * The action, where this caller may call it: without a login only a public one of a public app that is active. What is
 * in memory may be a moment old, so whoever is refused by it is looked up.
 *
 * @throws {Refusal} 401, 404
 */
async function actionFor(ctx: Context, caller: ActionCaller, called: Called): Promise<Action> {
  const open = await findOpen(ctx, called);
  const action = open && !refusalOf(open, caller) ? open : await findAction(ctx.sql, called.id, called.action_name);
  const refusal = refusalOf(action, caller);
  if (refusal) throw refusal;
  if (!action?.flow_code) throw notFound("Action");
  return { account_id: action.account_id, app_id: called.id, name: called.action_name, flow_code: action.flow_code };
}

async function findOpen({ pages }: Context, { id, action_name }: Called): Promise<FoundAction | undefined> {
  const app = await pages.byId(id);
  const action = app?.actions.find(({ action }) => action === action_name);
  return app && action && {
    account_id: app.account_id,
    department_id: app.department_id,
    active: true,
    public: app.public,
    flow_code: action.flow_code,
    action_public: action.public,
  };
}

function refusalOf(found: FoundAction | undefined, { viewer }: ActionCaller): Refusal | undefined {
  if (!found?.flow_code) return notFound("Action");
  const open = found.active && found.public && found.action_public;
  if (viewer?.account_id === found.account_id) {
    // Who edits an app tries its actions before it is switched on.
    const active = found.active || viewer.role === "admin" || viewer.role === "manager";
    return active && (open || visibleTo(viewer, found.department_id)) ? undefined : notFound("Action");
  }
  return open ? undefined : viewer ? notFound("Action") : unauthorized();
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
    idempotency_key: key === undefined ? undefined : `action:${app_id}:${name}:${whoOf(caller)}:${key}`,
  });
  const state = await ctx.flows.wait(account_id, id, ctx.config.action_wait_ms);
  if (!state) throw new Error("a run that was begun is not there");
  return answerOf(state);
}

/** Another's key gives nobody another's run. */
const whoOf = ({ viewer, visitor = "" }: ActionCaller) => viewer ? `user ${viewer.user_id}` : visitor;

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
