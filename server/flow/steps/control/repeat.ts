/** `repeat`: executes its steps again and again, as long as a condition holds. */
import { z } from "zod";
import type { JsonValue } from "../../../input/json_value.ts";
import { jsonLength } from "../../storage/storable.ts";
import { ConditionShape } from "../../template/condition_shape.ts";
import { holdsIn, renderIn } from "../../template/rendering.ts";
import { Template } from "../../template/template_shape.ts";
import { StepFault } from "../fault.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";
import { INDEX } from "./for_each.ts";
import { withNames } from "./loop_names.ts";

const MOST_ROUNDS = 1_000;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("repeat"),
    ...commonKeys(steps),
    while: ConditionShape.describe("Checked after each round: as long as it holds, another round follows"),
    most: z.int().min(1).max(MOST_ROUNDS).default(100).describe(
      "The step fails if `while` still holds after so many rounds",
    ),
    collect: Template.optional().describe(
      "A value of each round. The step's output is the list of these values; the items of a value that is a list " +
        "are added one by one",
    ),
    steps: steps.describe("Executed in each round, at least once. `index` is the number of the round, from 0"),
  });

type RepeatStep = z.output<ReturnType<typeof shape>>;

export const repeat = {
  type: "repeat",
  about: {
    title: "Repeat",
    summary: "runs steps again as long as a condition holds",
    icon: "rotate-cw",
    group: "loops",
    line: "Repeat while {while}",
    blank: { while: "{index} < 2", steps: [] },
  },
  shape,
  templates: ["while", "collect"],
  inside: ["while", "collect"],
  branches: ({ steps }) => [[["steps"], steps]],
  names: () => [INDEX],
  async execute({ while: condition, most, collect, steps }, execution) {
    const { scope, proveRoom, setOutput, run, noteInside } = execution;
    const collected: JsonValue[] = [];
    let characters = 0;
    let round = 0;
    const returned = await withNames(scope, [INDEX], async () => {
      for (;;) {
        scope[INDEX] = round;
        const returned = await run(steps, round++);
        if (returned) return returned;
        noteInside();
        if (collect !== undefined) {
          const value = await renderIn(collect, execution);
          characters += jsonLength(value);
          proveRoom(characters);
          for (const one of Array.isArray(value) ? value : [value]) collected.push(one);
        }
        const goes_on = await holdsIn(condition, execution);
        if (!goes_on || round === most) {
          setOutput(collect === undefined ? { count: round } : collected);
          if (!goes_on) return undefined;
          throw new StepFault(`most: while still holds after ${round} ${round === 1 ? "round" : "rounds"}`);
        }
      }
    });
    if (returned) return returned;
  },
} satisfies StepType<RepeatStep>;
