/** The input of a run against what its flow declares. */
import { type Fields, invalid } from "../../errors.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { conform } from "./conform.ts";
import type { JsonSchema } from "./shape.ts";

/** @returns the input with the schema's defaults. @throws {Refusal} 422 by path, such as `input.base` */
export function proveInput(schema: JsonSchema | undefined, input: JsonObject): JsonObject {
  if (!schema) return input;
  const conformed = conform(schema, input);
  if ("faults" in conformed) {
    const fields: Fields = {};
    for (const { path, message } of conformed.faults) (fields[["input", ...path].join(".")] ??= []).push(message);
    throw invalid(fields);
  }
  const { value } = conformed;
  // Defaults are filled into objects, which stay objects.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : input;
}

/** Whether a start was refused for the run's input. */
export const isOfInput = (fields: Fields | undefined): boolean =>
  Object.keys(fields ?? {}).some((field) => field === "input" || field.startsWith("input."));
