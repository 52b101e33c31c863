/**
 * Actions of apps: the flows that an app's code may start. The caller may be a viewer, the app's own page, or a
 * visitor. Source: spec, "Action entry".
 */
import type { z } from "zod";
import type { Context } from "../../context.ts";
import { invalid, notFound, Refusal } from "../../errors.ts";
import type { RunState } from "../../flow/flow.ts";
import { visibleTo } from "../../visibility.ts";
import { isSameGrant } from "../../secrets/grant.ts";
import { allowCaller, type Caller, hiddenFrom, mayDo, ownerOfKeys, proveCaller, type Viewer } from "../../viewer.ts";
import { findAction, type FoundAction } from "./action_queries.ts";
import { type ActionAnswer, ActionCall, type ActionPoll } from "./schema.ts";

interface Called {
  id: string;
  action_name: string;
}

interface Action {
  account_id: number;
  app_id: string;
  name: string;
  flow_code: string;
  author_id: number | null;
}

/**
 * Refuses pages of other apps, and callers without the scope.
 *
 * @param app_id undefined if the path does not contain it
 * @throws {Refusal} 403, 404
 */
export function proveActionCaller({ caller }: Context, kind: "read" | "write", app_id: string | undefined): void {
  if (caller.app_id !== undefined && app_id !== undefined && app_id.toLowerCase() !== caller.app_id) {
    throw notFound("Action");
  }
  allowCaller(caller, `apps:${kind}`);
}

/**
 * The action that a caller may call, for what is said before the call.
 *
 * @throws {Refusal} as the call itself
 */
export async function findCallable(ctx: Context, called: Called): Promise<{ flow_code: string }> {
  await proveCaller(ctx);
  proveActionCaller(ctx, "write", called.id);
  if (!ActionCall.shape.id.safeParse(called.id).success) throw notFound("Action");
  return await actionFor(ctx, called);
}

/**
 * Finds the action if this caller may call it. A visitor may call only public actions of active public apps. The cached
 * app may be a few seconds old, so a refusal is checked against the database.
 *
 * @throws {Refusal} 401, 404
 */
async function actionFor(ctx: Context, called: Called): Promise<Action> {
  const cached = await findCached(ctx, called);
  const action = cached && !refusalOf(cached, ctx.caller)
    ? cached
    : await findAction(ctx.sql, called.id, called.action_name);
  const refusal = refusalOf(action, ctx.caller);
  if (refusal) throw refusal;
  if (!action?.flow_code) throw notFound("Action");
  const { account_id, flow_code, author_id } = action;
  return { account_id, app_id: called.id, name: called.action_name, flow_code, author_id };
}

async function findCached({ pages }: Context, { id, action_name }: Called): Promise<FoundAction | undefined> {
  const app = await pages.byId(id);
  const action = app?.actions.find(({ action }) => action === action_name);
  return app && action && {
    account_id: app.account_id,
    department_id: app.department_id,
    active: true,
    public: app.public,
    flow_code: action.flow_code,
    action_public: action.public,
    author_id: Object.hasOwn(app.action_authors, action_name) ? app.action_authors[action_name] ?? null : null,
  };
}

function refusalOf(found: FoundAction | undefined, { viewer }: Caller): Refusal | undefined {
  if (!found?.flow_code) return hiddenFrom(viewer, "Action");
  const open = found.active && found.public && found.action_public;
  if (viewer?.account_id === found.account_id) {
    // Managers may call the actions of an inactive app, to try them.
    const active = found.active || viewer.role === "admin" || viewer.role === "manager";
    return active && (open || visibleTo(viewer, found.department_id)) ? undefined : notFound("Action");
  }
  return open ? undefined : hiddenFrom(viewer, "Action");
}

/** Starts a run of the action's flow, and waits for its end for at most ACTION_WAIT_MS. */
export async function callAction(ctx: Context, call: z.output<typeof ActionCall>): Promise<ActionAnswer> {
  const { caller, flows, config } = ctx;
  proveActionCaller(ctx, "write", call.id);
  const { account_id, app_id, name, flow_code, author_id } = await actionFor(ctx, call);
  const viewer = caller.viewer?.account_id === account_id ? caller.viewer : undefined;
  const { id } = await flows.start({
    account_id,
    flow_code,
    input: call.params,
    trigger: "action",
    user_id: viewer?.user_id ?? null,
    grant: viewer?.grant,
    author: { id: author_id, of: "action" },
    app_id,
    action: name,
    idempotency_key: call.idempotency_key === undefined
      ? undefined
      : `action:${app_id}:${name}:${ownerOfKeys(caller)}:${call.idempotency_key}`,
  }).catch((error) => {
    throw ofBody(error);
  });
  const state = await flows.wait(account_id, id, config.action_wait_ms);
  if (!state) throw new Error("a run that was started is not there");
  return answerOf(state);
}

/** The body of an action is the run's input, so its faults are keyed by the fields of the body. */
function ofBody(error: unknown): unknown {
  if (!(error instanceof Refusal) || !error.fields) return error;
  return invalid(
    Object.fromEntries(
      Object.entries(error.fields).map((
        [field, messages],
      ) => [field.replace(/^input(?:\.|$)/, "") || "base", messages]),
    ),
  );
}

/** @throws {Refusal} 404 unless the run belongs to that app and action, and the caller may see its result */
export async function actionStatus(ctx: Context, poll: z.output<typeof ActionPoll>): Promise<ActionAnswer> {
  proveActionCaller(ctx, "read", poll.id);
  const { account_id, app_id, name } = await actionFor(ctx, poll);
  const state = await ctx.flows.wait(account_id, poll.flow_process_id, 0);
  if (state?.app_id !== app_id || state.action !== name) throw notFound("Flow process");
  const viewer = ctx.caller.viewer?.account_id === account_id ? ctx.caller.viewer : undefined;
  if (!seesResult(viewer, state)) throw notFound("Flow process");
  return answerOf(state);
}

/**
 * Everyone who knows the id may ask for a visitor's run. A member's run is for that member, and for those who may read
 * the run itself. What a host page has limited asks for what it has started within the same limits only.
 */
function seesResult(viewer: Viewer | undefined, { user_id, granted, department_id }: RunState): boolean {
  if (user_id === null) return true;
  if (!viewer) return false;
  const is_own = user_id === viewer.user_id &&
    (!viewer.grant || granted !== null && isSameGrant(viewer.grant, granted));
  return is_own || mayDo(viewer, "user", "flow_processes:read") && !viewer.grant && visibleTo(viewer, department_id);
}

function answerOf({ id, status, data, error }: RunState): ActionAnswer {
  switch (status) {
    case "pending":
    case "waiting":
      return { flow_process_id: id, status: "pending" };
    case "finished":
      return { flow_process_id: id, status, data: data ?? null };
    default:
      return {
        flow_process_id: id,
        status: "error",
        error: error ?? "The flow failed",
        ...data !== undefined && { data },
      };
  }
}
