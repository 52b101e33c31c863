/** What templates of a step can name, with the values of a run. */
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { shortened } from "../template/shortened.ts";

const MOST_NAMES = 300;
const MOST_DEEP = 5;
/** Items of a list that are listed. */
const MOST_ITEMS = 3;
/** Characters of a value. */
const MOST_VALUE = 200;
/** A key that a placeholder can name. */
const KEY = /^[^.{}|\s]{1,100}$/;

export interface InScope {
  path: string;
  value: JsonValue;
}

/** Names first, then what is in them, level by level. */
export function namesInScope(scope: JsonObject): InScope[] {
  const found: InScope[] = [];
  let level: [path: string, value: JsonValue][] = Object.entries(scope);
  for (let depth = 1; depth <= MOST_DEEP && level.length > 0; depth++) {
    for (const [path, value] of level) {
      if (found.length === MOST_NAMES) return found;
      found.push({ path, value: shortened(value, MOST_VALUE).value });
    }
    level = level.flatMap(([path, value]) =>
      partsOf(value).map(([key, part]): typeof level[number] => [`${path}.${key}`, part])
    );
  }
  return found;
}

function partsOf(value: JsonValue): [key: string, value: JsonValue][] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item, index) => [`${index}`, item]);
  return Object.entries(value).filter(([key]) => KEY.test(key));
}
