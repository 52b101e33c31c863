import assert from "node:assert/strict";
import { readExpression } from "./expression.ts";

const SENTENCES: [expression: string, sentence: string][] = [
  ["* * * * *", "Every minute"],
  ["*/1 * * * *", "Every minute"],
  ["0-59 * * * *", "Every minute"],
  ["*,5 * * * *", "Every minute"],
  ["*/5 * * * *", "Every 5 minutes"],
  ["*/59 * * * *", "At 0 and 59 minutes past the hour"],
  ["0 9 * * *", "At 09:00"],
  ["0 */24 * * *", "At 00:00"],
  ["0 9 * * MON-FRI", "At 09:00, Monday through Friday"],
  ["0 0 * * 7", "At 00:00, only on Sunday"],
  ["0 0 * * 0,7", "At 00:00, only on Sunday"],
  ["0 0 * * SAT-SUN", "At 00:00, Saturday through Sunday"],
  ["0 0 * * */2", "At 00:00, only on Sunday, Tuesday, Thursday, and Saturday"],
  ["0 0 * * 0-7", "At 00:00"],
  ["0 9 1 * MON", "At 09:00, on day 1 of the month, or on Monday"],
  ["0 9 1,15 JAN 3-5", "At 09:00, on day 1 and 15 of the month, or Wednesday through Friday, only in January"],
  ["0 9 1-31 * MON", "At 09:00"],
  ["0 0 29 2 *", "At 00:00, on day 29 of the month, only in February"],
  ["0 0 1 */5 *", "At 00:00, on day 1 of the month, only in January, June, and November"],
];

Deno.test("in words", () => {
  for (const [expression, sentence] of SENTENCES) {
    assert.equal(readExpression(expression, "UTC").sentence, sentence, expression);
  }
});
