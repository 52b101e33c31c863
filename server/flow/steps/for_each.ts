/** `for_each`: executes its steps once for each item of a list. */
import { z } from "zod";
import { render } from "../template/template.ts";
import { Name, OnePlaceholder, Template } from "../template/template_shape.ts";
import { StepFault } from "./fault.ts";
import { commonKeys, type StepListShape } from "./step.ts";
import type { StepType } from "./step_type.ts";

/** The name of the item's position, from 0. */
const INDEX = "index";

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("for_each"),
    ...commonKeys(steps),
    items: z.union([z.array(Template), OnePlaceholder]),
    as: Name.refine((name) => name !== INDEX, "is the name of the place in the list").default("item"),
    steps,
  });

type ForEachStep = z.output<ReturnType<typeof shape>>;

export const for_each = {
  type: "for_each",
  shape,
  templates: ["items"],
  branches: ({ steps }) => [["steps", steps]],
  names: ({ as }) => [as, INDEX],
  async execute({ items, as, steps }, { scope, warn, setOutput, run }) {
    const list = render(items, scope, warn);
    if (list !== null && !Array.isArray(list)) throw new StepFault("items is no list");
    const outer = { [as]: scope[as], [INDEX]: scope[INDEX] };
    setOutput({ count: list?.length ?? 0 });
    try {
      for (const [index, item] of (list ?? []).entries()) {
        Object.assign(scope, { [as]: item, [INDEX]: index });
        const returned = await run(steps, index);
        if (returned) return returned;
      }
    } finally {
      // The names hold in the loop only. Loops may be nested and use the same names.
      for (const [name, value] of Object.entries(outer)) {
        if (value === undefined) delete scope[name];
        else scope[name] = value;
      }
    }
  },
} satisfies StepType<ForEachStep>;
