/** `mutation`: sets names that later templates see. */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { dependencyCycle } from "../template/dependency_cycle.ts";
import { renderIn } from "../template/rendering.ts";
import { Name, Template } from "../template/template_shape.ts";
import { jsonLength } from "../storage/storable.ts";
import { commonKeys, type StepListShape } from "./step.ts";
import { StepFault } from "./fault.ts";
import type { Execution, StepType } from "./step_type.ts";

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("mutation"),
    ...commonKeys(steps),
    set: z.record(Name, Template).optional().describe(
      "Values by name. Those of the first mutation are the starting parameters, which the caller's input overrides",
    ),
    append: z.record(Name, Template).optional().describe(
      "A value by name, which is added to the end of the name's list as one item. A name without a value is an empty " +
        "list before",
    ),
    merge: z.record(Name, Template).optional().describe(
      "An object by name, whose keys are put into the name's object. A name without a value is an empty object before",
    ),
  }).superRefine(({ set, append, merge }, ctx) => {
    if (!set && !append && !merge) ctx.addIssue({ code: "custom", path: ["set"], message: "can't be blank" });
  }).meta({ anyOf: [{ required: ["set"] }, { required: ["append"] }, { required: ["merge"] }] });

type MutationStep = z.output<ReturnType<typeof shape>>;

/** What an entry does with a name. */
type Operation = "set" | "append" | "merge";
type Entry = [operation: Operation, name: string, template: JsonValue];

const entriesOf = ({ set = {}, append = {}, merge = {} }: MutationStep): Entry[] =>
  Object.entries({ set, append, merge }).flatMap(([key, templates]) => {
    const operation: Operation = key === "append" || key === "merge" ? key : "set";
    return Object.entries(templates).map(([name, template]): Entry => [operation, name, template]);
  });

/** Names of a cycle that a message lists. */
const MOST_SHOWN = 10;

export const mutation = {
  type: "mutation",
  about: {
    title: "Set names",
    summary: "sets names that later steps see",
    icon: "variable",
    group: "values",
    line: "[Set {set}][ append to {append}][ merge into {merge}]",
    blank: { set: {} },
  },
  shape,
  templates: ["set", "append", "merge"],
  names: ({ set, append, merge }) => Object.keys({ ...set, ...append, ...merge }),
  faults({ set = {} }) {
    const cycle = dependencyCycle(set);
    if (!cycle) return [];
    const shown = [...cycle.slice(0, MOST_SHOWN), ...cycle.length > MOST_SHOWN ? ["…"] : [], cycle[0]].join(" → ");
    return [{ path: ["set", cycle[0] ?? ""], message: `needs itself in a circle: ${shown}` }];
  },
  /** Later entries see earlier ones. The run's input overrides names that the first mutation sets. */
  execute(step, execution) {
    const { scope, takeInput, setOutput } = execution;
    const input = step.set && takeInput();
    const entries = entriesOf(step);
    const before = entries.map(([, name]) => [name, scope[name]] as const);
    const stored = newStore(execution);
    /** A promise from the first expression on. */
    const storeAll = (entries: Entry[]): undefined | Promise<undefined> => {
      for (const [index, [operation, name, template]] of entries.entries()) {
        const overridden = operation === "set" && input !== undefined && Object.hasOwn(input, name);
        const value = overridden ? input[name] ?? null : renderIn(template, execution);
        if (!(value instanceof Promise)) stored.store(operation, name, value);
        else {
          return value.then((value) => {
            stored.store(operation, name, value);
            return storeAll(entries.slice(index + 1));
          });
        }
      }
      setOutput(stored.output);
    };
    /** A step that failed sets nothing. Its values would not be counted. */
    const restore = (error: unknown): never => {
      for (const [name, value] of before) {
        if (value === undefined) delete scope[name];
        else scope[name] = value;
      }
      stored.uncount();
      throw error;
    };
    try {
      const all = storeAll(entries);
      return all instanceof Promise ? all.catch(restore) : all;
    } catch (error) {
      return restore(error);
    }
  },
} satisfies StepType<MutationStep>;

/** Stores values under names. What the step adds is its output; a list or object that grows is counted by its name. */
function newStore({ scope, proveRoom, countName }: Execution) {
  const output: JsonObject = {};
  const counts: [name: string, before: number][] = [];
  let characters = 0;
  const count = (name: string, length: number) => void counts.push([name, countName(name, length)]);
  return {
    output,
    store(operation: Operation, name: string, value: JsonValue): void {
      characters += jsonLength(value);
      // Checked after each entry: thousands of entries of 1 MiB each would exhaust the process's memory.
      proveRoom(characters);
      if (operation === "set") {
        scope[name] = value;
        count(name, 0);
      } else {
        const grown = operation === "append" ? appended(name, scope[name], value) : merged(name, scope[name], value);
        count(name, jsonLength(grown));
        scope[name] = grown;
      }
      output[name] = value;
    },
    uncount: () => counts.reverse().forEach(([name, before]) => countName(name, before)),
  };
}

function appended(name: string, list: JsonValue | undefined, value: JsonValue): JsonValue[] {
  if (list !== undefined && list !== null && !Array.isArray(list)) throw new StepFault(`append: ${name} is no list`);
  return [...list ?? [], value];
}

/** A key that both have gets the later value. */
function merged(name: string, object: JsonValue | undefined, value: JsonValue): JsonObject {
  if (!isObject(object ?? {})) throw new StepFault(`merge: ${name} is no object`);
  if (!isObject(value ?? {})) throw new StepFault(`merge: what is put into ${name} is no object`);
  return Object.fromEntries([...Object.entries(object ?? {}), ...Object.entries(value ?? {})]);
}

const isObject = (value: JsonValue): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
