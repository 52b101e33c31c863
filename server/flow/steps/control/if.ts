/** `if`: executes one of two branches. */
import { z } from "zod";
import { after, holdsIn } from "../../template/rendering.ts";
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
  about: {
    title: "If",
    summary: "runs steps if a condition holds, or else others",
    icon: "split",
    group: "branches",
    line: "If {condition}",
    blank: { condition: "{input.value} exists", then: [] },
  },
  shape,
  templates: ["condition"],
  branches: ({ then, else: otherwise }) => [[["then"], then], [["else"], otherwise]],
  execute({ condition, then, else: otherwise }, execution) {
    return after(holdsIn(condition, execution), (holds) => {
      execution.setOutput(holds);
      return execution.run(holds ? then : otherwise);
    });
  },
} satisfies StepType<IfStep>;
