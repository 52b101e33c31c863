/** Values for a reader, of bounded size. */
import type { JsonValue } from "../../input/json_value.ts";

/** A copy of the value that has about so many characters at most: the beginning of a text; the size of a list or object. */
export function shortened(value: JsonValue, most: number): { value: JsonValue; is_shorter: boolean } {
  if (fits(value, { left: most })) return { value, is_shorter: false };
  return { value: shorter(value, most), is_shorter: true };
}

/** Ends as soon as the room is used up. */
function fits(value: JsonValue, room: { left: number }): boolean {
  room.left -= typeof value === "string" ? value.length : 4;
  if (room.left < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => fits(item, room));
  for (const key in value) {
    room.left -= key.length;
    if (!fits(value[key] ?? null, room)) return false;
  }
  return true;
}

function shorter(value: JsonValue, most: number): JsonValue {
  if (typeof value === "string") return `${value.slice(0, most).toWellFormed()}…`;
  return Array.isArray(value) ? `a list of ${value.length} items` : "an object";
}
