/** Placeholders that can stand for nothing: names that no step of the program sets, steps that it does not have. */
import type { JsonValue } from "../../input/json_value.ts";
import type { Fault, Step } from "./program.ts";
import { RESERVED } from "./shape.ts";
import { walk } from "./walk.ts";
import { pathsOfTexts } from "../template/template.ts";

/** A run goes through with them: they are null. So each is a warning and no fault. */
export function unknownNames(steps: readonly Step[]): Fault[] {
  const places = [...walk(steps)];
  const ids = new Set(places.map(({ step }) => step.id));
  const names = new Set<string>([...RESERVED, ...places.flatMap(({ step }) => namesSetBy(step))]);
  return places.flatMap(({ step, path }) =>
    pathsOfTexts(templatesOf(step)).flatMap(({ path: key, placeholder: [head = "", second] }) => {
      const here = [...path, ...key];
      if (!names.has(head)) return [{ path: here, message: `has {${head}}, which no step sets` }];
      if (head !== "steps" || second === undefined || ids.has(second)) return [];
      return [{ path: here, message: `has {steps.${second}}, and no step has this id` }];
    })
  );
}

function namesSetBy(step: Step): string[] {
  if (step.type === "mutation") return Object.keys(step.set);
  return step.type === "for_each" ? [step.as, "index"] : [];
}

/** The keys of a step that hold templates, as its author wrote them. */
function templatesOf(step: Step): JsonValue {
  switch (step.type) {
    case "mutation":
      return { set: step.set };
    case "connector":
      return given({ params: step.params, query: step.query, headers: step.headers, body: step.body });
    case "if":
      return JSON.parse(JSON.stringify({ condition: step.condition }));
    case "record": {
      const { record_id, match, data, filter, sort } = step;
      return given({ record_id, match, data, filter, sort });
    }
    case "for_each":
      return { items: step.items };
    case "return":
      return { data: step.data };
  }
}

const given = (keys: Record<string, JsonValue | undefined>): JsonValue =>
  Object.fromEntries(
    Object.entries(keys).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
