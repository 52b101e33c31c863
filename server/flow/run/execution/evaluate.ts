/** Evaluation of the expressions of a step. */
import { Unavailable } from "../../confined/pool.ts";
import type { Rendering } from "../../template/rendering.ts";
import type { ExecutionState } from "./execution_state.ts";
import { type Patience, repeat } from "./recovery.ts";

/**
 * A function for one execution of a step. Random values derive from the run, the place and how many expressions the step
 * has evaluated before, so that a replay computes the same.
 */
export function evaluateAt(
  { task, scope }: Pick<ExecutionState, "task" | "scope">,
  place: string,
): Rendering["evaluate"] {
  let count = 0;
  return async (expressions) => {
    const { head, patience, services } = task;
    const first = count;
    count += expressions.length;
    const at = { account_id: head.account_id, seed: `${head.id}/${place}`, now: head.made_at, signal: patience.signal };
    return await untilEvaluated(
      patience,
      () => services.evaluations.expressions(at, expressions, first, scope),
    );
  };
}

/** That no process starts is never a step's fault. The run holds no slot meanwhile. */
const untilEvaluated = <T>(patience: Patience, work: () => Promise<T>): Promise<T> =>
  patience.idle(() => repeat(patience, work, (error) => error instanceof Unavailable));
