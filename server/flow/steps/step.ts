/** A step as the engine sees it: the keys that all step types share. */
import { z } from "zod";
import { tooLong } from "../../input/messages.ts";

/** A string of 1 to `maximum` characters. */
export const line = (maximum: number) =>
  z.string().min(1).refine((text) => text.length <= maximum, tooLong(maximum)).meta({ maxLength: maximum });

const StepId = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error: "must be a lower-case letter and at most 39 lower-case letters, digits and _",
});

const FAULT_NAMES = ["network", "timeout", "4xx", "5xx"] as const;
const RetryOn = z.union([z.enum(FAULT_NAMES), z.int().min(400).max(599)], {
  error: `must be ${FAULT_NAMES.join(", ")} or a status from 400 to 599`,
});

const Retry = z.strictObject({
  attempts: z.int().min(1).max(10).default(3).describe("Including the first attempt"),
  delay: z.number().min(0).max(300).default(1).describe("Seconds before the second attempt"),
  backoff: z.enum(["fixed", "exponential"]).default("exponential"),
  max_delay: z.number().min(0).max(300).default(60).describe(
    "The longest wait, in seconds. An answer's `Retry-After` lengthens a wait up to it",
  ),
  on: z.array(RetryOn).min(1).max(20).default(["network", "timeout", 429, "5xx"]),
}).meta({ id: "Retry" });

/** Of each attempt. */
export const DEFAULT_TIMEOUT_S = 30;

const COMMON = {
  // An id that was left out is "" here. `parseProgram` replaces it by step_1, step_2, …
  id: StepId.optional().transform((id) => id ?? "").describe("Unique in the program; step_1, step_2, … by default"),
  name: line(255).optional(),
  timeout: z.number().min(1).max(300).default(DEFAULT_TIMEOUT_S).describe("Seconds for each attempt"),
  retry: Retry.optional().describe("Without it, there is one attempt"),
  on_error: z.enum(["stop", "continue", "catch"]).default("stop").describe(
    "What to do after the last attempt has failed",
  ),
};
const Common = z.object(COMMON);

/**
 * A step of any type. The only step type that is written by hand, because it is recursive; each file of this folder
 * infers its own, narrower type from its shape.
 */
export interface Step extends z.output<typeof Common> {
  type: string;
  /** Steps that are executed after a failure. Empty unless `on_error` is `catch`. */
  catch: Step[];
  /** Runs leave the step out, with the steps inside it. */
  disabled?: boolean | undefined;
}

/** The shape of a list of steps of every type. A step type gets it as an argument, because it contains that type. */
export type StepListShape = z.ZodType<Step[]>;

/** The keys of every step. @param steps the shape of `catch` */
export const commonKeys = (steps: StepListShape) => ({
  ...COMMON,
  catch: optionalSteps(steps).describe("Steps that are executed if on_error is catch"),
  disabled: z.boolean().optional().describe(
    "Whether runs leave the step out, with the steps inside it. It is checked as any other step",
  ),
});

/** A list of steps that is empty where it is left out. */
export const optionalSteps = (steps: StepListShape) => steps.optional().transform((list) => list ?? []);
