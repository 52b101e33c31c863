/** `if`: executes one of two branches. */
import { z } from "zod";
import { evaluate } from "../../template/condition.ts";
import { ConditionShape } from "../../template/condition_shape.ts";
import { commonKeys, optionalSteps, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("if"),
    ...commonKeys(steps),
    condition: ConditionShape,
    then: steps,
    else: optionalSteps(steps),
  });

type IfStep = z.output<ReturnType<typeof shape>>;

export const if_ = {
  type: "if",
  shape,
  templates: ["condition"],
  branches: ({ then, else: otherwise }) => [[["then"], then], [["else"], otherwise]],
  execute({ condition, then, else: otherwise }, { scope, warn, noteCompared, setOutput, run }) {
    const holds = evaluate(condition, scope, warn, noteCompared);
    setOutput(holds);
    return run(holds ? then : otherwise);
  },
} satisfies StepType<IfStep>;
