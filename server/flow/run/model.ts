/** A run and its parts, as the engine keeps them and as the rest of the server sees them. */
import type { Grant } from "../../secrets/grant.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import type { Role } from "../../input/roles.ts";
import type { Restriction } from "../../visibility.ts";
import type { Compared } from "../template/condition.ts";

/** What the journal keeps of a step at which the run waits. */
export interface Begun {
  /** ISO 8601: at this moment the step ends, whatever has happened. */
  until: string;
  /** The id of what it waits for besides. */
  awaits: string | null;
}

export const TRIGGERS = ["action", "manual", "cron"] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const RUN_STATUSES = ["pending", "waiting", "finished", "error", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = ["finished", "error", "skipped", "running", "waiting", "cancelled"] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** The user who started a run, as templates see them under `user`. */
export interface RunUser {
  id: number;
  login: string;
  name: string;
  email: string;
  role: Role;
}

/**
 * The run that this one repeats. An output of that run is reused for the same place and the same input: with `from_step`
 * outputs of the steps before that step, with `failed_items` all except those of steps that failed inside of a loop, and of
 * an item that a step without an effect has ended.
 * With neither, every step is executed again.
 */
export interface Repetition {
  of: string;
  from_step?: string | undefined;
  failed_items?: boolean | undefined;
}

/** The run whose step has started this one. */
export interface Parent {
  id: string;
  /** Runs above this one, itself included: the first run has 1. */
  depth: number;
}

export interface NewRun {
  account_id: number;
  flow_code: string;
  /** The version of the program; undefined for the current one. */
  flow_version?: number | undefined;
  input: JsonObject;
  /** The secret inputs of the run that this one repeats: they stand for their masks in the input. */
  sealed?: { of: string; text: string } | undefined;
  /** Texts that the calling run keeps secret. Inputs that contain one are secret, too. */
  secret_texts?: readonly string[] | undefined;
  trigger: Trigger;
  /** Null for a visitor and for a trigger. A visitor's run may call public methods of connectors only. */
  user_id: number | null;
  /** Limits what the user reaches: a host page vouched for it. */
  grant?: Grant | undefined;
  /**
   * The author of the action or trigger that names the flow; undefined if the caller of `start` has proven that its
   * viewer sees the flow.
   */
  author?: { id: number | null; of: "action" | "trigger" } | undefined;
  /** What sees the flow, if a step of another run starts this one; and that run. */
  reach?: Restriction | undefined;
  parent?: Parent | undefined;
  /** The failed run whose flow calls this one on failure. */
  failure_of?: string | undefined;
  /** A failure has started it, or one of the runs above it: its own failure calls no flow. */
  after_failure?: boolean | undefined;
  app_id?: string | undefined;
  action?: string | undefined;
  cron_id?: number | undefined;
  /** What templates see as `trigger`; undefined without a trigger. A few hundred bytes. */
  trigger_data?: JsonObject | undefined;
  /** UUID version 7, if the caller has chosen the id already. */
  id?: string | undefined;
  /**
   * Within 24 hours a second start with the same key in the account returns the first run. With another input it is
   * refused with 422.
   */
  idempotency_key?: string | undefined;
  retry?: Repetition | undefined;
}

/** Whose run it is, which decides who may see its result. */
export interface RunOwner {
  /** The app and the action that started it; null for other triggers. */
  app_id: string | null;
  action: string | null;
  /** Null for visitors and for triggers. */
  user_id: number | null;
  /** What a host page vouched for; null for runs of users themselves. */
  granted: Grant | null;
  department_id: number | null;
}

/** A run as its caller sees it. */
export interface RunState extends RunOwner {
  id: string;
  status: RunStatus;
  /** Of a finished run, and of one that a `fail` step with data has ended. */
  data?: JsonValue | undefined;
  /** A sentence; only of a run that failed or was cancelled. */
  error?: string | undefined;
}

/** How a run ended. */
export interface Outcome {
  status: Exclude<RunStatus, "pending" | "waiting">;
  data: JsonValue;
  error: string | null;
}

/** An outcome in PostgreSQL, with what its caller is told beside it. */
export interface RecordedOutcome extends Outcome, RunOwner {}

/** The fixed data of a run and its current owner. Stored in Deno KV, a few hundred bytes. */
export interface RunHead {
  id: string;
  account_id: number;
  department_id: number | null;
  flow_id: number;
  flow_version: number;
  flow_code: string;
  trigger: Trigger;
  user_id: number | null;
  grant?: Grant | undefined;
  app_id: string | null;
  action: string | null;
  cron_id: number | null;
  /** Absent without a trigger. */
  trigger_data?: JsonObject | undefined;
  retry: Repetition | null;
  parent?: Parent | undefined;
  /** Its flow limited its runs when it was started: it waits for its turn before its first step. */
  takes_turn?: true | undefined;
  failure_of?: string | undefined;
  after_failure?: boolean | undefined;
  /** Start of the run, in milliseconds since 1970. */
  made_at: number;
  /** Start of its first step, in milliseconds since 1970; null while it waits. */
  begun_at: number | null;
  /** When it was woken last, and when the first step after that started. Absent if it has never waited. */
  woken_at?: number | undefined;
  segment_at?: number | null | undefined;
  /** Milliseconds of work before its last wait. */
  worked_ms?: number | undefined;
  /** The lease of the process that executes it; "" after a process handed it over. */
  owner: string;
  /** Its owner executes it: it does not wait for its turn. Absent while that is not stored. */
  working?: boolean | undefined;
  /** Processes that died while they executed it. A run that waited for its turn does not make its process die. */
  lost: number;
  /** Processes that have claimed it. Serves as the fencing token: a later process has a higher one. */
  attempts: number;
  /** The secret inputs, encrypted; absent without. `input` has masks in their place. */
  sealed?: string | undefined;
  /** Null if the input is too large for a head: then it is in `flow_values`. */
  input: JsonObject | null;
}

/** One attempt of a call. */
export interface Attempt {
  /** Null without an answer. */
  status: number | null;
  /** Null if it succeeded. */
  error: string | null;
  /** ISO 8601. */
  started_at: string;
  ms: number;
}

/** The call of a connector step. Contains no secret. */
export interface Call {
  method: string;
  url: string;
  /** Of the latest answer. */
  headers: Record<string, string>;
  attempts: Attempt[];
  /** The address or the headers are longer than what is kept. */
  shortened?: boolean | undefined;
}

/** One execution of a step: an entry of the journal. */
export interface StepRecord {
  /** The step's id, after the `for_each` iterations around it: `each.3.rates`. */
  place: string;
  id: string;
  type: string;
  name: string | null;
  status: StepStatus;
  input: JsonValue;
  output: JsonValue;
  /** The status of a connector's answer; null if there was none. */
  http_status: number | null;
  warnings: string[];
  error: string | null;
  /** The output was left out, because all steps together are too large to be stored with the run. */
  truncated?: boolean | undefined;
  /** Of an `if`: the comparisons that decided it. */
  compared?: Compared[] | undefined;
  /** Of a connector step that has sent a request. */
  call?: Call | undefined;
  /** Of a code step: what it has written to its console. */
  console?: string[] | undefined;
  /** Of a step at which the run waits or has waited: until when, and for what. */
  begun?: Begun | undefined;
  /** Attempts by the process that completed the step. A takeover starts counting again. */
  attempts: number;
  /** ISO 8601. */
  started_at: string;
  ms: number;
}

/** A run in flight, with the steps so far. */
export interface RunDetail {
  head: RunHead;
  input: JsonObject;
  steps: readonly StepRecord[];
  /** Milliseconds since 1970; undefined unless it waits. */
  wake_at?: number | undefined;
  /** It waits for its turn. */
  is_queued?: boolean | undefined;
}
