/** The answers of people, as the page of a run shows them. */
import { deepEqual } from "node:assert/strict";
import { answersOf, numberOf, worded } from "./answers.ts";
import type { Step } from "./runs.ts";

const step = (id: string, type: string, output: unknown): Step => ({
  place: `each.1.${id}`,
  id,
  type,
  name: null,
  status: output === null ? "waiting" : "finished",
  input: { question: "Pay?" },
  output,
  http_status: null,
  warnings: [],
  error: null,
  attempts: 1,
  started_at: "2026-11-23T09:00:00.000+00:00",
  ms: 5,
});

const at = "2026-11-23T09:05:00.000+00:00";
const ANSWER = { choice: "not_now", values: { days: 14, urgent: true, note: "x" }, answered_at: at, timed_out: false };

Deno.test("numbers of an answer: with a point or a comma; what may be thousands is none", () => {
  const numbers = ["4", "4.5", "4,5", " -0,25 ", "1,234", "1,234,567", "1234,567", "1.234,5", "x"].map(numberOf);
  deepEqual(numbers, [4, 4.5, 4.5, -0.25, undefined, undefined, 1234.567, undefined, undefined]);
});

Deno.test("answers: who chose what, with the labels of the form", () => {
  const form = { days: { type: "number", label: "Days until payment" }, note: {} };
  const program = [{ type: "for_each", steps: [{ type: "approval", id: "boss", form }] }];
  const answered = { ...ANSWER, answered_by: { id: 3, name: "Ada" } };
  deepEqual(answersOf([step("boss", "approval", answered), step("sum", "code", answered)], program), [{
    place: "each.1.boss",
    question: "Pay?",
    choice: "not_now",
    by: { id: 3, name: "Ada" },
    at,
    values: [
      { label: "Days until payment", text: "14" },
      { label: "urgent", text: "yes" },
      { label: "note", text: "x" },
    ],
  }]);
  deepEqual(worded("not_now"), "Not now");
});

Deno.test("answers: by the link, too late, and not yet", () => {
  const late = { choice: null, values: {}, answered_by: null, answered_at: null, timed_out: true };
  const steps = [{ ...ANSWER, answered_by: null }, late, null].map((output) => step("boss", "approval", output));
  deepEqual(answersOf(steps).map(({ choice, by, at }) => [choice, by, at]), [
    ["not_now", undefined, at],
    [undefined, undefined, undefined],
  ]);
});
