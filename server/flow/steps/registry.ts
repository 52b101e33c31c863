/** Every step type. A new type is one file of this folder and one line of this list. */
import { z } from "zod";
import { code } from "./code.ts";
import { connector } from "./connector.ts";
import { approval } from "./control/approval.ts";
import { fail } from "./control/fail.ts";
import { flow } from "./control/flow.ts";
import { for_each } from "./control/for_each.ts";
import { if_ } from "./control/if.ts";
import { repeat } from "./control/repeat.ts";
import { return_ } from "./control/return.ts";
import { switch_ } from "./control/switch.ts";
import { wait } from "./control/wait.ts";
import { mutation } from "./mutation.ts";
import { record } from "./record.ts";
import { transform } from "./transform.ts";
import type { Step, StepListShape } from "./step.ts";
import type { StepType } from "./step_type.ts";

const TYPES = [
  mutation,
  connector,
  code,
  transform,
  if_,
  switch_,
  record,
  for_each,
  repeat,
  return_,
  fail,
  wait,
  approval,
  flow,
] as const;

export const STEP_TYPES: readonly StepType[] = TYPES;

const steps: StepListShape = z.lazy(() => z.array(StepShape));
const [first, ...more] = TYPES;

/** The shape of a step of any type. */
export const StepShape = z.discriminatedUnion("type", [first.shape(steps), ...more.map(({ shape }) => shape(steps))])
  .meta({ id: "Step" });

/** A step with the keys of its type. Steps in its branches are of the general type. */
export type KnownStep = z.output<typeof StepShape>;

const BY_NAME = new Map(STEP_TYPES.map((type) => [type.type, type]));

/** @throws {Error} for a step that no shape has parsed */
export const stepTypeOf = ({ type }: Step): StepType => stepTypeNamed(type);

/** @throws {Error} for a name that no type has */
export function stepTypeNamed(name: string): StepType {
  const found = BY_NAME.get(name);
  if (!found) throw new Error(`${name} is not a type of step`);
  return found;
}

/** Whether the journal keeps the output of steps of the type: it comes from outside of the run, or from a moment. */
export function hasEffect(name: string): boolean {
  const type = BY_NAME.get(name);
  return type?.effect !== undefined || type?.pause !== undefined;
}

/** Whether steps of the type ask or change something outside of the run, so that a rehearsal needs an answer for them. */
export function asksOutside(type: string): boolean {
  const found = BY_NAME.get(type);
  return found?.pause !== undefined || found?.effect !== undefined && !found.effect.computes;
}

/** Whether the run may wait for long at steps of the type. */
export const mayWait = (type: string): boolean => BY_NAME.get(type)?.pause !== undefined;

/** Whether steps of the type contain other steps. */
export const hasBranches = (type: string): boolean => BY_NAME.get(type)?.branches !== undefined;
