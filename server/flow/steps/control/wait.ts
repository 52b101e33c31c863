/** `wait`: the run waits for a time, or until a moment. */
import { z } from "zod";
import type { JsonValue } from "../../../input/json_value.ts";
import { FORMATS } from "../../declared/formats.ts";
import { isoOf } from "../../../database/iso_time.ts";
import { OnePlaceholder, TextTemplate } from "../../template/template_shape.ts";
import { StepFault } from "../fault.ts";
import { renderKeys } from "../rendered_keys.ts";
import { commonKeys, type StepListShape } from "../step.ts";
import type { StepType } from "../step_type.ts";

const DAY_S = 24 * 60 * 60;
export const MOST_DAYS = 30;
const MOST_S = MOST_DAYS * DAY_S;

/** A date, or a date and a time with `Z` or an offset. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("wait"),
    ...commonKeys(steps),
    seconds: z.union([z.number().min(0).max(MOST_S), OnePlaceholder]).optional()
      .describe("How long the run waits; at most 30 days"),
    until: TextTemplate.optional().describe(
      "The moment until which the run waits: a date and time in ISO 8601 with `Z` or an offset, or a date, which is " +
        "its first moment in UTC; at most 30 days ahead. The run goes on at once if it has passed",
    ),
  }).superRefine(({ seconds, until }, ctx) => {
    if (seconds === undefined && until === undefined) {
      ctx.addIssue({ code: "custom", path: ["seconds"], message: "can't be blank, unless until is given" });
    } else if (seconds !== undefined && until !== undefined) {
      ctx.addIssue({ code: "custom", path: ["until"], message: "cannot stand beside seconds" });
    }
  }).meta({ oneOf: [{ required: ["seconds"] }, { required: ["until"] }] });

type WaitStep = z.output<ReturnType<typeof shape>>;

const TEMPLATES = ["seconds", "until"];

export const wait = {
  type: "wait",
  about: {
    title: "Wait",
    summary: "waits for a time, or until a moment",
    icon: "clock",
    group: "waits",
    line: "Wait[ {seconds} seconds][ until {until}]",
    blank: { seconds: 60 },
  },
  shape,
  templates: TEMPLATES,
  pause: {
    input: (step, rendering) => renderKeys(step, TEMPLATES, rendering),
    computes: true,
    begin: (_step, { seconds, until }, { now }) =>
      Promise.resolve({
        until: isoOf(until === undefined ? now + secondsOf(seconds) * 1_000 : momentOf(until, now)),
        awaits: null,
      }),
    end: (_step, { until }, { now }) =>
      Promise.resolve(now < Date.parse(until) ? undefined : { output: { until }, http_status: null }),
  },
} satisfies StepType<WaitStep>;

function secondsOf(value: JsonValue | undefined): number {
  const seconds = typeof value === "string" && value.trim() ? Number(value) : value;
  if (typeof seconds !== "number" || !(seconds >= 0)) throw new StepFault("seconds is no number from 0 on");
  if (seconds > MOST_S) throw new StepFault(`seconds is more than ${MOST_DAYS} days`);
  return seconds;
}

function momentOf(value: JsonValue, now: number): number {
  // `Date` reads 30 February as 1 March.
  const is_moment = typeof value === "string" && MOMENT.test(value) && FORMATS.date(value.slice(0, 10));
  const moment = is_moment ? Date.parse(value.replace(" ", "T")) : NaN;
  if (Number.isNaN(moment)) {
    throw new StepFault("until is no moment such as 2026-01-31T09:00:00Z, 2026-01-31T09:00:00+01:00 or 2026-01-31");
  }
  if (moment - now > MOST_S * 1_000) throw new StepFault(`until is more than ${MOST_DAYS} days ahead`);
  return moment;
}
