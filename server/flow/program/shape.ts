/** The shape of a program's steps, which is also its JSON Schema (`GET /schemas/flow.json`). */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { headerFault } from "../../connectors/connectors.ts";
import { tooLong } from "../../input/messages.ts";
import { type Condition, ONE_SIDED, OPERATORS } from "../template/condition.ts";
import { parseCondition } from "../template/condition_text.ts";
import type { RecordAction, Step, Templates } from "./program.ts";
import { templateFaults, templateOf } from "../template/template.ts";
import { NAME } from "../template/template_text.ts";

/** What a run has under names of its own. */
export const RESERVED = ["input", "user", "run", "json_object", "steps"] as const;

type Check = { addIssue(issue: { code: "custom"; path?: PropertyKey[]; message: string }): void };

function proveTemplates(value: JsonValue, ctx: Check): void {
  for (const { path, message } of templateFaults(value)) ctx.addIssue({ code: "custom", path, message });
}

/** Any JSON whose strings are templates. That it is JSON is known already. */
const Template = z.custom<JsonValue>().superRefine((value, ctx) => {
  if (value === undefined) ctx.addIssue({ code: "custom", message: "can't be blank" });
  else proveTemplates(value, ctx);
});
const TextTemplate = z.string().min(1).superRefine(proveTemplates);
const Templates = z.record(z.string(), Template);

const isPlaceholder = (text: string) => {
  const read = templateOf(text);
  return "template" in read && read.template.length === 1 && typeof read.template[0] === "object";
};
const OnePlaceholder = z.string().refine(isPlaceholder, "must be one placeholder, such as {item}");

const line = (maximum: number) =>
  z.string().min(1).refine((text) => text.length <= maximum, tooLong(maximum)).meta({ maxLength: maximum });

const HeaderName = z.string().superRefine((name, ctx) => {
  const message = headerFault(name);
  if (message) ctx.addIssue({ code: "custom", message });
});

const StepId = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error: "must be a lower-case letter and at most 39 lower-case letters, digits and _",
});
const Name = z.string().regex(NAME, "must be a letter or _ and at most 63 letters, digits and _")
  .refine((name) => !RESERVED.some((reserved) => reserved === name), `is reserved (${RESERVED.join(", ")})`)
  .refine((name) => !name.startsWith("__"), "must not begin with __");

const MEANT = ["network", "timeout", "4xx", "5xx"] as const;
const RetryOn = z.union([z.enum(MEANT), z.int().min(400).max(599)], {
  error: `must be ${MEANT.join(", ")} or a status from 400 to 599`,
});
const Retry = z.strictObject({
  attempts: z.int().min(1).max(10).default(3).describe("The first one counts"),
  delay: z.number().min(0).max(300).default(1).describe("Seconds before the second attempt"),
  backoff: z.enum(["fixed", "exponential"]).default("exponential"),
  max_delay: z.number().min(0).max(300).default(60).describe("Seconds that no wait is longer than"),
  on: z.array(RetryOn).min(1).max(20).default(["network", "timeout", 429, "5xx"]),
}).meta({ id: "Retry" });

const Steps: z.ZodType<Step[]> = z.lazy(() => z.array(StepShape));

const common = {
  id: StepId.optional().transform((id) => id ?? "").describe("Unique in the program; step_1, step_2, … unless given"),
  name: line(255).optional(),
  timeout: z.number().min(1).max(300).default(30).describe("Seconds, of each attempt"),
  retry: Retry.optional().describe("Without it there is one attempt"),
  on_error: z.enum(["stop", "continue", "catch"]).default("stop").describe("Once every attempt has failed"),
  catch: Steps.optional().transform((steps) => steps ?? []).describe("Steps of on_error catch"),
};

const Comparison = z.strictObject({ left: Template, operator: z.enum(OPERATORS), right: Template.optional() })
  .superRefine(({ operator, right }, ctx) => {
    const one_sided = ONE_SIDED.some((known) => known === operator);
    if (one_sided === (right === undefined)) return;
    const message = one_sided ? `is not used by ${operator}` : "can't be blank";
    ctx.addIssue({ code: "custom", path: ["right"], message });
  });

const ShortCondition = z.string().min(1).transform((text, ctx): Condition => {
  const read = parseCondition(text);
  if ("fault" in read) ctx.addIssue({ code: "custom", message: read.fault });
  else proveQuoted(read.condition, ctx);
  return "condition" in read ? read.condition : z.NEVER;
}).meta({ examples: ["{json_object.price} > 100"] });

/** Texts in quotes are templates, too. */
function proveQuoted(condition: Condition, ctx: Check): void {
  const parts = "all" in condition ? condition.all : "any" in condition ? condition.any : [];
  if ("not" in condition) proveQuoted(condition.not, ctx);
  for (const part of parts) proveQuoted(part, ctx);
  if (!("left" in condition)) return;
  for (const { message } of templateFaults([condition.left, condition.right ?? null])) {
    ctx.addIssue({ code: "custom", message });
  }
}

const ConditionShape: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    Comparison,
    z.strictObject({ all: z.array(ConditionShape).min(1) }),
    z.strictObject({ any: z.array(ConditionShape).min(1) }),
    z.strictObject({ not: ConditionShape }),
    ShortCondition,
  ])
).meta({ id: "Condition" });

/** Which keys stand with which action. `one` of two: exactly one of them. */
const RECORD_KEYS: Record<RecordAction, { needs: string[]; one: string[]; takes: string[] }> = {
  create: { needs: ["data"], one: [], takes: [] },
  update: { needs: ["data"], one: ["record_id", "match"], takes: [] },
  upsert: { needs: ["match", "data"], one: [], takes: [] },
  delete: { needs: [], one: ["record_id", "match"], takes: [] },
  get: { needs: [], one: ["record_id", "match"], takes: [] },
  list: { needs: [], one: [], takes: ["filter", "sort", "limit"] },
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const RecordShape = z.strictObject({
  type: z.literal("record"),
  ...common,
  action: z.enum(["create", "update", "upsert", "delete", "get", "list"]),
  db_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a database"),
  table_name: line(63).optional().describe("Of a database with several tables"),
  record_id: TextTemplate.refine((text) => /[{}]/.test(text) || UUID.test(text), "is not the id of a record")
    .optional(),
  match: Templates.refine((fields) => Object.keys(fields).length > 0, "can't be blank").optional()
    .describe("Fields by which the record is found"),
  data: z.union([Templates, OnePlaceholder]).optional(),
  filter: Templates.optional().describe("By field a value, or an object of operators, as lists of records take it"),
  sort: TextTemplate.optional().describe("A field, with - before it descending"),
  limit: z.int().min(1).max(500).optional().describe("100 unless told"),
}).superRefine((step, ctx) => {
  const { needs, one, takes } = RECORD_KEYS[step.action];
  const there = Object.entries(step).flatMap(([key, value]) => value === undefined ? [] : [key]);
  const refuse = (key: string, message: string) => ctx.addIssue({ code: "custom", path: [key], message });
  for (const key of needs) if (!there.includes(key)) refuse(key, "can't be blank");
  for (const key of ["record_id", "match", "data", "filter", "sort", "limit"]) {
    if (there.includes(key) && ![...needs, ...one, ...takes].includes(key)) {
      refuse(key, `is not used by ${step.action}`);
    }
  }
  const [first = "", second = ""] = one;
  if (first && !one.some((key) => there.includes(key))) refuse(first, `can't be blank, unless ${second} is given`);
  if (first && one.every((key) => there.includes(key))) refuse(second, `cannot stand beside ${first}`);
}).transform(({ limit = 100, ...step }) => ({ ...step, limit }));

const StepShape = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("mutation"), ...common, set: z.record(Name, Template) }),
  z.strictObject({
    type: z.literal("connector"),
    ...common,
    connector_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a connector"),
    method: line(100).refine((name) => !/[{}]/.test(name), "is not the name of a method"),
    params: Templates.default({}),
    query: Templates.optional(),
    headers: z.record(HeaderName, TextTemplate).optional(),
    body: Template.optional(),
  }),
  z.strictObject({
    type: z.literal("if"),
    ...common,
    condition: ConditionShape,
    then: Steps,
    else: Steps.optional().transform((steps) => steps ?? []),
  }),
  RecordShape,
  z.strictObject({
    type: z.literal("for_each"),
    ...common,
    items: z.union([z.array(Template), OnePlaceholder]),
    as: Name.refine((name) => name !== "index", "is the name of the place in the list").default("item"),
    steps: Steps,
  }),
  z.strictObject({ type: z.literal("return"), ...common, data: Template.optional().transform((data) => data ?? null) }),
]).meta({ id: "Step" });

export const StepList: z.ZodType<Step[]> = z.array(StepShape);

type Issue = z.core.$ZodIssue;

/**
 * An issue of a union as those of the choice that was meant: the one with the fewest keys that it does not know.
 */
export function flat(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0 || issue.message !== "Invalid input") return [issue];
  const strangeness = (issues: Issue[]) =>
    issues.reduce((sum, { code, path, ...more }) => {
      if (path.length > 0) return sum;
      return sum + (code === "invalid_type" ? 1_000 : "keys" in more ? more.keys.length : 0);
    }, 0);
  const [meant = []] = issue.errors.toSorted((a, b) => strangeness(a) - strangeness(b));
  return meant.flatMap((inner) => flat({ ...inner, path: [...issue.path, ...inner.path] }));
}
