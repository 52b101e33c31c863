/** Checks that a value is JSON which can be stored and read again unchanged. */
import { DEPTH_LIMIT } from "../../input/depth.ts";
import { isStorable, NOT_STORABLE } from "../../input/shapes.ts";
import type { Fault, Path } from "../steps/step_type.ts";

interface Part {
  value: unknown;
  path: Path;
}

/**
 * Walks the value without recursion, so that a value that is nested without end cannot overflow the stack.
 *
 * @param most the search stops after so many faults
 */
export function faultsOfJson(json: unknown, most: number): Fault[] {
  const faults: Fault[] = [];
  const parts: Part[] = [{ value: json, path: [] }];
  for (let part = parts.pop(); part && faults.length < most; part = parts.pop()) {
    const message = faultOf(part);
    if (message) faults.push({ path: part.path, message });
    else for (const inner of partsOf(part).reverse()) parts.push(inner);
  }
  return faults;
}

function faultOf({ value, path }: Part): string | undefined {
  const key = path.at(-1);
  // zod drops this key silently, so it has to be refused before.
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
  // tRPC sends an absent key as undefined.
  return Object.entries(value).flatMap(([key, value]) => value === undefined ? [] : [{ value, path: [...path, key] }]);
}
