/**
 * Interface of the flow engine: the only file of this folder that other rooms import. `compose.ts` alone creates the
 * engine, from `run/engine.ts`.
 *
 * | term | meaning | word in the API |
 * |---|---|---|
 * | flow | a stored program of an account, started by an action, by hand or by a trigger | flow |
 * | program | the list of steps of a flow; each change of it is a new version | `fields.program` |
 * | step | one entry of a program; its type is one of `steps/registry.ts` | step |
 * | run | one execution of a flow; in flight it is in Deno KV, waiting or ended in PostgreSQL | flow process |
 * | head | the fixed data of a run and its owner: the entry of a run in Deno KV | |
 * | place | a step's position in a run: its id, after the `for_each` iterations around it (`each.3.rates`) | `place` |
 * | journal | the steps that a run has executed, in order; a takeover reads it instead of repeating effects | `steps` |
 * | effect | what a step changes or reads outside of the run: a connector's call, an operation on records | |
 * | outcome | how a run ended: its status, and its data or error | `status`, `data`, `error` |
 * | lease | the time for which a process owns its runs without another heartbeat | |
 * | heartbeat | a write to Deno KV by which a process renews its lease | |
 * | peer | another server process on the same Deno KV and PostgreSQL | |
 * | takeover | a process continues a run whose owner is dead or has handed it over | |
 * | claim | the write by which a process becomes the owner of a run; counted in `attempts` | `attempts` |
 * | fencing | PostgreSQL refuses writes by a process whose claim is not the latest one | |
 *
 * The promise: a run is created exactly once, its steps are executed at least once, and its outcome is recorded exactly
 * once. A write by a `record` step happens exactly once.
 */
import type { Rehearsals } from "./rehearsal/rehearsal.ts";
import type { NewRun, RunDetail, RunHead, RunState } from "./run/model.ts";

/** How many runs wait or are executed, and for how long. */
export { MOST_WAITING } from "./waiting/wait_store.ts";
export { answererKey } from "./waiting/approval_store.ts";
export { OVERLAPS_OF_RUNS } from "./waiting/turn_store.ts";
export { LIMITS as RUN_LIMITS } from "./run/limits.ts";
export { parseProgram, Program, StepList } from "./program/program.ts";
export { isOfInput, proveInput } from "./declared/input.ts";
export { conform, sentenceOf } from "./declared/conform.ts";
export { parseSchema, readSchema } from "./declared/schema.ts";
export { rotateRunSecrets } from "./secret/rotate.ts";
export { audiencesOf } from "./program/audiences.ts";
export { codesOf } from "./program/codes.ts";
export { referencesOf } from "./program/references.ts";
export { unknownNames } from "./program/unknown_names.ts";
export { unreached } from "./program/unreachable.ts";
export { unusedKeys } from "./program/unused_keys.ts";
export {
  type NewRun,
  type Outcome,
  RUN_STATUSES,
  type RunDetail,
  type RunHead,
  type RunState,
  type RunStatus,
  type RunUser,
  STEP_STATUSES,
  type StepRecord,
  type StepStatus,
  type Trigger,
  TRIGGERS,
} from "./run/model.ts";
export { hasFailedItem } from "./run/execution/reuse.ts";
export { asksOutside, hasBranches, mayWait } from "./steps/registry.ts";
export type { Audience, Fault, Path, Reference } from "./steps/step_type.ts";
export { type Answer, type Performed, type Rehearsal, type SeenRun, seenRun } from "./rehearsal/rehearsal.ts";
export { walk } from "./program/walk.ts";
export type { Step } from "./steps/step.ts";
export { type DescribedType, describeSteps, FIELD_KINDS, NAMES_OF } from "./program/describe.ts";
export { type ComparedStep, type Difference, differencesOf } from "./rehearsal/differences.ts";
export { termOf } from "./storage/input_terms.ts";
export { asStored, storable } from "./storage/storable.ts";
export { findUser } from "./storage/program_cache.ts";
export { OPERATORS } from "./template/condition.ts";
export type { JsonObject } from "../input/json_value.ts";

/** The fault of a `flow_code` without a flow. */
export const NO_FLOW = "does not exist";

export interface Flows extends Rehearsals {
  /**
   * Resolves when the run is stored durably. The run is executed in the background.
   *
   * @throws {Refusal} 422 on `flow_code` if the account has no active flow with that code; 503 if too many runs wait
   */
  start(run: NewRun): Promise<{ id: string }>;
  /** Waits for the end of a run for at most `wait_ms`. @returns undefined if the account has no run with this id */
  wait(account_id: number, id: string, wait_ms: number): Promise<RunState | undefined>;
  /**
   * Aborts the step in progress, within two seconds also in a peer. No further step begins. A run that waits ends at once.
   *
   * @returns false if the run has ended
   */
  cancel(account_id: number, id: string): Promise<boolean>;
  /** What a run waits for, an approval or a run, may have ended. */
  wake(id: string): Promise<void>;
  /** The number of runs that a flow may have in progress has changed. */
  passTurns(account_id: number, flow_id: number): Promise<void>;
  /** The account's runs in flight, newest first. */
  pending(account_id: number, most: number): Promise<RunHead[]>;
  /** The account's runs that wait, newest first. */
  waiting(account_id: number, most: number): Promise<RunHead[]>;
  /** How many runs of the account wait, at most `MOST_WAITING`. */
  countWaiting(account_id: number): Promise<number>;
  /** A run in flight or waiting, with its steps so far. */
  inspect(account_id: number, id: string): Promise<RunDetail | undefined>;
  /** Calls the listener when a run of the account begins, advances or ends in this process. @returns stops it */
  watch(account_id: number, listener: () => void): () => void;
  /** Runs of this process: those that have begun or wait for their turn, and those that it executes. */
  load(): { in_progress: number; executed: number };
  /** Drops the account's flows from this process's cache. Call after a change of a flow. */
  forget(account_id: number): void;
  /** Takes over runs of dead peers and deletes old rows. Call once a minute. */
  sweep(): Promise<void>;
  /** Aborted by `endWaits`. */
  readonly stopping: AbortSignal;
  /** Makes every `wait` resolve with the state of now. */
  endWaits(): void;
  /** Waits for the steps in progress, then hands the runs in flight over to peers. */
  close(): Promise<void>;
}
