/** What a connector or record step comes to, and how it fails. */
import type { JsonValue } from "../../input/json_value.ts";

/** What an effect gave. */
export interface Effect {
  output: JsonValue;
  http_status: number | null;
}

/** Why a step has no output. */
export class StepFault extends Error {
  override name = "StepFault";
  constructor(
    message: string,
    /** What `retry.on` of its step may name: a status, "network" or "timeout"; undefined is never tried again. */
    readonly cause_word: number | "network" | "timeout" | undefined,
    readonly effect: Effect = { output: null, http_status: null },
  ) {
    super(message);
  }
}
