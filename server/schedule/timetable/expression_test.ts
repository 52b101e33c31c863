/**
 * The next times of expressions. In zones without clock changes the expected times are computed by a walk minute by
 * minute; around clock changes they are written by hand.
 */
import assert from "node:assert/strict";
import { readExpression } from "./expression.ts";

const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString().slice(0, 16));
const instant = (text: string) => new Date(`${text}Z`);

const NAMES = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAYS = "SUN MON TUE WED THU FRI SAT".split(" ");

/** Whether a field contains a value, computed without the tested code. */
function fits(field: string, value: number, lowest: number, names: readonly string[] = []): boolean {
  const numbered = names.reduce((text, name, index) => text.replaceAll(name, `${index + lowest}`), field.toUpperCase());
  return numbered.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    const [low, high = low] = range.split("-").map(Number);
    if (range === "*") return (value - lowest) % Number(step) === 0;
    return value >= Number(low) && value <= Number(high) && (value - Number(low)) % Number(step) === 0;
  });
}

function fitsDay(fields: readonly string[], shown: Date): boolean {
  const [, , day = "", month = "", weekday = ""] = fields;
  if (!fits(month, shown.getUTCMonth() + 1, 1, NAMES)) return false;
  // Sunday is tried as 0 and as 7, so that "SAT-SUN" fits.
  const named = weekday.toUpperCase().replace(/-SUN\b/, "-7");
  const today = shown.getUTCDay();
  const by_weekday = fits(named, today, 0, DAYS) || today === 0 && !named.startsWith("*") && fits(named, 7, 0, DAYS);
  const by_day = fits(day, shown.getUTCDate(), 1);
  if (day === "*") return by_weekday;
  if (weekday === "*") return by_day;
  return by_day || by_weekday;
}

/** The next times in a zone that is always `offset` minutes ahead of UTC. */
function walked(expression: string, offset: number, from: Date, count: number): Date[] {
  const fields = expression.split(" ");
  const [minute = "", hour = ""] = fields;
  const found: Date[] = [];
  let shown = Math.floor(from.getTime() / 60_000) * 60_000 + 60_000 + offset * 60_000;
  while (found.length < count) {
    const date = new Date(shown);
    if (!fitsDay(fields, date)) {
      shown = Math.floor(shown / 86_400_000) * 86_400_000 + 86_400_000;
      continue;
    }
    if (fits(minute, date.getUTCMinutes(), 0) && fits(hour, date.getUTCHours(), 0)) {
      found.push(new Date(shown - offset * 60_000));
    }
    shown += 60_000;
  }
  return found;
}

const EXPRESSIONS = [
  "* * * * *",
  "*/1 * * * *",
  "0 * * * *",
  "59 * * * *",
  "*/2 * * * *",
  "*/5 * * * *",
  "*/7 * * * *",
  "*/59 * * * *",
  "*/60 * * * *",
  "5-10 * * * *",
  "5-50/15 * * * *",
  "1,2,3-5/2 * * * *",
  "0,30 * * * *",
  "59,0 * * * *",
  "7-7 * * * *",
  "0 0 * * *",
  "00 09 * * *",
  "0 12 * * *",
  "59 23 * * *",
  "0 */2 * * *",
  "0 */5 * * *",
  "0 */24 * * *",
  "15 9-17 * * *",
  "*/20 9-17/4 * * *",
  "0 0,12 * * *",
  "30 4,16,20-22 * * *",
  "0 9 * * 1",
  "0 9 * * MON",
  "0 9 * * mon",
  "0 9 * * MON-FRI",
  "0 9 * * Mon,Wed,Fri",
  "0 9 * * 1-5/2",
  "0 9 * * */2",
  "0 9 * * 0",
  "0 9 * * 7",
  "0 9 * * 0,7",
  "0 9 * * SUN",
  "0 9 * * SAT-SUN",
  "0 9 * * SUN-TUE",
  "0 9 * * 5-7",
  "0 9 * * 6,7",
  "0 9 * * FRI-SUN",
  "0 9 * * 0-6",
  "0 9 * * 2-7/2",
  "0 9 1 * *",
  "0 9 31 * *",
  "0 9 30 * *",
  "0 9 1,15 * *",
  "0 9 10-12 * *",
  "0 9 */10 * *",
  "0 9 */31 * *",
  "0 9 28-31 * *",
  "0 9 2-30/7 * *",
  "0 9 * 1 *",
  "0 9 * JAN *",
  "0 9 * jan,Jul *",
  "0 9 * 6-8 *",
  "0 9 * JUN-AUG *",
  "0 9 * */3 *",
  "0 9 1 */4 *",
  "0 9 31 4-12/2 *",
  "0 0 1 1 *",
  "59 23 31 12 *",
  "0 0 29 2 *",
  "30 12 29 FEB *",
  "0 0 29 2 MON",
  "0 9 1 * MON",
  "0 9 13 * FRI",
  "0 9 13 * 5",
  "0 9 1,15 * 3-5",
  "0 9 */2 * 1",
  "0 9 31 * 0",
  "0 9 31 * 7",
  "30 6 1-7 * SUN",
  "0 0 25 DEC SUN",
  "0 9 1 JAN-MAR TUE-THU",
  "*/30 22-23 15 5,11 SAT",
];

/** Zones without clock changes; `offset` is in minutes ahead of UTC. */
const FIXED = [
  { zone: "UTC", offset: 0, from: "2026-11-21T10:00:30" },
  { zone: "Asia/Kolkata", offset: 330, from: "2026-12-31T23:59:59" },
  { zone: "America/Phoenix", offset: -420, from: "2028-02-28T23:58:00" },
];

Deno.test("the next times, against a walk minute by minute", async (t) => {
  let cases = 0;
  for (const { zone, offset, from } of FIXED) {
    for (const expression of EXPRESSIONS) {
      cases++;
      await t.step(`${expression}, ${zone}, from ${from}`, () => {
        const expected = walked(expression, offset, instant(from), 4);
        assert.deepEqual(iso(readExpression(expression, zone).next(instant(from), 4)), iso(expected));
      });
    }
  }
  assert.ok(cases >= 200, `${cases} cases`);
});

/** Expression, zone, start, next times. All times in UTC. */
const BY_HAND: [expression: string, zone: string, from: string, next: string[]][] = [
  ["0 9 * * MON-FRI", "UTC", "2026-11-21T10:00", ["2026-11-23T09:00", "2026-11-24T09:00"]],
  ["0 9 1 * MON", "UTC", "2026-11-21T10:00", ["2026-11-23T09:00", "2026-11-30T09:00", "2026-12-01T09:00"]],
  ["0 0 13 * FRI", "UTC", "2026-11-06T00:00", ["2026-11-13T00:00", "2026-11-20T00:00"]],
  ["0 0 * * 0", "UTC", "2026-11-21T10:00", ["2026-11-22T00:00", "2026-11-29T00:00"]],
  ["0 0 * * 7", "UTC", "2026-11-21T10:00", ["2026-11-22T00:00", "2026-11-29T00:00"]],
  ["0 0 29 2 *", "UTC", "2026-11-21T10:00", ["2028-02-29T00:00", "2032-02-29T00:00"]],
  ["0 0 29 2 *", "UTC", "2096-03-01T00:00", ["2104-02-29T00:00"]],
  ["59 23 31 12 *", "UTC", "2026-12-31T23:58", ["2026-12-31T23:59", "2027-12-31T23:59"]],
  ["59 23 31 12 *", "UTC", "2026-12-31T23:59", ["2027-12-31T23:59"]],
  ["59 23 31 12 *", "Asia/Tokyo", "2026-12-31T14:58", ["2026-12-31T14:59"]],
  ["0 0 1 1 *", "Pacific/Kiritimati", "2026-12-31T09:59", ["2026-12-31T10:00"]],
  ["* * * * *", "UTC", "2026-12-31T23:59", ["2027-01-01T00:00", "2027-01-01T00:01"]],
  ["0 9 * * *", "Asia/Kolkata", "2026-11-21T00:00", ["2026-11-21T03:30", "2026-11-22T03:30"]],
  ["0 9 * * *", "Asia/Kathmandu", "2026-11-21T00:00", ["2026-11-21T03:15"]],
  // The weekday is that of the zone, not of UTC.
  ["0 1 * * MON", "Asia/Tokyo", "2026-11-21T00:00", ["2026-11-22T16:00"]],
  // Clock set forward: a fixed time in the gap runs at the first time after it; other times in the gap are left out.
  ["30 2 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"]],
  ["0 2 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:00"]],
  ["59 2 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:59"]],
  ["0 3 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T01:00"]],
  ["59 1 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T00:59", "2026-03-29T23:59"]],
  ["0 2 * * SUN", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-04-05T00:00"]],
  ["30 2 29 3 *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-29T01:00", "2027-03-29T00:30"]],
  ["*/30 2 * * *", "Europe/Warsaw", "2026-03-28T12:00", ["2026-03-30T00:00", "2026-03-30T00:30"]],
  ["*/30 * * * *", "Europe/Warsaw", "2026-03-29T00:15", ["2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30"]],
  ["15 1,2,3 * * *", "Europe/Warsaw", "2026-03-28T23:30", ["2026-03-29T00:15", "2026-03-29T01:15", "2026-03-29T23:15"]],
  ["30 2,14 * * *", "Europe/Warsaw", "2026-03-28T20:00", ["2026-03-29T12:30", "2026-03-30T00:30"]],
  // A gap that ends at midnight: the first minute after it belongs to the next day.
  ["30 23 * * *", "America/Nuuk", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"]],
  ["0 23 * * SAT", "America/Nuuk", "2026-03-28T12:00", ["2026-03-29T01:00", "2026-04-05T00:00"]],
  ["59 23 28 3 *", "America/Nuuk", "2026-03-28T12:00", ["2026-03-29T01:00", "2027-03-29T00:59"]],
  ["0 23 * * SUN", "America/Nuuk", "2026-03-28T12:00", ["2026-03-30T00:00"]],
  ["30 22 * * *", "America/Nuuk", "2026-03-28T12:00", ["2026-03-29T00:30", "2026-03-29T23:30"]],
  ["30 2 * * *", "America/New_York", "2026-03-07T12:00", ["2026-03-08T07:00", "2026-03-09T06:30"]],
  ["0 0 * * *", "America/New_York", "2026-03-07T12:00", ["2026-03-08T05:00", "2026-03-09T04:00"]],
  ["0 0 * * *", "Asia/Beirut", "2026-03-28T10:00", ["2026-03-28T22:00", "2026-03-29T21:00"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00", ["2026-10-03T15:30", "2026-10-04T15:15"]],
  // Clock set back: a fixed time runs once, the first time; other times run twice.
  ["30 2 * * *", "Europe/Warsaw", "2026-10-24T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  ["0 2 * * *", "Europe/Warsaw", "2026-10-24T12:00", ["2026-10-25T00:00", "2026-10-26T01:00"]],
  ["30 2 * * *", "Europe/Warsaw", "2026-10-25T00:30", ["2026-10-26T01:30"]],
  ["30 2 * * *", "Europe/Warsaw", "2026-10-25T01:15", ["2026-10-26T01:30"]],
  ["0 3 * * *", "Europe/Warsaw", "2026-10-24T12:00", ["2026-10-25T02:00", "2026-10-26T02:00"]],
  ["*/30 2 * * *", "Europe/Warsaw", "2026-10-24T12:00", [
    "2026-10-25T00:00",
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-26T01:00",
  ]],
  ["0 * * * *", "Europe/Warsaw", "2026-10-24T23:30", ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"]],
  ["15 1,2,3 * * *", "Europe/Warsaw", "2026-10-24T22:30", [
    "2026-10-24T23:15",
    "2026-10-25T00:15",
    "2026-10-25T01:15",
    "2026-10-25T02:15",
  ]],
  ["30 2,14 * * *", "Europe/Warsaw", "2026-10-24T20:00", ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T13:30"]],
  ["30 1 * * *", "America/New_York", "2026-10-31T12:00", ["2026-11-01T05:30", "2026-11-02T06:30"]],
  ["30 1-2 * * *", "America/New_York", "2026-10-31T12:00", [
    "2026-11-01T05:30",
    "2026-11-01T06:30",
    "2026-11-01T07:30",
  ]],
  ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00", ["2026-04-04T14:45", "2026-04-05T15:15"]],
  ["*/15 1 * * *", "Australia/Lord_Howe", "2026-04-04T13:50", [
    "2026-04-04T14:00",
    "2026-04-04T14:15",
    "2026-04-04T14:30",
    "2026-04-04T14:45",
    "2026-04-04T15:00",
    "2026-04-04T15:15",
  ]],
  ["30 23 * * *", "America/Santiago", "2026-04-04T12:00", ["2026-04-05T02:30", "2026-04-06T03:30"]],
];

Deno.test("the next times, by hand: days, ends of years, hours that a clock skips and repeats", async (t) => {
  for (const [expression, zone, from, next] of BY_HAND) {
    await t.step(`${expression}, ${zone}, from ${from}`, () => {
      assert.deepEqual(iso(readExpression(expression, zone).next(instant(from), next.length)), next);
    });
  }
});

Deno.test("a range or a list of one value is this value; a step is not: when clocks change, all readings agree", async (t) => {
  const warsaw: [from: string, until: string, of_a_value: string[], of_a_step: string[]][] = [
    ["2027-03-27T12:00", "2027-03-28T12:00", ["2027-03-28T01:00"], []],
    ["2027-10-30T12:00", "2027-10-31T12:00", ["2027-10-31T00:02"], ["2027-10-31T00:02", "2027-10-31T01:02"]],
  ];
  const values = ["2 2 * * *", "2-2 2 * * *", "2 2-2 * * *", "2,2 2 * * *", "2-2,2 02,2 * * *", "2-2/5 2 * * *"];
  const steps = ["2-8/20 2 * * *", "2 2-8/20 * * *", "2-8/20,2 2 * * *"];
  for (const [from, until, of_a_value, of_a_step] of warsaw) {
    const [start, end] = [instant(from), instant(until)];
    for (const expression of [...values, ...steps]) {
      await t.step(`${expression}, from ${from}`, () => {
        const expected = values.includes(expression) ? of_a_value : of_a_step;
        const table = readExpression(expression, "Europe/Warsaw");
        assert.deepEqual(iso(table.next(start, 3).filter((time) => time <= end)), expected);
        assert.deepEqual(iso(table.last(end, 3).filter((time) => time >= start)), expected);
        assert.deepEqual(iso(table.between(start, end).map((time) => new Date(time))), expected);
        assert.equal(table.count(start, end), expected.length);
      });
    }
  }
});

Deno.test("`*` and `*/1` restrict no day; with any other value in both fields either is enough", () => {
  const next = (expression: string) => iso(readExpression(expression, "UTC").next(instant("2026-11-21T10:00"), 2));
  const mondays = ["2026-11-23T00:00", "2026-11-30T00:00"];
  assert.deepEqual(next("0 0 * * 1"), mondays);
  assert.deepEqual(next("0 0 */1 * 1"), mondays);
  assert.deepEqual(next("0 0 *,5 * 1"), mondays);
  assert.deepEqual(next("0 0 1-31 * 1"), ["2026-11-22T00:00", "2026-11-23T00:00"]);
});

Deno.test("spaces and tabs separate and surround fields", () => {
  const next = (expression: string) => iso(readExpression(expression, "UTC").next(instant("2026-11-21T10:00"), 1));
  assert.deepEqual(next(" \t5  10\t*  * *  "), ["2026-11-21T10:05"]);
});
