/** `mutation`: sets names that later templates see. */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { dependencyCycle } from "../template/dependency_cycle.ts";
import { renderIn } from "../template/rendering.ts";
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
  execute({ set }, execution) {
    const { scope, takeInput, proveRoom, setOutput } = execution;
    const input = takeInput();
    const output: JsonObject = {};
    const before = Object.keys(set).map((name) => [name, scope[name]] as const);
    let characters = 0;
    const store = (name: string, value: JsonValue) => {
      output[name] = scope[name] = value;
      characters += jsonLength(value);
      // Checked after each entry: thousands of entries of 1 MiB each would exhaust the process's memory.
      proveRoom(characters);
    };
    /** A promise from the first expression on. */
    const storeAll = (entries: [string, JsonValue][]): undefined | Promise<undefined> => {
      for (const [index, [name, template]] of entries.entries()) {
        const overridden = input !== undefined && Object.hasOwn(input, name);
        const value = overridden ? input[name] ?? null : renderIn(template, execution);
        if (!(value instanceof Promise)) store(name, value);
        else {
          return value.then((value) => {
            store(name, value);
            return storeAll(entries.slice(index + 1));
          });
        }
      }
      setOutput(output);
    };
    /** A step that failed sets nothing. Its values would not be counted. */
    const restore = (error: unknown): never => {
      for (const [name, value] of before) {
        if (value === undefined) delete scope[name];
        else scope[name] = value;
      }
      throw error;
    };
    try {
      const stored = storeAll(Object.entries(set));
      return stored instanceof Promise ? stored.catch(restore) : stored;
    } catch (error) {
      return restore(error);
    }
  },
} satisfies StepType<MutationStep>;
