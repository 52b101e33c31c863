/** A JSON value as a person writes it in a field: texts without quotes, where they cannot be taken for anything else. */
import type { Json } from "./json.ts";

function parsed(text: string): { value: Json } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function textOfValue(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return parsed(value) ? JSON.stringify(value) : value;
}

/** `171`, `true` and `{"a": 1}` are JSON; everything else is a text. */
export const valueOfText = (text: string): Json => parsed(text)?.value ?? (text.trim() === "null" ? null : text);
