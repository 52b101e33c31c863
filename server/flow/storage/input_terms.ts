/** What a run is found by: the single values of its input, also those inside of objects. */
import { hash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";

const MOST_TERMS = 32;
const LONGEST = 200;
const DEEPEST = 3;

/**
 * A hash of one value of an input: a number of 64 bits as PostgreSQL has it.
 *
 * @param term `name=value`, with dots inside of objects: `body.id=7`
 */
export const termOf = (term: string): string =>
  String(BigInt.asIntN(64, BigInt(`0x${hash("sha256", term, "hex").slice(0, 16)}`)));

/** `name=value` of each value. Longer values, values inside of lists, and those after the first 32 are left out. */
export function valuesOf(input: JsonObject): string[] {
  const values: string[] = [];
  const add = (value: JsonValue | undefined, path: readonly string[]): void => {
    if (values.length >= MOST_TERMS || value === undefined || Array.isArray(value)) return;
    if (typeof value !== "object" || value === null) {
      const text = `${path.join(".")}=${value}`;
      if (text.length <= LONGEST) values.push(text);
    } else if (path.length < DEEPEST) {
      for (const [name, inner] of Object.entries(value)) add(inner, [...path, name]);
    }
  };
  add(input, []);
  return values;
}

export const inputTerms = (input: JsonObject): string[] => [...new Set(valuesOf(input))].map(termOf);
