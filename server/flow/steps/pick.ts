/** `pick` of a connector step: a part or parts of an answer, so that a large answer need not fit into the run's context. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { Name } from "../template/template_shape.ts";

/** Names and indexes, `-1` for the last item of a list, and `*` for every item. */
export const Path = z.string().max(500).regex(
  /^[^.{}]+(\.[^.{}]+)*$/,
  "must be a path into the answer, such as rates.0.mid or items.*.id",
);

const Paths = z.record(Name, Path).refine((paths) => Object.keys(paths).length > 0, "can't be blank");

export const Pick = z.union([Path, Paths], {
  error: "must be a path into the answer, such as rates.0.mid, or an object of such paths",
}).describe(
  "What of the answer the step keeps: a path such as `rates.0.mid`, whose value is then the step's output, or several " +
    "by name; `*` stands for every item of a list",
);

/** A missing part is null. */
export function pickParts(
  answer: JsonValue,
  pick: z.output<typeof Pick>,
  warn: (message: string) => void,
): JsonValue {
  const part = (path: string) => {
    const found = valueAt(answer, path);
    if (found === undefined) warn(`pick: the answer has no ${path}`);
    return found ?? null;
  };
  if (typeof pick === "string") return part(pick);
  return Object.fromEntries(Object.entries(pick).map(([name, path]) => [name, part(path)]));
}

export const valueAt = (value: JsonValue, path: string): JsonValue | undefined => at(value, path.split("."));

function at(value: JsonValue, [segment, ...rest]: readonly string[]): JsonValue | undefined {
  if (segment === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && segment === "*") return value.map((item) => at(item, rest) ?? null);
  if (Array.isArray(value) && segment === "-1") return value.length === 0 ? undefined : at(value.at(-1) ?? null, rest);
  if (!Object.hasOwn(value, segment)) return undefined;
  const part: JsonValue | undefined = Reflect.get(value, segment);
  return part === undefined ? undefined : at(part, rest);
}
