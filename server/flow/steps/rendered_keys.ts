/** Rendering of the keys of a step that hold templates. */
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { type Rendering, withExpressions } from "../template/rendering.ts";
import { render, type Warn } from "../template/template.ts";
import type { Step } from "./step.ts";

/** The templates of a step by key, without keys that are left out. */
export function templatesOf(step: Step, keys: readonly string[]): JsonObject {
  const templates: JsonObject = {};
  for (const key of keys) {
    const value: JsonValue | undefined = Reflect.get(step, key);
    if (value !== undefined) templates[key] = value;
  }
  return templates;
}

/** The same keys with their templates filled. @param warnOf by key, because a missing value can be a fault in one */
export const renderKeys = (
  step: Step,
  keys: readonly string[],
  rendering: Rendering,
  warnOf: (key: string) => Warn = () => rendering.warn,
): JsonObject | Promise<JsonObject> =>
  withExpressions(rendering, (expressions) => {
    const rendered: JsonObject = {};
    for (const key of keys) {
      const template: JsonValue | undefined = Reflect.get(step, key);
      if (template !== undefined) rendered[key] = render(template, rendering.scope, warnOf(key), expressions);
    }
    return rendered;
  });

/** The value if it is an object, else an empty one. */
export const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
