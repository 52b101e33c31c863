/** `approval`: the run waits for a person's answer to a question. */
import { z } from "zod";
import { ROLES } from "../../../input/roles.ts";
import { Id } from "../../../input/shapes.ts";
import { isoOf } from "../../../database/iso_time.ts";
import { Name, TextTemplate } from "../../template/template_shape.ts";
import { askPeople, expireApproval, findAnswer } from "../../waiting/approval_store.ts";
import { derivedId } from "../derived_id.ts";
import { StepFault } from "../fault.ts";
import { renderKeys } from "../rendered_keys.ts";
import { commonKeys, line, optionalSteps, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";
import { MOST_DAYS } from "./wait.ts";

const DAY_S = 24 * 60 * 60;
const MOST_QUESTION = 4_000;

const Ids = z.array(Id).max(100).default([]);

const Field = z.strictObject({
  type: z.enum(["text", "number", "boolean"]).default("text"),
  label: line(200).optional().describe("Shown instead of the name"),
  required: z.boolean().default(false),
});

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("approval"),
    ...commonKeys(steps),
    question: TextTemplate.describe("What people read before they answer; 4,000 characters are kept"),
    choices: z.array(line(100)).min(1).max(10).refine((all) => new Set(all).size === all.length, "must be different")
      .default(["approve", "reject"]).describe("The answers, one of which is chosen"),
    form: z.record(Name, Field).refine((fields) => Object.keys(fields).length <= 20, "has more than 20 fields")
      .meta({ maxProperties: 20 })
      .default({}).describe("Fields that are filled in with the answer"),
    roles: z.array(z.enum(ROLES)).default([]).describe("Users of these roles who see the flow's department may answer"),
    users: Ids.describe("Ids of users who may answer"),
    departments: Ids.describe("Ids of departments whose members may answer"),
    link: z.boolean().default(false).describe(
      "Whether everyone with the link `{approval.url}` may answer, without a login",
    ),
    ask: optionalSteps(steps).describe(
      "Steps that tell people of the question, executed before the run waits. They see `{approval.id}` and " +
        "`{approval.url}`, which is null without `link`",
    ),
    within: z.number().min(1).max(MOST_DAYS * DAY_S).default(7 * DAY_S).describe(
      "Seconds for an answer; a week by default, at most 30 days",
    ),
    on_timeout: optionalSteps(steps).describe(
      "Executed if nobody has answered in time. Without them, the step then fails",
    ),
  }).superRefine(({ roles, users, departments, link }, ctx) => {
    if (link || roles.length + users.length + departments.length > 0) return;
    ctx.addIssue({ code: "custom", path: ["roles"], message: "can't be blank: nobody may answer" });
  }).meta({ anyOf: ["roles", "users", "departments", "link"].map((name) => ({ required: [name] })) });

type ApprovalStep = z.output<ReturnType<typeof shape>>;

export const approval = {
  type: "approval",
  about: {
    title: "Ask a person",
    summary: "waits for a person to answer a question",
    icon: "user",
    group: "waits",
    line: "Ask {question}",
    blank: { question: "Go ahead?", roles: ["manager", "admin"] },
  },
  shape,
  templates: ["question"],
  plain: ({ choices, form }) => ({ choices, form: Object.values(form).map(({ label = "" }) => label) }),
  branches: ({ ask, on_timeout }) => [[["ask"], ask], [["on_timeout"], on_timeout]],
  names: () => ["approval"],
  audience: ({ roles, users, departments, link }) => ({ roles, user_ids: users, department_ids: departments, link }),
  pause: {
    shows_input: true,
    input: (step, rendering) => renderKeys(step, ["question"], rendering),
    async begin(step, { question }, { services: { sql }, head, place, now }) {
      const { choices, form, roles, users, departments, link, within } = step;
      const id = derivedId(head, place);
      const text = typeof question === "string" ? question : JSON.stringify(question);
      const until = isoOf(now + within * 1_000);
      await askPeople(sql, head, {
        id,
        place,
        question: text.slice(0, MOST_QUESTION).toWellFormed(),
        choices,
        form,
        roles,
        user_ids: users,
        department_ids: departments,
        link,
        expires_at: until,
      });
      return { until, awaits: id };
    },
    async leave({ awaits }, { services: { sql }, head }) {
      if (awaits !== null) await expireApproval(sql, head.account_id, awaits);
    },
    ask({ ask, link }, { awaits }, { approvalLink }) {
      const open = link && awaits !== null ? approvalLink(awaits) : undefined;
      return {
        steps: ask,
        names: { approval: { id: awaits, url: open?.url ?? null } },
        // Who sees the run could answer with it.
        hidden: open?.signature ?? null,
      };
    },
    async end({ on_timeout }, { until, awaits }, { services: { sql }, head, now }) {
      const is_late = now >= Date.parse(until);
      // The database's clock may be behind: it would accept an answer while `on_timeout` runs.
      if (is_late && awaits !== null) await expireApproval(sql, head.account_id, awaits);
      const answer = awaits === null ? undefined : await findAnswer(sql, head.account_id, awaits);
      if (answer) return { output: { ...answer, timed_out: false }, http_status: null };
      if (!is_late) return undefined;
      if (on_timeout.length === 0) throw new StepFault("nobody has answered in time");
      const nothing = { choice: null, values: {}, answered_by: null, answered_at: null, timed_out: true };
      return { output: nothing, http_status: null };
    },
    follow: ({ on_timeout }, output) => Reflect.get(Object(output), "timed_out") === true ? on_timeout : [],
  },
} satisfies StepType<ApprovalStep>;
