/**
 * The interface of a step type: everything that the rest of the engine asks about a step. A file of this folder
 * implements it for one type, and `registry.ts` lists them.
 */
import type { z } from "zod";
import type { Compiler } from "../../compiler/compiler.ts";
import type { Connectors } from "../../connectors/connectors.ts";
import type { Pool } from "../../database/pool.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import type { Users } from "../../reach.ts";
import type { Evaluations } from "../confined/evaluations.ts";
import type { Databases } from "../../store/store.ts";
import type { Restriction } from "../../visibility.ts";
import type { Begun, NewRun, RunHead } from "../run/model.ts";
import type { Compared } from "../template/condition.ts";
import type { Rendering } from "../template/rendering.ts";
import type { Warn } from "../template/template.ts";
import type { Effect } from "./fault.ts";
import type { Step, StepListShape } from "./step.ts";

/** Keys and indexes, from the step or from the program on. */
export type Path = (string | number)[];

export interface Fault {
  path: Path;
  message: string;
}

/** Whom a step asks. */
export interface Audience {
  roles: readonly string[];
  user_ids: readonly number[];
  department_ids: readonly number[];
  /** Everyone with the link may answer. */
  link: boolean;
}

/** A connector, database or flow that a step names. Its author must be allowed to see it. */
export type Reference =
  | {
    kind: "connector";
    /** The key of the step that holds `code`. */
    key: string;
    code: string;
    method: string;
    /** Names of the parameters that the step passes. */
    params: readonly string[];
    /** What the step sends instead of the method's own; undefined sends the method's own. */
    query: JsonValue | undefined;
    body: JsonValue | undefined;
  }
  | { kind: "flow"; key: string; code: string }
  | { kind: "database"; key: string; code: string; table_name: string | undefined; fields: readonly NamedField[] };

/** A field of a table that a key of the step names. */
export interface NamedField {
  key: string;
  name: string;
}

/**
 * A step type that computes (`execute`), one that changes or reads something outside of the run (`effect`), or one at
 * which the run may wait for long (`pause`).
 *
 * The members are methods, which TypeScript compares bivariantly: a `StepType<IfStep>` is a `StepType`. `stepTypeOf`
 * ensures that each receives steps of its own type only.
 */
export type StepType<S extends Step = Step> = Traits<S> & (Computed<S> | Effectful<S> | Pausing<S>);

/** What editors show of a step type. What they ask for is in its shape. */
export interface About {
  /** As a menu names it: `Call a connector`. */
  title: string;
  /** What it does, in one sentence without its subject. */
  summary: string;
  /** A name of the console's icons. */
  icon: string;
  group: "values" | "calls" | "records" | "branches" | "loops" | "waits" | "ends";
  /**
   * A step in one line: `{key}` stands for the value of a key, and a part in brackets is left out where its key has no
   * value.
   */
  line: string;
  /** The keys that a new step has. */
  blank: JsonObject;
}

interface Traits<S extends Step> {
  /** The value of `type` in a program. */
  readonly type: S["type"];
  readonly about: About;
  shape(steps: StepListShape): z.ZodType<S>;
  /** Keys whose strings are templates. */
  readonly templates: readonly string[];
  /** Those of them that are filled inside of the step, once for each round or item. */
  readonly inside?: readonly string[];
  /**
   * Lists of steps inside a step, by their path in it, besides `catch`. The journal lists such a step before the steps
   * inside it.
   */
  branches?(step: S): (readonly [path: Path, steps: readonly Step[]])[];
  /** Texts that people may take for templates, by their key. */
  plain?(step: S): JsonObject;
  /** Names that templates see during or after the step. */
  names?(step: S): string[];
  /** Whether each item of the list in `steps` is executed with names and steps of its own. */
  forks?(step: S): boolean;
  references?(step: S): Reference[];
  /** Of a step that waits for a person. */
  audience?(step: S): Audience;
  /** Sources that are compiled when the program is saved, by the key of the step that holds them. */
  code?(step: S): { key: string; source: string }[];
  /** Faults of a step that its shape cannot express. Paths begin at the step. */
  faults?(step: S): Fault[];
  /** The run ends with this step, so steps after it are unreachable. */
  readonly ends_run?: boolean;
  /** Templates see the output of the latest successful step of this type as `json_object`. */
  readonly sets_json_object?: boolean;
}

interface Computed<S extends Step> {
  readonly effect?: undefined;
  readonly pause?: undefined;
  /**
   * Executes a step without an effect. A process that takes over the run executes it again, with the same result.
   *
   * @returns the run's data, if a `return` step was reached
   * @throws {StepFault}
   */
  execute(step: S, execution: Execution): Returned | undefined | Promise<Returned | undefined>;
}

/** What a computed step can see and do. */
export interface Execution extends Rendering {
  /** The step's position in the run: its id, after the `for_each` iterations around it. */
  readonly place: string;
  /** The names that templates see. A step may define names here. */
  readonly scope: JsonObject;
  readonly warn: Warn;
  /** Keeps a comparison for who inspects the run. */
  readonly noteCompared: (compared: Compared) => void;
  /** The keys `inside` are filled with the names of now: a rehearsal shows them with the latest ones. */
  noteInside(): void;
  /** The input of the run, at the first call in a run only: later mutations are not overridden by it. */
  takeInput(): JsonObject | undefined;
  /** @throws {StepFault} if the run's context were larger than 1 MiB with an output of so many characters */
  proveRoom(characters: number): void;
  /**
   * Counts the value of a name that is not part of the step's output. 0 for a name whose value is again.
   *
   * @returns the characters that were counted for the name before @throws {StepFault} as `proveRoom`
   */
  countName(name: string, characters: number): number;
  /**
   * Yields to other runs after 20 ms of work.
   *
   * @returns undefined if it is too early for that
   * @throws the reason why the run ends
   */
  yieldTurn(): Promise<void> | undefined;
  /** Sets the step's output. A step with branches sets it before it executes them. */
  setOutput(output: JsonValue): void;
  /** The loop is decided without an iteration that waits: what this waits for ends. */
  abandon(iteration: number): Promise<void>;
  /** Executes steps of a branch. @param iteration counts from 0; undefined outside of a loop */
  run(steps: readonly Step[], iteration?: number): Promise<Returned | undefined>;
  /** What templates see of the step that was executed last. */
  last(): StepState;
  /** No step counts as the last one any more. */
  forgetLast(): void;
  /**
   * An execution for an iteration at the same time as others, with a copy of the scope. The journal lists its entries
   * after those of the executions that were forked before it. Limits on steps and outputs hold for all together.
   */
  fork(): Execution;
}

/** What templates see of a step. A type alias, because an interface is no `JsonObject`. */
export type StepState = {
  /** The HTTP status of a call, or how the step ended. */
  status: number | string;
  body: JsonValue;
  error: string | null;
};

/** A `return` step was reached. */
export interface Returned {
  data: JsonValue;
}

interface Effectful<S extends Step> {
  readonly execute?: undefined;
  readonly pause?: undefined;
  readonly effect: {
    /**
     * Fills the step's templates.
     *
     * @returns what the journal shows as the step's input
     * @throws {StepFault | TemplateError}
     */
    input(step: S, rendering: Rendering): JsonObject | Promise<JsonObject>;
    /** One attempt. @throws {StepFault} also the reason of an aborted signal */
    perform(step: S, input: JsonObject, call: EffectCall): Promise<Effect>;
    /** The result depends on the step's input alone, so a rehearsal performs it, too. */
    readonly computes?: boolean;
    /** The run only waits while an attempt is in progress, so it holds no slot. */
    readonly waits_for_others: boolean;
    /**
     * Whether an attempt past its deadline is still awaited, because only the attempt knows whether its transaction was
     * committed in time.
     */
    isTransaction(step: S): boolean;
  };
}

interface Pausing<S extends Step> {
  readonly execute?: undefined;
  readonly effect?: undefined;
  readonly pause: {
    /** As {@linkcode Effectful} has it. */
    input(step: S, rendering: Rendering): JsonObject | Promise<JsonObject>;
    /**
     * The step is reached. Called again if the process dies before the run is suspended, so it must find what it has
     * created before.
     *
     * @throws {StepFault}
     */
    begin(step: S, input: JsonObject, call: PauseCall): Promise<Begun>;
    /** `begin` shows its input to people, so it does not get secrets. */
    readonly shows_input?: boolean;
    /** `begin` creates nothing, so a rehearsal calls it, and goes on at once. */
    readonly computes?: boolean;
    /**
     * Called when the step is reached and each time the run is woken.
     *
     * @returns undefined while the run waits
     * @throws {StepFault}
     */
    end(step: S, begun: Begun, call: PauseCall): Promise<Effect | undefined>;
    /** The run goes on without what the step has begun, which ends then. */
    leave?(begun: Begun, call: Pick<PauseCall, "services" | "head">): Promise<void>;
    /** Steps that are executed before the run waits, names that they see, and a text in these that the run keeps hidden. */
    ask?(step: S, begun: Begun, services: Services): {
      steps: readonly Step[];
      names: JsonObject;
      hidden: string | null;
    };
    /** Steps that are executed after the step has ended with an output. */
    follow?(step: S, output: JsonValue): readonly Step[];
  };
}

export interface PauseCall {
  services: Services;
  head: RunHead;
  place: string;
  /** What the run may see now. */
  reach: Restriction;
  /** Texts that the run keeps secret. */
  secrets: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** The rooms that steps use. */
export interface Services {
  /** Runs of other flows. */
  runs: {
    start(run: NewRun): Promise<{ id: string }>;
    /** In flight, waiting or ended. */
    exists(account_id: number, id: string): Promise<boolean>;
    cancel(account_id: number, id: string): Promise<unknown>;
  };
  /** The address at which people without a login answer a question, and the part of it that proves them. */
  approvalLink(id: string): { url: string; signature: string };
  compiler: Pick<Compiler, "code">;
  evaluations: Evaluations;
  sql: Pool;
  dbs: Databases;
  connectors: Connectors;
  users: Users;
}

export interface EffectCall {
  services: Services;
  head: RunHead;
  place: string;
  /** What the run may see at the time of this attempt. */
  reach: Restriction;
  warn: Warn;
  /** A request will be sent. Keeps it for who inspects the run. */
  noteRequest(request: { method: string; url: string }): void;
  /** Keeps what code has written to its console. */
  noteConsole(lines: readonly string[]): void;
  /** Starts the time of the attempt. Until it is called, the attempt waits for its turn, which does not count. */
  startClock(): void;
  /** Stops it, until `startClock` begins it anew: the attempt waits for another turn. */
  stopClock(): void;
  /** Aborted at the attempt's deadline, when the run is cancelled, and when another process has taken it over. */
  signal: AbortSignal;
}
