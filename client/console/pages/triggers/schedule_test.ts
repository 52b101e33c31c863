import { deepEqual, equal } from "node:assert/strict";
import { planOf, timeOfText, written } from "./schedule.ts";

Deno.test("schedules: what a form shows is written as it was", () => {
  for (
    const schedule of [
      "* * * * *",
      "*/15 * * * *",
      "5 * * * *",
      "0 9 * * *",
      "30 7 * * MON-FRI",
      "0 18 * * MON,WED,SAT,SUN",
      "0 6 1 * *",
    ]
  ) {
    const plan = planOf(schedule);
    equal(plan && written(plan), schedule);
  }
  deepEqual(planOf("0 9 * * 1-5"), { every: "week", time: "09:00", days: [1, 2, 3, 4, 5] });
  deepEqual(planOf("0 9 * * 0,SAT"), { every: "week", time: "09:00", days: [6, 7] });
});

Deno.test("schedules: others are left to the text", () => {
  for (
    const schedule of ["*/7 * * * *", "0 9,12 * * *", "0 9 1 * MON", "0 9 * JAN *", "0 9 * *", "0 9 * * FRI-MON", "x"]
  ) {
    equal(planOf(schedule), undefined, schedule);
  }
});

Deno.test("schedules: a time of day is read as people type it", () => {
  const rows: [text: string, time: string | undefined][] = [
    ["09:30", "09:30"],
    ["9:30", "09:30"],
    ["0930", "09:30"],
    ["930", "09:30"],
    ["9", "09:00"],
    ["18", "18:00"],
    [" 18.05 ", "18:05"],
    ["6 pm", "18:00"],
    ["6:30 P.M.", "18:30"],
    ["12:10 am", "00:10"],
    ["12 pm", "12:00"],
    ["24:00", undefined],
    ["13 pm", undefined],
    ["0 am", undefined],
    ["9:60", undefined],
    ["noon", undefined],
    ["", undefined],
  ];
  for (const [text, time] of rows) equal(timeOfText(text), time, text);
});
