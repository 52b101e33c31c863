/** Heads of new runs, and the states of runs that callers see. */
import { newUuid } from "../../database/uuid_v7.ts";
import type { KnownFlow } from "../storage/program_cache.ts";
import type { NewRun, RecordedOutcome, RunHead, RunOwner, RunState } from "./model.ts";

/** @param owner the lease of this process. @param made_at milliseconds since 1970 */
export const newHead = (run: Omit<NewRun, "sealed">, flow: KnownFlow, owner: string, made_at: number): RunHead => ({
  id: run.id ?? newUuid(),
  account_id: run.account_id,
  department_id: flow.department_id,
  flow_id: flow.id,
  flow_version: run.flow_version ?? flow.version,
  flow_code: flow.code,
  trigger: run.trigger,
  user_id: run.user_id,
  ...run.grant && { grant: run.grant },
  ...run.parent && { parent: run.parent },
  ...run.failure_of !== undefined && { failure_of: run.failure_of },
  ...(run.after_failure || run.failure_of !== undefined) && { after_failure: true },
  app_id: run.app_id ?? null,
  action: run.action ?? null,
  cron_id: run.cron_id ?? null,
  ...run.trigger_data && { trigger_data: run.trigger_data },
  retry: run.retry ?? null,
  made_at,
  begun_at: null,
  owner,
  lost: 0,
  attempts: 1,
  input: run.input,
});

export const ownerOf = ({ app_id, action, user_id, grant, department_id }: RunHead): RunOwner => ({
  app_id,
  action,
  user_id,
  granted: grant ?? null,
  department_id,
});

export const endedState = (id: string, { status, data, error, ...owner }: RecordedOutcome): RunState => ({
  id,
  status,
  ...owner,
  ...(status === "finished" ? { data } : { error: error ?? "The flow failed", ...data !== null && { data } }),
});

const openState = (status: "waiting" | "pending") => (head: RunHead): RunState => ({
  id: head.id,
  status,
  ...ownerOf(head),
});

export const waitingState = openState("waiting");
export const pendingState = openState("pending");
