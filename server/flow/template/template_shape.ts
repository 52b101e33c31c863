/** Shapes of templates, and of the names that a program may define for them. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { templateFaults, templateOf } from "./template.ts";
import { NAME } from "./filters/filter_text.ts";

/** Names that every run defines. A program may not define them. */
export const RESERVED = ["input", "user", "run", "json_object", "steps"] as const;

/** Names that every run defines, too. Programs from before may define them. */
export const PREDEFINED = ["trigger"] as const;

/** The part of zod's refinement context that a check uses. */
export type Check = { addIssue(issue: { code: "custom"; path?: PropertyKey[]; message: string }): void };

function checkTemplates(value: JsonValue, ctx: Check): void {
  for (const { path, message } of templateFaults(value)) ctx.addIssue({ code: "custom", path, message });
}

/** Any JSON value. Each string in it is a template. `parseProgram` has checked before that the value is JSON. */
export const Template = z.custom<JsonValue>().superRefine((value, ctx) => {
  if (value === undefined) ctx.addIssue({ code: "custom", message: "can't be blank" });
  else checkTemplates(value, ctx);
});

export const TextTemplate = z.string().min(1).superRefine(checkTemplates);

/** Templates by name. */
export const Templates = z.record(z.string(), Template);

const isPlaceholder = (text: string) => {
  const read = templateOf(text);
  return "template" in read && read.template.length === 1 && typeof read.template[0] === "object";
};

/** A string that is exactly one placeholder, so that its value keeps its JSON type. */
export const OnePlaceholder = z.string().refine(isPlaceholder, "must be one placeholder, such as {item}")
  .superRefine(checkTemplates).meta({ pattern: String.raw`^\{[\s\S]*\}$` });

/** A name that a step may define. */
export const Name = z.string().regex(NAME, "must be a letter or _ and at most 63 letters, digits and _")
  .refine((name) => !RESERVED.some((reserved) => reserved === name), `is reserved (${RESERVED.join(", ")})`)
  .refine((name) => !name.startsWith("__"), "must not begin with __");
