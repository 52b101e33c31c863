/**
 * The protocol between the server and a confined process: one JSON value a line, one order at a time. Programs are
 * hostile, so the server validates every answer.
 */
import { z } from "zod";

/** The first line that a process gets: the source of JSONata, which the process cannot read itself. */
export interface Setup {
  jsonata: string;
}

/** The answer to `Setup`. */
export const READY = "ready";

/** A process has taken an order. Before, the order cannot be to blame for a failure. */
export const TAKEN = "taken";

/** A process has nothing left to do for its order: promises that a program left behind have ended, too. */
export const RESTED = "rested";

interface Common {
  /** JSON of the names that the program sees. */
  names: string;
  /** Milliseconds since 1970. */
  now: number;
  /** From which the clock's and Math.random's values derive: four integers, separated by commas. */
  seeds: string;
}

export type Order =
  | Common & {
    kind: "expressions";
    expressions: readonly string[];
    /** The number of the first among the expressions of its step. */
    first: number;
  }
  | Common & { kind: "code"; code: string };

/** In the script that was sent. Both count from 1. */
const Place = z.strictObject({ line: z.int().positive(), column: z.int().positive() });
export type Place = z.output<typeof Place>;

/** One line for each expression, or one for code. */
export const Answer = z.union([
  z.strictObject({ json: z.string().max(1_048_576), console: z.array(z.string().max(1_001)).max(101) }),
  z.strictObject({
    error: z.string().max(1_000),
    /** Where code has thrown the error. */
    at: Place.optional(),
    console: z.array(z.string().max(1_001)).max(101),
  }),
]);
export type Answer = z.output<typeof Answer>;
