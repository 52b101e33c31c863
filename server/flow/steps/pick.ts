/** `pick` of a connector step: parts of an answer, so that a large answer need not fit into the run's context. */
import { z } from "zod";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { Name } from "../template/template_shape.ts";

/** Names and indexes, and `*` for every item of a list. */
const Path = z.string().max(500).regex(
  /^[^.{}]+(\.[^.{}]+)*$/,
  "must be a path into the answer, such as rates.0.mid or items.*.id",
);

export const Pick = z.record(Name, Path).refine((paths) => Object.keys(paths).length > 0, "can't be blank").describe(
  "What of the answer the step keeps, by name: a path such as `rates.0.mid`; `*` stands for every item of a list",
);

/** A missing part is null. */
export function pickParts(
  answer: JsonValue,
  paths: z.output<typeof Pick>,
  warn: (message: string) => void,
): JsonObject {
  return Object.fromEntries(
    Object.entries(paths).map(([name, path]) => {
      const found = at(answer, path.split("."));
      if (found === undefined) warn(`pick: the answer has no ${path}`);
      return [name, found ?? null];
    }),
  );
}

function at(value: JsonValue, [segment, ...rest]: readonly string[]): JsonValue | undefined {
  if (segment === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && segment === "*") return value.map((item) => at(item, rest) ?? null);
  if (!Object.hasOwn(value, segment)) return undefined;
  const part: JsonValue | undefined = Reflect.get(value, segment);
  return part === undefined ? undefined : at(part, rest);
}
