/**
 * Expressions against tables. Where clocks do not change, what must come is derived by walking minute after minute
 * (day after day where a day does not fit); where they do, it is written by hand.
 */
import assert from "node:assert/strict";
import { readExpression } from "./expression.ts";
import { TimetableFault } from "./timetable.ts";

const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString().slice(0, 16));
const instant = (text: string) => new Date(`${text}Z`);

const NAMES = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAYS = "SUN MON TUE WED THU FRI SAT".split(" ");

/** Whether a field holds a value, item by item, as a person would say it. */
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
  // Sunday is tried as 0 and as 7, which is how "SAT-SUN" can be told.
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

/** Zones whose clocks do not change, with the minutes that they are ahead. */
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

/** Expression, zone, from, what comes next. All in UTC. */
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
  // A weekday is the zone's, not UTC's.
  ["0 1 * * MON", "Asia/Tokyo", "2026-11-21T00:00", ["2026-11-22T16:00"]],
  // Forward: a single time that is left out comes at the first one after the gap; others are left out.
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
  ["30 2 * * *", "America/New_York", "2026-03-07T12:00", ["2026-03-08T07:00", "2026-03-09T06:30"]],
  ["0 0 * * *", "America/New_York", "2026-03-07T12:00", ["2026-03-08T05:00", "2026-03-09T04:00"]],
  ["0 0 * * *", "Asia/Beirut", "2026-03-28T10:00", ["2026-03-28T22:00", "2026-03-29T21:00"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00", ["2026-10-03T15:30", "2026-10-04T15:15"]],
  // Back: a single time comes once, the first time; others come both times.
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

Deno.test("`*` and `*/1` restrict no day; any other writing does, and either is enough", () => {
  const next = (expression: string) => iso(readExpression(expression, "UTC").next(instant("2026-11-21T10:00"), 2));
  const mondays = ["2026-11-23T00:00", "2026-11-30T00:00"];
  assert.deepEqual(next("0 0 * * 1"), mondays);
  assert.deepEqual(next("0 0 */1 * 1"), mondays);
  assert.deepEqual(next("0 0 *,5 * 1"), mondays);
  assert.deepEqual(next("0 0 1-31 * 1"), ["2026-11-22T00:00", "2026-11-23T00:00"]);
});

Deno.test("spaces and tabs separate fields, and stand around them", () => {
  const next = (expression: string) => iso(readExpression(expression, "UTC").next(instant("2026-11-21T10:00"), 1));
  assert.deepEqual(next(" \t5  10\t*  * *  "), ["2026-11-21T10:05"]);
});

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

Deno.test("what is refused, and why", async (t) => {
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

Deno.test("the last times and the next ones are the same, and are as many as are counted", () => {
  const zones = ["UTC", "Europe/Warsaw", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Asia/Kolkata"];
  const expressions = [
    "*/30 * * * *",
    "30 2 * * *",
    "0 0 * * *",
    "15 1,2,3 * * *",
    "*/15 1-2 * * SUN",
    "0 */24 1 * MON",
  ];
  const ranges = [["2026-03-25T00:07", "2026-04-08T00:00"], ["2026-09-30T00:07", "2026-11-03T00:00"]] as const;
  for (const [zone, expression, range] of combined(zones, expressions, ranges)) {
    const { next, last, count } = readExpression(expression, zone);
    const [from, until] = [instant(range[0]), instant(range[1])];
    const all: Date[] = [];
    for (let [time] = next(from, 1); time && time <= until; [time] = next(time, 1)) all.push(time);
    const label = `${expression}, ${zone}`;
    assert.ok(all.length > 2, label);
    assert.equal(count(from, until), all.length, label);
    const latest = last(until, 150).filter((time) => time > from);
    assert.deepEqual(iso(latest), iso(all.slice(-150)), label);
    const [first = from, , third = from] = all;
    assert.equal(count(first, third), 3, "both ends are counted");
    assert.deepEqual(iso(last(third, 3)), iso(all.slice(0, 3)), "what is asked for is among them");
  }
});

const combined = <A, B, C>(first: readonly A[], second: readonly B[], third: readonly C[]) =>
  first.flatMap((a) => second.flatMap((b) => third.map((c) => [a, b, c] as const)));
