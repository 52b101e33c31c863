import { deepEqual, equal } from "node:assert/strict";
import { planOf, written } from "./schedule.ts";

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
