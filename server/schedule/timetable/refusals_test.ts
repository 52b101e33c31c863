/** Expressions and time zones that are refused. */
import assert from "node:assert/strict";
import { readExpression } from "./expression.ts";
import { TimetableFault } from "./timetable.ts";

const REFUSED: [expression: string, says: RegExp][] = [
  ["", /five fields/],
  [" ", /five fields/],
  ["*", /five fields/],
  ["* * * *", /five fields/],
  ["0 * * * * *", /five fields/],
  ["0 0 * * * * 2027", /five fields/],
  ["@daily", /five fields/],
  ["@reboot", /five fields/],
  ["2027-01-01T00:00:00", /five fields/],
  ["60 * * * *", /minute that is not 0 to 59: 60/],
  ["99 * * * *", /minute that is not 0 to 59/],
  ["100 * * * *", /minute that cannot be read: 100/],
  ["-1 * * * *", /minute that cannot be read/],
  ["1.5 * * * *", /minute that cannot be read/],
  ["+1 * * * *", /minute that cannot be read/],
  ["1e1 * * * *", /minute that cannot be read/],
  ["x * * * *", /minute that cannot be read/],
  ["JAN * * * *", /minute that cannot be read: JAN/],
  ["? * * * *", /minute that cannot be read/],
  ["** * * * *", /minute that cannot be read/],
  ["*-5 * * * *", /minute that cannot be read/],
  ["5-* * * * *", /minute that cannot be read/],
  ["5- * * * *", /minute that cannot be read/],
  ["1-2-3 * * * *", /minute that cannot be read/],
  ["1,,2 * * * *", /minute that cannot be read/],
  [",1 * * * *", /minute that cannot be read/],
  ["1, * * * *", /minute that cannot be read/],
  ["/5 * * * *", /minute that cannot be read/],
  ["*/ * * * *", /minute that cannot be read/],
  ["*/5/5 * * * *", /minute that cannot be read/],
  ["*/x * * * *", /minute that cannot be read/],
  ["*/-5 * * * *", /minute that cannot be read/],
  ["*/0 * * * *", /step that is not 1 to 60: \*\/0/],
  ["*/61 * * * *", /step that is not 1 to 60/],
  ["5/15 * * * *", /step that needs \* or a range: 5\/15/],
  ["10-5 * * * *", /minute that runs backwards: 10-5/],
  ["0 24 * * *", /hour that is not 0 to 23: 24/],
  ["0 22-2 * * *", /hour that runs backwards/],
  ["0 */25 * * *", /step that is not 1 to 24/],
  ["0 0 0 * *", /day of the month that is not 1 to 31: 0/],
  ["0 0 32 * *", /day of the month that is not 1 to 31/],
  ["0 0 L * *", /day of the month that cannot be read: L/],
  ["0 0 LW * *", /day of the month that cannot be read/],
  ["0 0 15W * *", /day of the month that cannot be read/],
  ["0 0 ? * *", /day of the month that cannot be read/],
  ["0 0 MON * *", /day of the month that cannot be read/],
  ["0 0 * 0 *", /month that is not 1 to 12: 0/],
  ["0 0 * 13 *", /month that is not 1 to 12/],
  ["0 0 * JANUARY *", /month that cannot be read/],
  ["0 0 * MON *", /month that cannot be read: MON/],
  ["0 0 * DEC-JAN *", /month that runs backwards/],
  ["0 0 * * 8", /day of the week that is not 0 to 7: 8/],
  ["0 0 * * MONDAY", /day of the week that cannot be read/],
  ["0 0 * * FOO", /day of the week that cannot be read: FOO/],
  ["0 0 * * FRI-MON", /day of the week that runs backwards/],
  ["0 0 * * 7-2", /day of the week that runs backwards/],
  ["0 0 * * 5#2", /day of the week that cannot be read/],
  ["0 0 * * MON#1", /day of the week that cannot be read/],
  ["0 0 * * 5L", /day of the week that cannot be read/],
  ["0 0 * * +1", /day of the week that cannot be read/],
  ["0 0 * * ?", /day of the week that cannot be read/],
  ["0 0 * * */8", /step that is not 1 to 7/],
  ["0 0 30 2 *", /names a day that never comes/],
  ["0 0 31 4,6,9,11 *", /names a day that never comes/],
  ["٣ * * * *", /minute that cannot be read/],
];

Deno.test("refused expressions and the reasons", async (t) => {
  for (const [expression, says] of REFUSED) {
    await t.step(JSON.stringify(expression), () => {
      assert.throws(
        () => readExpression(expression, "UTC"),
        (error) => error instanceof TimetableFault && error.field === "schedule" && says.test(error.message),
      );
    });
  }
});

Deno.test("zones: names of IANA, old ones too; no offsets, nothing else", () => {
  for (
    const zone of ["UTC", "Europe/Warsaw", "Europe/Kyiv", "Asia/Calcutta", "America/Argentina/Ushuaia", "Etc/GMT+2"]
  ) {
    assert.equal(readExpression("* * * * *", zone).next(new Date(0), 1).length, 1, zone);
  }
  for (
    const zone of ["", " ", "+02:00", "-0500", "Europe", "Europe/Nowhere", "GMT+2", "a;b", "../etc", "x".repeat(200)]
  ) {
    assert.throws(
      () => readExpression("* * * * *", zone),
      (error) => error instanceof TimetableFault && error.field === "timezone",
      zone,
    );
  }
});
