import assert from "node:assert/strict";
import { latestPeriods } from "./calendar.ts";

const iso = (moments: number[]) => moments.map((moment) => new Date(moment).toISOString().slice(0, 16));

Deno.test("calendar: days and months of a zone, across a change of the clocks", () => {
  const now = new Date("2026-03-30T10:20:00Z");
  assert.deepEqual(iso(latestPeriods("day", "Europe/Warsaw", now, 3)), [
    "2026-03-27T23:00",
    "2026-03-28T23:00",
    "2026-03-29T22:00",
    "2026-03-30T22:00",
  ], "the 29th has 23 hours");
  assert.deepEqual(iso(latestPeriods("month", "Europe/Warsaw", now, 2)), [
    "2026-01-31T23:00",
    "2026-02-28T23:00",
    "2026-03-31T22:00",
  ]);
  assert.deepEqual(iso(latestPeriods("hour", "Asia/Kolkata", now, 2)), [
    "2026-03-30T08:30",
    "2026-03-30T09:30",
    "2026-03-30T10:30",
  ]);
  assert.deepEqual(iso(latestPeriods("day", "UTC", now, 1)), ["2026-03-30T00:00", "2026-03-31T00:00"]);
});
