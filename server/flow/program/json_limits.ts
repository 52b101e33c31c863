/** What of a value is no JSON that can be kept and read again as it is. */
import { DEPTH_LIMIT } from "../../input/depth.ts";
import { isStorable, NOT_STORABLE } from "../../input/shapes.ts";
import type { Fault } from "./program.ts";

interface Part {
  value: unknown;
  path: (string | number)[];
}

/**
 * Goes over the value without recursion, so that nothing that recurses sees what is nested without end.
 *
 * @param most faults that are looked for
 */
export function unfit(json: unknown, most: number): Fault[] {
  const faults: Fault[] = [];
  const parts: Part[] = [{ value: json, path: [] }];
  for (let part = parts.pop(); part && faults.length < most; part = parts.pop()) {
    const message = faultOf(part);
    if (message) faults.push({ path: part.path, message });
    else parts.push(...partsOf(part).reverse());
  }
  return faults;
}

function faultOf({ value, path }: Part): string | undefined {
  const key = path.at(-1);
  // A name that JavaScript gives a meaning of its own; zod would leave it out without a word.
  if (key === "__proto__") return "is not a known field";
  if (typeof key === "string" && !isStorable(key)) return NOT_STORABLE;
  switch (typeof value) {
    case "string":
      return isStorable(value) ? undefined : NOT_STORABLE;
    case "number":
      if (!Number.isFinite(value)) return "must be a finite number";
      if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
      return "is an integer beyond 9007199254740991, which would be rounded: write it as a text";
    case "boolean":
      return undefined;
    case "object":
      if (value === null) return undefined;
      if (path.length >= DEPTH_LIMIT) return `is nested deeper than ${DEPTH_LIMIT} levels`;
      return Array.isArray(value) || isPlain(value) ? undefined : "must be JSON";
    default:
      return value === undefined && path.length === 0 ? "can't be blank" : "must be JSON";
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function partsOf({ value, path }: Part): Part[] {
  if (Array.isArray(value)) return value.map((value, index) => ({ value, path: [...path, index] }));
  if (typeof value !== "object" || value === null) return [];
  // An absent key that came over tRPC as undefined is as good as none.
  return Object.entries(value).flatMap(([key, value]) => value === undefined ? [] : [{ value, path: [...path, key] }]);
}
