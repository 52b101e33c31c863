/**
 * What the rest of the server knows of the flow engine.
 *
 * A **flow** is a stored program. A **run** (the API's flow process) is one execution of it: in flight it lives in Deno
 * KV, finished in `flow_processes`. A run is made exactly once, its steps are done at least once, its outcome is
 * recorded exactly once (design: flows, "Promise").
 */
import type { JsonValue } from "../input/json_value.ts";

export const TRIGGERS = ["action", "manual", "cron"] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** What ends a run, and `pending` before. */
export const RUN_STATUSES = ["pending", "finished", "error", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = ["finished", "error", "skipped", "running"] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** What is wrong with a `flow_code` that nothing has. */
export const NO_FLOW = "does not exist";

export type JsonObject = { [name: string]: JsonValue };

/** What templates see as `user`. */
export interface RunUser {
  id: number;
  login: string;
  name: string;
  email: string;
  role: string;
}

export interface NewRun {
  account_id: number;
  flow_code: string;
  input: JsonObject;
  trigger: Trigger;
  /** Null without login: then only public methods of connectors may be called. A trigger's run has no user. */
  user_id: number | null;
  app_id?: string | undefined;
  action?: string | undefined;
  cron_id?: number | undefined;
  /** UUID version 7, where the caller has noted it before. */
  id?: string | undefined;
  /** The second start with the same key in an account within 24 hours gives the first one's run; 422 with another input. */
  idempotency_key?: string | undefined;
  /** The run that this one repeats; from which of its steps on, with the outputs of those before. */
  retry?: { of: string; from_step: string | undefined } | undefined;
}

/** A run as its caller knows it. */
export interface RunState {
  id: string;
  /** Whose action it answers. */
  app_id: string | null;
  action: string | null;
  status: RunStatus;
  /** Of a finished one. */
  data?: JsonValue | undefined;
  /** A sentence, of one that failed or was cancelled. */
  error?: string | undefined;
}

/** What stays the same from a run's start to its end, and who works on it. Kept in Deno KV, a few hundred bytes. */
export interface RunHead {
  id: string;
  account_id: number;
  department_id: number | null;
  flow_id: number;
  flow_version: number;
  flow_code: string;
  trigger: Trigger;
  user_id: number | null;
  app_id: string | null;
  action: string | null;
  cron_id: number | null;
  retry: { of: string; from_step: string | undefined } | null;
  /** When it was made, in milliseconds since 1970. */
  made_at: number;
  /** When its first step began. */
  begun_at: number | null;
  /** The process that works on it; "" is nobody. */
  owner: string;
  /** Processes that took it in hand and went away without a word. */
  lost: number;
  /** Processes that took it in hand. */
  attempts: number;
  /** Small inputs stand here, larger ones in `flow_values`. */
  input: JsonObject | null;
}

/** One execution of a step, as an inspection shows it. */
export interface StepRecord {
  /** The step's id; inside a `for_each` with the turn before it: `each.3.rates`. */
  place: string;
  id: string;
  type: string;
  name: string | null;
  status: StepStatus;
  input: JsonValue;
  output: JsonValue;
  /** Of a connector step whose call was answered. */
  http_status: number | null;
  warnings: string[];
  error: string | null;
  /** Within this step; a process that went away begins anew. */
  attempts: number;
  /** ISO 8601. */
  started_at: string;
  ms: number;
}

/** What a run in flight has come to. */
export interface RunDetail {
  head: RunHead;
  input: JsonObject;
  steps: readonly StepRecord[];
}

export interface Flows {
  /**
   * Resolves when the run is kept for good; it goes on by itself.
   *
   * @throws {Refusal} 422 on `flow_code` where there is no active flow of that code; 503 where too many wait
   */
  start(run: NewRun): Promise<{ id: string }>;
  /** Its state, the end if it comes within `wait_ms`. @returns undefined where the account has no such run */
  wait(account_id: number, id: string, wait_ms: number): Promise<RunState | undefined>;
  /**
   * Cuts off a call in hand, within a second or two also in another process; nothing is begun after it.
   *
   * @returns false where it is not in flight
   */
  cancel(account_id: number, id: string): Promise<boolean>;
  /** Those in flight, the newest first. */
  pending(account_id: number, most: number): Promise<RunHead[]>;
  inspect(account_id: number, id: string): Promise<RunDetail | undefined>;
  /** Is told whenever a run of the account begins, ends or comes on, in this process. @returns ends it */
  watch(account_id: number, listener: () => void): () => void;
  /** Call after a change of a flow: it holds at once in this process. */
  forget(account_id: number): void;
  /** Claims what other processes left behind, and sweeps away what is old. Once a minute. */
  sweep(): Promise<void>;
  /** Aborted by `endWaits`. */
  readonly stopping: AbortSignal;
  /** Everybody who waits for an end is told that there is none yet. */
  endWaits(): void;
  /** Waits for the steps in hand, then leaves the rest to others. */
  close(): Promise<void>;
}
