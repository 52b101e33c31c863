/** The shape of a `transform` step. */
import { z } from "zod";
import { ConditionShape } from "../template/condition_shape.ts";
import { Name, OnePlaceholder, Template } from "../template/template_shape.ts";
import { INDEX } from "./control/for_each.ts";
import { commonKeys, type StepListShape } from "./step.ts";

const PATH = /^-?[A-Za-z_][A-Za-z0-9_]{0,63}(\.[^.{}\s]{1,255}){0,20}$/;

/** `item`, or a path into it. `checkPaths` proves that it begins with the name of the item. */
const ItemPath = z.string().regex(
  /^[A-Za-z_][A-Za-z0-9_]{0,63}(\.[^.{}\s]{1,255}){0,20}$/,
  "must be a path into the item, such as item.price",
);
const SortPath = z.string().regex(PATH, "must be a path into the item, such as item.price or -item.price");

export const OPERATIONS = ["count", "sum", "average", "min", "max", "first", "last", "list"] as const;

const one = <Operation extends string>(operation: Operation, shape: z.ZodType<string>) =>
  z.strictObject({ [operation]: shape } as Record<Operation, typeof shape>);

/** By operation the path of the values. */
const Reduction = z.union(OPERATIONS.map((operation) => one(operation, ItemPath)));

export const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("transform"),
    ...commonKeys(steps),
    from: z.union([z.array(Template), OnePlaceholder]).describe("The list, or one placeholder whose value is a list"),
    as: Name.refine((name) => name !== INDEX, "is the name of the place in the list").default("item")
      .describe("The name of the item in the other keys; its place in the list from 0 is `index`"),
    where: ConditionShape.optional().describe("Keeps the items for which it holds"),
    map: Template.optional().describe("Replaces each item. The keys below see the new item"),
    sort: z.union([SortPath, z.array(SortPath).min(1).max(10)]).optional().describe(
      "A path such as `item.price`, with - before it descending, or several of them. Numbers stand before texts, " +
        "missing values at the end",
    ),
    unique: ItemPath.optional().describe("Keeps the first item of each value at this path"),
    limit: z.int().min(0).max(50_000).optional().describe("Keeps so many items"),
    group: ItemPath.optional().describe(
      "Makes a list of `key` and `items`, one for each value at this path; with `reduce`, of `key` and its results",
    ),
    reduce: z.record(Name, Reduction).refine((all) => Object.keys(all).length > 0, "can't be blank")
      .refine((all) => Object.keys(all).length <= 10, "has more than 10 results")
      .meta({ minProperties: 1, maxProperties: 10 }).optional()
      .describe(
        `Makes an object of results, such as { "total": { "sum": "item.price" } }. Operations: ${
          OPERATIONS.join(", ")
        }`,
      ),
  }).superRefine(({ as, sort = [], unique, group, reduce = {} }, ctx) => {
    const check = (path: string, key: (string | number)[]) => {
      if (path.replace(/^-/, "").split(".")[0] === as) return;
      ctx.addIssue({ code: "custom", path: key, message: `must begin with ${as}, such as ${as}.price` });
    };
    if (typeof sort === "string") check(sort, ["sort"]);
    else sort.forEach((path, index) => check(path, ["sort", index]));
    if (unique !== undefined) check(unique, ["unique"]);
    if (group !== undefined) check(group, ["group"]);
    for (const [name, reduction] of Object.entries(reduce)) {
      for (const [operation, path] of Object.entries(reduction)) check(path, ["reduce", name, operation]);
      if (name === "key" && group !== undefined) {
        ctx.addIssue({ code: "custom", path: ["reduce", name], message: "is the name of the group" });
      }
    }
  });

export type TransformStep = z.output<ReturnType<typeof shape>>;
