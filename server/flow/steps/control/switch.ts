/** `switch`: executes the steps of the case that a value names. */
import { z } from "zod";
import { renderIn } from "../../template/rendering.ts";
import { TextTemplate } from "../../template/template_shape.ts";
import { StepFault } from "../fault.ts";
import { commonKeys, line, optionalSteps, type Step, type StepListShape } from "../step.ts";
import type { Path, StepType } from "../step_type.ts";

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("switch"),
    ...commonKeys(steps),
    value: TextTemplate.describe("Compared with the names of the cases as a text"),
    cases: z.record(line(255), steps).refine((cases) => Object.keys(cases).length > 0, "can't be blank")
      .meta({ minProperties: 1 }).describe("Steps by the value for which they are executed"),
    else: optionalSteps(steps).describe("Executed if there is no case for the value"),
  });

type SwitchStep = z.output<ReturnType<typeof shape>>;

export const switch_ = {
  type: "switch",
  about: {
    title: "Choose by a value",
    summary: "runs the steps of one of several cases",
    icon: "git-branch",
    group: "branches",
    line: "Choose by {value}",
    blank: { value: "{input.value}", cases: { one: [] } },
  },
  shape,
  templates: ["value"],
  plain: ({ cases }) => ({ cases: Object.keys(cases) }),
  branches: ({ cases, else: otherwise }) => [
    ...Object.entries(cases).map(([name, steps]): [Path, Step[]] => [["cases", name], steps]),
    [["else"], otherwise],
  ],
  async execute({ value: template, cases, else: otherwise }, execution) {
    const value = await renderIn(template, execution);
    if (typeof value === "object" && value !== null) throw new StepFault("value is no single value");
    execution.setOutput(value);
    const name = String(value ?? "");
    return await execution.run(Object.hasOwn(cases, name) ? cases[name] ?? [] : otherwise);
  },
} satisfies StepType<SwitchStep>;
