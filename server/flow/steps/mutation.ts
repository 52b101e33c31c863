/** `mutation`: sets names that later templates see. */
import { z } from "zod";
import type { JsonObject } from "../../input/json_value.ts";
import { dependencyCycle } from "../template/dependency_cycle.ts";
import { render } from "../template/template.ts";
import { Name, Template } from "../template/template_shape.ts";
import { jsonLength } from "../storage/storable.ts";
import { commonKeys, type StepListShape } from "./step.ts";
import type { StepType } from "./step_type.ts";

const shape = (steps: StepListShape) =>
  z.strictObject({ type: z.literal("mutation"), ...commonKeys(steps), set: z.record(Name, Template) });

type MutationStep = z.output<ReturnType<typeof shape>>;

/** Names of a cycle that a message lists. */
const MOST_SHOWN = 10;

export const mutation = {
  type: "mutation",
  shape,
  templates: ["set"],
  names: ({ set }) => Object.keys(set),
  faults({ set }) {
    const cycle = dependencyCycle(set);
    if (!cycle) return [];
    const shown = [...cycle.slice(0, MOST_SHOWN), ...cycle.length > MOST_SHOWN ? ["…"] : [], cycle[0]].join(" → ");
    return [{ path: ["set", cycle[0] ?? ""], message: `needs itself in a circle: ${shown}` }];
  },
  /** Later entries of `set` see earlier ones. The run's input overrides names that the first mutation sets. */
  execute({ set }, { scope, warn, takeInput, proveRoom, setOutput }) {
    const input = takeInput();
    const output: JsonObject = {};
    const before = Object.keys(set).map((name) => [name, scope[name]] as const);
    let characters = 0;
    try {
      for (const [name, template] of Object.entries(set)) {
        const overridden = input !== undefined && Object.hasOwn(input, name);
        const value = output[name] = scope[name] = overridden ? input[name] ?? null : render(template, scope, warn);
        characters += jsonLength(value);
        // Checked after each entry: thousands of entries of 1 MiB each would exhaust the process's memory.
        proveRoom(characters);
      }
    } catch (error) {
      // A step that failed sets nothing. Its values would not be counted.
      for (const [name, value] of before) {
        if (value === undefined) delete scope[name];
        else scope[name] = value;
      }
      throw error;
    }
    setOutput(output);
    return undefined;
  },
} satisfies StepType<MutationStep>;
