/** The result of an effect, and a step's failure. */
import type { JsonValue } from "../../input/json_value.ts";

/** The result of one execution of a connector or record step. */
export interface Effect {
  output: JsonValue;
  /** Null unless a connector answered. */
  http_status: number | null;
  /** Headers of the answer. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A step has failed. `retry` and `on_error` of the step decide what follows. */
export class StepFault extends Error {
  override name = "StepFault";
  constructor(
    /** A sentence for the flow's author. */
    message: string,
    /** What `retry.on` may name: a status, "network" or "timeout". A fault with undefined is never retried. */
    readonly cause_name?: number | "network" | "timeout",
    readonly effect: Effect = { output: null, http_status: null },
    /** How long the other side asks to wait before another attempt: its `Retry-After`. */
    readonly retry_after_ms = 0,
  ) {
    super(message);
  }
}

/** A `fail` step was reached. Its message is the author's own, and stands without the step's place. */
export class Failed extends StepFault {
  override name = "Failed";
  constructor(message: string, readonly data: JsonValue) {
    super(message);
  }
}

/** A step has failed, and its `on_error` is `stop`: so do the steps around it, up to the run. */
export class Stopped extends Error {
  override name = "Stopped";
  /** @param data of a `fail` step */
  constructor(message: string, readonly data: JsonValue = null) {
    super(message);
  }
}
