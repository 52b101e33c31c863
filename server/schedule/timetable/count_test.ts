/** Counts and the latest times against a walk by `next`. */
import assert from "node:assert/strict";
import { readExpression } from "./expression.ts";

const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString().slice(0, 16));
const instant = (text: string) => new Date(`${text}Z`);

Deno.test("the last times and the next ones are the same, and are as many as are counted", () => {
  const zones = ["UTC", "Europe/Warsaw", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Asia/Kolkata"];
  const expressions = [
    "*/30 * * * *",
    "30 2 * * *",
    "0 0 * * *",
    "15 1,2,3 * * *",
    "*/15 1-2 * * SUN",
    "0 */24 1 * MON",
    "*/20 6-7 * 4,10 *",
  ];
  const ranges = [["2026-03-25T00:07", "2026-04-08T00:00"], ["2026-09-30T00:07", "2026-11-03T00:00"]] as const;
  for (const [zone, expression, range] of combined(zones, expressions, ranges)) {
    const { next, last, count, between } = readExpression(expression, zone);
    const [from, until] = [instant(range[0]), instant(range[1])];
    const all: Date[] = [];
    for (let [time] = next(from, 1); time && time <= until; [time] = next(time, 1)) all.push(time);
    const label = `${expression}, ${zone}`;
    assert.ok(all.length > 2, label);
    assert.equal(count(from, until), all.length, label);
    assert.deepEqual(between(from, until), all.map((time) => time.getTime()), label);
    const latest = last(until, 150).filter((time) => time > from);
    assert.deepEqual(iso(latest), iso(all.slice(-150)), label);
    const [first = from, , third = from] = all;
    assert.equal(count(first, third), 3, "both ends are counted");
    assert.deepEqual(iso(last(third, 3)), iso(all.slice(0, 3)), "what is asked for is among them");
  }
});

const combined = <A, B, C>(first: readonly A[], second: readonly B[], third: readonly C[]) =>
  first.flatMap((a) => second.flatMap((b) => third.map((c) => [a, b, c] as const)));
