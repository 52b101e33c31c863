/**
 * A flow's program: a list of steps, as its author wrote it in JSON, and as the engine runs it.
 *
 * What is stored is the author's own JSON. `parseProgram` makes the same steps of it every time, with every default
 * filled in. Source: design/flows.md, "Program".
 */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { messageOf } from "../../input/messages.ts";
import type { Condition } from "../template/condition.ts";
import { faultsOfSteps } from "./checks.ts";
import { unfit } from "./json_limits.ts";
import { flat, StepList } from "./shape.ts";
import { walk } from "./walk.ts";

// What domains need beside: this file is the flow room's door to them.
export { unknownNames } from "./unknown_names.ts";
export { unreached } from "./unreachable.ts";
export { walk } from "./walk.ts";

interface Common {
  /** Unique in the program, in its branches too. */
  id: string;
  name?: string | undefined;
  /** Seconds, of each attempt. */
  timeout: number;
  /** Undefined is one attempt. */
  retry?: Retry | undefined;
  on_error: "stop" | "continue" | "catch";
  /** Empty unless `on_error` is `catch`. */
  catch: Step[];
}

export interface Retry {
  /** The first one counts. */
  attempts: number;
  /** Seconds before the second attempt; with `exponential` each further wait is twice as long. */
  delay: number;
  backoff: "fixed" | "exponential";
  /** Seconds that no wait is longer than. */
  max_delay: number;
  /** Faults after which to try again: a status is that of the connector's answer. */
  on: RetryOn[];
}

export type RetryOn = "network" | "timeout" | "4xx" | "5xx" | number;

/** Templates by name. */
export type Templates = Record<string, JsonValue>;

export interface MutationStep extends Common {
  type: "mutation";
  /** In its order: later entries see earlier ones. */
  set: Templates;
}

export interface ConnectorStep extends Common {
  type: "connector";
  connector_code: string;
  method: string;
  params: Templates;
  /** Instead of the method's own. */
  query?: Templates | undefined;
  /** Beside the method's own. */
  headers?: Record<string, string> | undefined;
  /** Instead of the method's own; undefined is that. */
  body?: JsonValue | undefined;
}

export interface IfStep extends Common {
  type: "if";
  condition: Condition;
  then: Step[];
  else: Step[];
}

export type RecordAction = "create" | "update" | "upsert" | "delete" | "get" | "list";

/** Which of the optional keys stand with which action: RECORD_KEYS in program_shape.ts. */
export interface RecordStep extends Common {
  type: "record";
  action: RecordAction;
  db_code: string;
  table_name?: string | undefined;
  /** A template that becomes a record's id. Never beside `match`. */
  record_id?: string | undefined;
  /** Fields that a record has. Not empty. */
  match?: Templates | undefined;
  /** A string is one placeholder, which stands for an object. */
  data?: Templates | string | undefined;
  /** As lists of records take it: a value, or an object of operators. */
  filter?: Templates | undefined;
  /** `name`, `-created_at`; a template. */
  sort?: string | undefined;
  limit: number;
}

export interface ForEachStep extends Common {
  type: "for_each";
  /** A list of templates, or one placeholder. */
  items: JsonValue;
  /** The name of the item in its steps, beside `index` (from 0). */
  as: string;
  steps: Step[];
}

export interface ReturnStep extends Common {
  type: "return";
  data: JsonValue;
}

export type Step = MutationStep | ConnectorStep | IfStep | RecordStep | ForEachStep | ReturnStep;

export interface Fault {
  /** Keys and indexes from the program on. */
  path: (string | number)[];
  /** In Rails' words. */
  message: string;
}

export type ReadProgram = { steps: Step[] } | { faults: Fault[] };

/** So many faults are told at once. */
const MOST_FAULTS = 50;
/** Bytes of JSON. */
const LARGEST = 262_144;

/** Reads a program, whatever was sent as one. Never throws. */
export function parseProgram(json: unknown): ReadProgram {
  const unfitting = unfit(json, MOST_FAULTS);
  if (unfitting.length > 0) return { faults: unfitting };
  const text = JSON.stringify(json);
  if (new TextEncoder().encode(text).length > LARGEST) {
    return { faults: [{ path: [], message: `is too long (maximum is ${LARGEST} bytes of JSON)` }] };
  }
  // A copy, in which nothing stands twice: of one object in two places zod makes one step.
  const parsed = StepList.safeParse(JSON.parse(text));
  if (!parsed.success) return { faults: faultsOf(parsed.error).slice(0, MOST_FAULTS) };
  const faults = faultsOfSteps(parsed.data);
  if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS) };
  nameSteps(parsed.data);
  return { steps: parsed.data };
}

/** A program as part of a body. It stays as it was sent: what is run is made of it each time. */
export const Program = z.array(z.unknown()).superRefine((json, { addIssue }) => {
  const read = parseProgram(json);
  if ("steps" in read) return;
  for (const { path, message } of read.faults) addIssue({ code: "custom", path, message });
});

/** Each issue apart: what zod says of unknown keys in one, or of the wrong choice of a union, has several paths. */
function faultsOf({ issues }: z.ZodError): Fault[] {
  return issues.flatMap((issue) => flat(issue)).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: places([...issue.path, key]), message: "is not a known field" }))
      : [{ path: places(issue.path), message: wordsOf(issue) }]
  );
}

/** Every pattern of a program has words of its own, and a list is blank where it is empty. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_format") return issue.message;
  return issue.code === "too_small" && issue.origin === "array" ? "can't be blank" : messageOf(issue);
}

const places = (path: PropertyKey[]) => path.map((key) => typeof key === "symbol" ? String(key) : key);

/** `step_1`, `step_2`, … in the order in which they stand, past the names that others were given. */
function nameSteps(steps: Step[]): void {
  const all = [...walk(steps)].map(({ step }) => step);
  const given = new Set(all.map(({ id }) => id));
  let count = 0;
  for (const step of all) {
    if (step.id) continue;
    do step.id = `step_${++count}`; while (given.has(step.id));
  }
}
