/** `for_each`: executes its steps once for each item of a list, one item after the other or several at once. */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../../input/json_value.ts";
import { jsonLength } from "../../storage/storable.ts";
import { renderIn } from "../../template/rendering.ts";
import { Name, OnePlaceholder, Template } from "../../template/template_shape.ts";
import { Suspended, suspendedBy } from "../../run/execution/interruption.ts";
import { StepFault, Stopped } from "../fault.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { Execution, Returned, StepType } from "../step_type.ts";
import { withNames } from "./loop_names.ts";

/** The name of the item's position, from 0. */
export const INDEX = "index";
const MOST_AT_ONCE = 20;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("for_each"),
    ...commonKeys(steps),
    items: z.union([z.array(Template), OnePlaceholder]).describe("The list, or one placeholder whose value is a list"),
    as: Name.refine((name) => name !== INDEX, "is the name of the place in the list").default("item")
      .describe("The name under which the steps see the item; its place from 0 is `index`"),
    at_once: z.int().min(1).max(MOST_AT_ONCE).default(1).describe(
      "How many items are worked on at once. With more than 1, each item has names of its own: what a mutation sets " +
        "is seen by the later steps of the same item only",
    ),
    collect: z.boolean().default(false).describe(
      "The output is a list of `item`, `status`, `body` and `error`, in the order of the items: the last three are " +
        "those of the last step that was executed for the item. An item that fails does not end the loop",
    ),
    steps: steps.describe("Executed for each item"),
  });

type ForEachStep = z.output<ReturnType<typeof shape>>;

export const for_each = {
  type: "for_each",
  about: {
    title: "For each item",
    summary: "runs steps for each item of a list",
    icon: "repeat",
    group: "loops",
    line: "For each {as} of {items}",
    blank: { items: "{input.items}", as: "item", steps: [] },
  },
  shape,
  templates: ["items"],
  branches: ({ steps }) => [[["steps"], steps]],
  names: ({ as }) => [as, INDEX],
  forks: ({ at_once }) => at_once > 1,
  async execute(step, execution) {
    const list = await renderIn(step.items, execution);
    if (list !== null && !Array.isArray(list)) throw new StepFault("items is no list");
    const items = list ?? [];
    execution.setOutput({ count: items.length });
    const collected = step.collect ? newCollection(execution) : undefined;
    const work = (index: number, one: Execution) => executeItem(step, items[index] ?? null, index, one, collected);
    const returned = step.at_once === 1
      ? await oneByOne(step, items.length, execution, work)
      : await severalAtOnce(step.at_once, items.length, execution, work);
    if (returned) return returned;
    if (collected) execution.setOutput(collected.inOrder());
  },
} satisfies StepType<ForEachStep>;

type Work = (index: number, execution: Execution) => Promise<Returned | undefined>;

/** Items see the names that the items before them have set. */
async function oneByOne(
  { as }: ForEachStep,
  count: number,
  execution: Execution,
  work: Work,
): Promise<Returned | undefined> {
  // The names hold in the loop only. Loops may be nested and use the same names.
  return await withNames(execution.scope, [as, INDEX], async () => {
    for (let index = 0; index < count; index++) {
      const returned = await work(index, execution);
      if (returned) return returned;
    }
  });
}

/**
 * Items begin in their order. When one returns or fails, no further item begins, and the first such item in the order
 * of the list decides: every item before it has begun, so the result does not depend on which is faster.
 *
 * An item that waits keeps its place among those that are worked on. The run is suspended when no other item can go on.
 * Items that wait when the loop is decided end there.
 *
 * @throws {Suspended}
 */
async function severalAtOnce(
  at_once: number,
  count: number,
  execution: Execution,
  work: Work,
): Promise<Returned | undefined> {
  const ends: { index: number; returned?: Returned; error?: unknown }[] = [];
  const waiting: { index: number; error: Suspended }[] = [];
  let next = 0;
  const takeItems = async () => {
    while (next < count && ends.length === 0) {
      const index = next++;
      try {
        const returned = await work(index, execution.fork());
        if (returned) ends.push({ index, returned });
      } catch (error) {
        if (!(error instanceof Suspended)) ends.push({ index, error });
        else {
          waiting.push({ index, error });
          return;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(at_once, count) }, takeItems));
  // An error that is not a step's ends the run, whichever item it came from.
  const fatal = ends.find(({ error }) => error !== undefined && !isFailure(error));
  const [first] = fatal ? [fatal] : ends.toSorted((a, b) => a.index - b.index);
  // Of the items that wait, those before the one that decides may decide instead.
  const open = waiting.filter(({ index }) => !fatal && (!first || index < first.index));
  if (open.length > 0) throw suspendedBy(open.map(({ error }) => error));
  // After a fatal error, the end of the run ends the items that wait.
  if (!fatal) { for (const { index } of waiting) await execution.abandon(index); }
  if (first?.error !== undefined) throw first.error;
  return first?.returned;
}

async function executeItem(
  { as, steps }: ForEachStep,
  item: JsonValue,
  index: number,
  execution: Execution,
  collected: Collection | undefined,
): Promise<Returned | undefined> {
  Object.assign(execution.scope, { [as]: item, [INDEX]: index });
  try {
    if (collected) execution.forgetLast();
    const returned = await execution.run(steps, index);
    if (returned) return returned;
  } catch (error) {
    if (!collected || !isFailure(error)) throw error;
    collected.add(index, item, { ...execution.last(), error: error.message });
    return undefined;
  }
  collected?.add(index, item, execution.last());
}

const isFailure = (error: unknown): error is Error => error instanceof Stopped || error instanceof StepFault;

interface Collection {
  /** @throws {StepFault} if the collected results are larger than a run's context */
  add(index: number, item: JsonValue, result: JsonObject): void;
  inOrder(): JsonValue[];
}

function newCollection({ proveRoom }: Execution): Collection {
  const results: JsonValue[] = [];
  let characters = 0;
  return {
    add(index, item, result) {
      results[index] = { item, ...result };
      characters += jsonLength(results[index]);
      proveRoom(characters);
    },
    inOrder: () => results,
  };
}
