/** `fail`: fails with the author's own words. Outside of a `catch`, this ends the run. */
import { z } from "zod";
import { renderIn } from "../../template/rendering.ts";
import { Template, TextTemplate } from "../../template/template_shape.ts";
import { Failed } from "../fault.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";

/** Characters of a message. */
const MOST_MESSAGE = 2_000;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("fail"),
    ...commonKeys(steps),
    message: TextTemplate.describe("The error of the run, as it stands; 2,000 characters are kept"),
    data: Template.optional().transform((data) => data ?? null).describe("The data of the run beside its error"),
  });

type FailStep = z.output<ReturnType<typeof shape>>;

export const fail = {
  type: "fail",
  about: {
    title: "Fail",
    summary: "ends the run with an error",
    icon: "circle-x",
    group: "ends",
    line: "Fail: {message}",
    blank: { message: "Something is wrong" },
  },
  shape,
  templates: ["message", "data"],
  ends_run: true,
  async execute({ message: template, data: data_template }, execution) {
    const message = await renderIn(template, execution);
    const data = await renderIn(data_template, execution);
    execution.setOutput(data);
    const text = typeof message === "string" ? message : message === null ? "" : JSON.stringify(message);
    throw new Failed(text.slice(0, MOST_MESSAGE).toWellFormed() || "The flow failed", data);
  },
} satisfies StepType<FailStep>;
