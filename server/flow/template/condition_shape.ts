/** The shape of a condition, as the tree and in its short form. */
import { z } from "zod";
import { Comparison, type Condition } from "./condition.ts";
import { parseCondition } from "./condition_text.ts";
import { templateFaults } from "./template.ts";
import type { Check } from "./template_shape.ts";

const ShortCondition = z.string().min(1).transform((text, ctx): Condition => {
  const read = parseCondition(text);
  if ("fault" in read) ctx.addIssue({ code: "custom", message: read.fault });
  else checkQuotedTexts(read.condition, ctx);
  return "condition" in read ? read.condition : z.NEVER;
}).meta({ examples: ["{json_object.price} > 100"] });

/** Quoted texts in the short form are templates, too. */
function checkQuotedTexts(condition: Condition, ctx: Check): void {
  const parts = "all" in condition ? condition.all : "any" in condition ? condition.any : [];
  if ("not" in condition) checkQuotedTexts(condition.not, ctx);
  for (const part of parts) checkQuotedTexts(part, ctx);
  if (!("left" in condition)) return;
  for (const { message } of templateFaults([condition.left, condition.right ?? null])) {
    ctx.addIssue({ code: "custom", message });
  }
}

export const ConditionShape: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    Comparison,
    z.strictObject({ all: z.array(ConditionShape).min(1) }),
    z.strictObject({ any: z.array(ConditionShape).min(1) }),
    z.strictObject({ not: ConditionShape }),
    ShortCondition,
  ])
).meta({ id: "Condition" });
