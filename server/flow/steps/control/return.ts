/** `return`: ends the run with its data. */
import { z } from "zod";
import { after, renderIn } from "../../template/rendering.ts";
import { Template } from "../../template/template_shape.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("return"),
    ...commonKeys(steps),
    data: Template.optional().transform((data) => data ?? null),
  });

type ReturnStep = z.output<ReturnType<typeof shape>>;

export const return_ = {
  type: "return",
  about: {
    title: "Return",
    summary: "ends the run with its data",
    icon: "corner-down-left",
    group: "ends",
    line: "Return[ {data}]",
    blank: { data: {} },
  },
  shape,
  templates: ["data"],
  ends_run: true,
  execute({ data: template }, execution) {
    return after(renderIn(template, execution), (data) => {
      execution.setOutput(data);
      return { data };
    });
  },
} satisfies StepType<ReturnStep>;
