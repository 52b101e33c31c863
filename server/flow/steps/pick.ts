/** `pick` of a connector step: a part or parts of an answer, so that a large answer need not fit into the run's context. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { Name } from "../template/template_shape.ts";

/** Names and indexes, `-1` for the last item of a list, and `*` for every item. */
export const Path = z.string().max(500).regex(
  /^[^.{}]+(\.[^.{}]+)*$/,
  "must be a path into the answer, such as rates.0.mid or items.*.id",
);

const Paths = z.record(Name, Path).refine((paths) => Object.keys(paths).length > 0, "can't be blank")
  .meta({ minProperties: 1 });

export const Pick = z.union([Path, Paths], {
  error: "must be a path into the answer, such as rates.0.mid, or an object of such paths",
}).describe(
  "What of the answer the step keeps: a path such as `rates.0.mid`, whose value is then the step's output, or several " +
    "by name; `*` stands for every item of a list",
);

/** A missing part is null, and a warning names it. */
export function pickParts(
  answer: JsonValue,
  pick: z.output<typeof Pick>,
  warn: (message: string) => void,
): JsonValue {
  const part = (path: string) => {
    let without = 0;
    const found = valueAt(answer, path, () => void without++);
    if (found === undefined) warn(`pick: the answer has no ${path}`);
    else if (without > 0) warn(`pick: ${without} ${without === 1 ? "item has" : "items have"} no ${path}`);
    return found ?? null;
  };
  if (typeof pick === "string") return part(pick);
  return Object.fromEntries(Object.entries(pick).map(([name, path]) => [name, part(path)]));
}

/** @param onGap is called for each item of a `*` that has no such part, and stands as null in the result */
export const valueAt = (value: JsonValue, path: string, onGap = () => {}): JsonValue | undefined =>
  at(value, path.split("."), onGap);

function at(value: JsonValue, [segment, ...rest]: readonly string[], onGap: () => void): JsonValue | undefined {
  if (segment === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && segment === "*") {
    return value.map((item) => {
      const part = at(item, rest, onGap);
      if (part === undefined) onGap();
      return part ?? null;
    });
  }
  if (Array.isArray(value) && segment === "-1") {
    return value.length === 0 ? undefined : at(value.at(-1) ?? null, rest, onGap);
  }
  if (!Object.hasOwn(value, segment)) return undefined;
  const part: JsonValue | undefined = Reflect.get(value, segment);
  return part === undefined ? undefined : at(part, rest, onGap);
}
