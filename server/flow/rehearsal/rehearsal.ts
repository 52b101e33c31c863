/**
 * Executions that are no runs: rehearsals, whose calls are answered from records, and tests of one step. They are in no
 * journal, and no process continues them.
 */
import { createFairLimiter, LimiterFull } from "../../fairness/fair_limiter.ts";
import { newUuid } from "../../database/uuid_v7.ts";
import { unavailable } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { NoReach } from "../../reach.ts";
import type { Restriction } from "../../visibility.ts";
import type { JsonSchema } from "../declared/shape.ts";
import { execute } from "../run/execution/execute.ts";
import type { Task } from "../run/execution/execution_state.ts";
import type { Rehearsed } from "../run/execution/rehearsed.ts";
import { RunFault } from "../run/execution/interruption.ts";
import { evaluateAt } from "../run/execution/evaluate.ts";
import { createJournal, type KeptJournal } from "../run/execution/journal.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { Outcome, RunHead, RunUser, StepRecord, Trigger } from "../run/model.ts";
import type { Keys } from "../../secrets/keys.ts";
import { createHiding, type Hiding } from "../secret/hiding.ts";
import { openSealed, secretsOf, secretTexts, unmasked } from "../secret/seal.ts";
import { StepFault } from "../steps/fault.ts";
import type { Step } from "../steps/step.ts";
import type { Services } from "../steps/step_type.ts";
import { boundedSteps } from "../storage/bounded_steps.ts";
import { type InScope, namesInScope } from "./in_scope.ts";
import { type RenderedTemplate, renderedTemplates, type Seen } from "./rendered.ts";
import { rolledBack } from "./rolled_back.ts";

const MOST_AT_ONCE = 4;
const MOST_OF_ACCOUNT = 2;
const MOST_WAITING = 20;

const NO_ANSWER = "has no answer: none is recorded or given for this step";

/** What templates see as `run`. */
export interface SeenRun {
  id: string;
  date: string;
  started_at: string;
  trigger: Trigger;
}

/** What a step's call is answered with. */
export interface Answer {
  output: JsonValue;
  http_status: number | null;
  /** The step fails with this sentence. */
  error: string | null;
}

interface Common {
  account_id: number;
  flow: { id: number; code: string; department_id: number | null };
  program: readonly Step[];
  input: JsonObject;
  /** The secrets of the run that is repeated, which stand for their masks in the input. */
  sealed?: { of: string; text: string } | undefined;
  /** Names of inputs that are not shown. */
  secret_inputs?: readonly string[] | undefined;
  /** What its data must match. */
  output?: JsonSchema | undefined;
  user: RunUser | null;
  run: SeenRun;
  /** What templates see as `trigger`. */
  trigger_data?: JsonObject | undefined;
  /** Whose run it would be. */
  user_id: number | null;
  /** What record steps may see. @throws {NoReach} */
  reach(): Promise<Restriction>;
  most_ms: number;
}

export interface Rehearsal extends Common {
  /** @returns undefined if nothing is recorded or given for the step */
  answer(place: string, id: string): Answer | undefined;
  /**
   * What happens at a step without an answer. `fail`: the step fails. `null`: its output is null. `records`: a record step
   * reads, or writes in a transaction that is rolled back; other steps fail.
   */
  unanswered: "fail" | "null" | "records";
  /** Called before each step with the names that its templates see. */
  note?: ((step: Step, place: string, scope: JsonObject) => void) | undefined;
}

/** A test of one step, with its effects. */
export interface StepTest extends Common {
  /** Names that the step's templates see. */
  values: JsonObject;
  /** Whether the step is the program's first mutation, whose names the input overrides. */
  takes_input: boolean;
}

export interface Performed {
  outcome: Outcome;
  steps: StepRecord[];
}

export interface Rehearsals {
  /** Executes a program. No call leaves the server and no record changes. @throws {Refusal} 503 if too many wait */
  rehearse(rehearsal: Rehearsal): Promise<Performed>;
  /**
   * Executes a program in the same way, and fills each of its templates with the values that its step has seen.
   *
   * @param step_id the step whose names are listed
   */
  render(rehearsal: Rehearsal, step_id?: string): Promise<{ rendered: RenderedTemplate[]; scope: InScope[] }>;
  /** Executes one step, its calls and its changes included. @throws {Refusal} 503 if too many wait */
  testStep(test: StepTest): Promise<Performed>;
}

/** A run of now, as templates see it. */
export function seenRun(now: Date, trigger: Trigger = "manual"): SeenRun {
  const started_at = isoOf(now.getTime());
  return { id: newUuid(), date: started_at.slice(0, 10), started_at, trigger };
}

export function createRehearsals(services: Services, keys: Keys, clock: { now(): Date }): Rehearsals {
  const limiter = createFairLimiter({
    total: MOST_AT_ONCE,
    per_account: MOST_OF_ACCOUNT,
    waiting: 4 * MOST_WAITING,
    waiting_per_account: MOST_WAITING,
  });
  /** Does the work when it is the account's turn, within its time. */
  async function within<T>(
    common: Common,
    more: Pick<Task, "rehearsed" | "values">,
    work: (task: Rehearsing) => Promise<T>,
  ) {
    const { account_id, program, output, user, run, reach, most_ms } = common;
    const { input, hiding } = openedOf(keys, common);
    const end = await limiter.acquire(account_id).catch((error) => {
      throw error instanceof LimiterFull ? unavailable("Too many rehearsals wait", undefined, 5) : error;
    });
    const controller = new AbortController();
    const late = new RunFault(`Stopped after ${most_ms / 1000} s: a rehearsal or test may not take longer`);
    const deadline = setTimeout(() => controller.abort(late), most_ms);
    try {
      return await work({
        program,
        head: headOf(common),
        input,
        output,
        hiding,
        user,
        run: { ...run },
        journal: newJournal(hiding),
        services,
        reach: () =>
          reach().catch((error) => {
            throw error instanceof NoReach ? new RunFault(error.message) : error;
          }),
        patience: { signal: controller.signal, waits: () => {}, idle: (work) => work() },
        now: () => clock.now().getTime(),
        ...more,
      });
    } finally {
      clearTimeout(deadline);
      end();
    }
  }

  type Notes = Pick<Rehearsed, "note" | "noteInside">;

  const rehearsedBy = ({ answer, unanswered }: Rehearsal, notes: Notes): Rehearsed => ({
    ...notes,
    perform(step, effect, call) {
      if (effect.computes) return effect.perform(step, call.input, call);
      const answered = answer(call.place, step.id);
      if (answered) return Promise.resolve(answerOf(answered));
      if (step.type === "record" && unanswered === "records") {
        return effect.perform(step, call.input, { ...call, services: { ...services, sql: rolledBack(services.sql) } });
      }
      if (unanswered === "null") {
        call.warn("has no recorded answer, so its output is null");
        return Promise.resolve({ output: null, http_status: null });
      }
      throw new StepFault(NO_ANSWER);
    },
    async pause(step, pause, input, call) {
      const answered = answer(call.place, step.id);
      if (answered) return answerOf(answered);
      if (pause.computes) return { output: { until: (await pause.begin(step, input, call)).until }, http_status: null };
      if (unanswered === "null") return { output: null, http_status: null };
      throw new StepFault(NO_ANSWER);
    },
  });

  return {
    testStep: ({ values, takes_input, ...common }) =>
      within(common, { values: { scope: values, takes_input } }, performed),
    rehearse: (rehearsal) =>
      within(rehearsal, { rehearsed: rehearsedBy(rehearsal, { note: rehearsal.note }) }, performed),
    render(rehearsal, step_id) {
      const scopes = new Map<string, { place: string; scope: JsonObject }>();
      const insides = new Map<string, JsonObject>();
      let last: JsonObject = {};
      const rehearsed = rehearsedBy(rehearsal, {
        note(step, place, scope) {
          scopes.set(step.id, { place, scope: { ...scope } });
          insides.delete(step.id);
          last = scope;
        },
        noteInside: (id, scope) => void insides.set(id, { ...scope }),
      });
      return within(rehearsal, { rehearsed }, async (task) => {
        const { steps } = await performed(task);
        const outputs = new Map(steps.map(({ place, output }) => [place, output]));
        const seen = new Map<string, Seen>(
          [...scopes].map(([id, { place, scope }]) => {
            const [inside, output] = [insides.get(id), outputs.get(place)];
            return [id, { place, scope, inside, output }];
          }),
        );
        const evaluate = (place: string, scope: JsonObject) => evaluateAt({ task, scope }, place);
        return {
          rendered: await renderedTemplates(rehearsal.program, seen, last, evaluate),
          scope: step_id === undefined ? [] : namesInScope(seen.get(step_id)?.scope ?? last),
        };
      });
    },
  };
}

/** @throws {Refusal} 422 if the server has lost the key of the secrets */
function openedOf(keys: Keys, { account_id, input, sealed, secret_inputs = [] }: Common) {
  const before = sealed ? openSealed(keys, { account_id, id: sealed.of }, sealed.text) : undefined;
  const whole = before ? unmasked(input, before) : input;
  const given = secretsOf(whole, new Set(secret_inputs), []);
  const texts = [...secretTexts(given), ...before ? secretTexts(before) : []];
  return { input: whole, hiding: createHiding(texts) };
}

type Rehearsing = Task & { journal: KeptJournal };

async function performed(task: Rehearsing): Promise<Performed> {
  const outcome = await execute(task);
  const shown = task.hiding ? await task.hiding.outcome(outcome) : outcome;
  return { outcome: shown, steps: boundedSteps(await task.journal.shown()) };
}

/** A journal that is kept nowhere. */
const newJournal = (hiding: Hiding | undefined) =>
  createJournal({
    hiding,
    kept: [],
    before: [],
    repetition: null,
    isCancelled: () => Promise.resolve(false),
    proveOwned: () => Promise.resolve(),
    keep: () => Promise.resolve(),
  });

function answerOf({ output, http_status, error }: Answer) {
  if (error !== null) throw new StepFault(error, undefined, { output, http_status });
  return { output, http_status };
}

/** A run head for an execution that is not stored. */
const headOf = ({ account_id, flow, run, user_id, trigger_data, input }: Common): RunHead => ({
  id: run.id,
  account_id,
  department_id: flow.department_id,
  flow_id: flow.id,
  flow_version: 0,
  flow_code: flow.code,
  trigger: run.trigger,
  user_id,
  app_id: null,
  action: null,
  cron_id: null,
  ...trigger_data && { trigger_data },
  retry: null,
  // What expressions see as the time.
  made_at: Date.parse(run.started_at),
  begun_at: Date.parse(run.started_at),
  owner: "",
  lost: 0,
  attempts: 1,
  input,
});
