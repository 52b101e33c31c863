import assert from "node:assert/strict";
import { readSchema } from "./definition.ts";
import { FIELD_TYPES, type FieldType } from "./table.ts";
import { allSlotsOf, type Data, keptOf, LOWEST, readKept, readValues, slotsOf, slotValue } from "./values.ts";

const astral = "😀".repeat(255);

/** What a type takes, and how it is kept where that is not as it was sent. */
const TAKES: Record<FieldType, [sent: unknown, kept?: unknown][]> = {
  string: [["a"], [" a "], ["null"], ["5"], ["true"], ["2024-02-30"], ["é\u0301\u202e\ufeff\u2028\ufffe"], [astral]],
  text: [["x".repeat(300_000)], [`${astral}${astral}`], ["\n\t\u0001\u001f"], ["' or 1=1; --"], ["%_\\"]],
  integer: [[0], [-0, 0], [1], [-1], [2 ** 53 - 1], [-(2 ** 53) + 1], [1e3], [5.0]],
  number: [
    [0],
    [0.1],
    [-1.5],
    [1e308],
    [5e-324],
    [2 ** 53],
    [2 ** 64],
    [Number.MAX_VALUE],
    ["18446744073709551616", 2 ** 64],
    ["18446744073709552000", 2 ** 64],
    [
      "-11000000000000000000000000",
      -1.1e25,
    ],
    ["11000000000000000352321536", 1.1e25],
    [`15${"0".repeat(299)}`, 1.5e300],
  ],
  boolean: [[true], [false]],
  datetime: [
    ["2026-11-21T08:30:00Z", "2026-11-21T08:30:00.000+00:00"],
    ["2026-11-21T08:30:00.123+00:00"],
    ["2026-11-21T08:30:00.123+00:00", "2026-11-21T08:30:00.123+00:00"],
    ["2026-11-21T08:30:00.123Z", "2026-11-21T08:30:00.123+00:00"],
    ["2026-02-20T23:59:59.000Z", "2026-02-20T23:59:59.000+00:00"],
    ["2026-10-10T00:00:00.999+00:00"],
    ["2026-10-31T08:30:00.123Z", "2026-10-31T08:30:00.123+00:00"],
    ["2026-11-21T08:30:00+02:00", "2026-11-21T06:30:00.000+00:00"],
    ["2026-11-21T08:30:00-0330", "2026-11-21T12:00:00.000+00:00"],
    ["2026-11-21T08:30:00-00:00", "2026-11-21T08:30:00.000+00:00"],
    ["2026-11-21 08:30:00.5z", "2026-11-21T08:30:00.500+00:00"],
    ["2026-11-21t08:30z", "2026-11-21T08:30:00.000+00:00"],
    ["2026-11-21T08:30:00,25Z", "2026-11-21T08:30:00.250+00:00"],
    ["2026-11-21T08:30:00.123999999Z", "2026-11-21T08:30:00.123+00:00"],
    ["2024-12-31T23:30:00-14:00", "2025-01-01T13:30:00.000+00:00"],
    ["2024-02-29T00:00:00+14:00", "2024-02-28T10:00:00.000+00:00"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000+00:00"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999+00:00"],
    // Summer time has no part in it: an offset is a number.
    ["2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00.000+00:00"],
  ],
  date: [["2024-02-29"], ["2000-02-29"], ["2026-12-31"], ["0001-01-01"], ["9999-12-31"]],
  time: [["00:00"], ["08:30"], ["08:30:00"], ["23:59:59"]],
};

/** Values that are refused. */
const REFUSES: Record<FieldType, unknown[]> = {
  string: [5, true, {}, [], ["a"], "a\0b", "\0", "a\ud83d", "\ude00a", "\ude00\ud83d", "x".repeat(256), `${astral}x`],
  text: [5, false, {}, ["a"], "\0", `${"x".repeat(70_000)}\ud800`],
  integer: ["5", "5.0", 1.5, 2 ** 53, -(2 ** 53), 9007199254740993, 1e21, NaN, Infinity, true, [1], {}, "five"],
  number: [
    "1.5",
    "1e3",
    NaN,
    Infinity,
    -Infinity,
    1e400,
    true,
    [],
    "0x10",
    "١",
    "9007199254740993",
    "12345678901234567890",
    "11000000000000000000000001",
  ],
  boolean: ["true", "false", 1, 0, "1", "yes", [], {}],
  datetime: [
    "2026-11-21",
    "2026-11-21T08:30:00",
    "2026-11-21T08:30",
    "08:30",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T25:00:00Z",
    "2026-11-21T08:60:00Z",
    "2016-12-31T23:59:60Z",
    "2026-11-21T08:30:00+24:00",
    "2026-11-21T08:30:00+02",
    "2026-11-21T08:30:00+2:00",
    "2026-11-21T08:30:00 Europe/Warsaw",
    "2026-11-21T08:30:00Z ",
    " 2026-11-21T08:30:00Z",
    "2026-11-21T08:30:00Z\n",
    "2026-11-21T08:30:00.Z",
    "2026-11-21T08:30:00.1234567890Z",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "+012026-11-21T08:30:00Z",
    "-2026-11-21T08:30:00Z",
    "12026-11-21T08:30:00Z",
    "2026-W47-6T08:30:00Z",
    "2026-325T08:30:00Z",
    "Sat, 21 Nov 2026 08:30:00 GMT",
    "now",
    "infinity",
    "２026-11-21T08:30:00Z",
    1795249800000,
    {},
  ],
  date: [
    "2024-02-30",
    "2023-02-29",
    "1900-02-29",
    "2024-04-31",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "0000-01-01",
    "2026-1-1",
    "20260101",
    "01.02.2026",
    "2026/01/01",
    "2026-01-01T00:00:00Z",
    "12026-01-01",
    " 2026-01-01",
    "2026-01-01\n",
    "today",
    20260101,
    [],
  ],
  time: [
    "24:00",
    "8:30",
    "08:60",
    "23:59:60",
    "08:30:60",
    "08:30Z",
    "08:30:00.5",
    "0830",
    "08:30 ",
    "12:00 AM",
    "noon",
    830,
  ],
};

Deno.test("values: accepted values of each type, and how they are stored", () => {
  for (const type of FIELD_TYPES) {
    for (const [sent, kept = sent] of TAKES[type]) {
      assert.deepEqual(readKept(type, sent), { kept }, `${type} ${JSON.stringify(sent)?.slice(0, 80)}`);
    }
  }
});

Deno.test("values: refused values of each type, and the message", () => {
  for (const type of FIELD_TYPES) {
    for (const sent of REFUSES[type]) {
      const read = readKept(type, sent);
      assert.ok("fault" in read, `${type} took ${JSON.stringify(sent)?.slice(0, 80)}`);
      assert.match(read.fault, /^(must be|contains|is too long) /);
    }
  }
  assert.deepEqual(readKept("string", "x".repeat(256)), { fault: "is too long (maximum is 255 characters)" });
});

Deno.test("values: text is not converted to other types", () => {
  const meant: [FieldType, string][] = [["integer", "5"], ["number", "5"], ["boolean", "true"], ["boolean", "1"]];
  for (const [type, text] of meant) assert.ok("fault" in readKept(type, text), type);
  const [table] = readSchema({ fields: { a: "string" } }).values();
  for (const sent of [5, true, 0, false]) {
    assert.deepEqual(readValues(table ?? assert.fail(), { a: sent }, true).faults, { a: ["must be a string"] });
  }
});

const [table = assert.fail()] = readSchema({
  fields: {
    title: { type: "string", required: true },
    body: { type: "text", required: true },
    n: { type: "integer", required: true },
    note: "string",
    ok: "boolean",
    at: "datetime",
  },
}).values();
const whole = { title: "a", body: "b", n: 0 };
const BLANK = ["can't be blank"];

/** What is sent, whether as a new record, and what comes of it. */
const WRITES: [name: string, sent: Record<string, unknown>, whole: boolean, faults: unknown, changes?: unknown][] = [
  ["a whole record", { ...whole, ok: false }, true, {}, { ...whole, ok: false }],
  ["nothing", {}, true, { title: BLANK, body: BLANK, n: BLANK }],
  ["nothing, of an update", {}, false, {}, {}],
  ["required fields that are null", { title: null, body: null, n: null }, true, {
    title: BLANK,
    body: BLANK,
    n: BLANK,
  }],
  ["required fields that are emptied", { title: "", body: " \n\t", n: null }, false, {
    title: BLANK,
    body: BLANK,
    n: BLANK,
  }],
  ["zero is not blank, nor is false", { ...whole, n: 0, ok: false }, true, {}, { ...whole, n: 0, ok: false }],
  ["optional fields that are null are cleared", { note: null, ok: null, at: null }, false, {}, {
    note: null,
    ok: null,
    at: null,
  }],
  ["fields that are undefined are not sent", { note: "x", ok: undefined, at: undefined, nope: undefined }, false, {}, {
    note: "x",
  }],
  ["required fields that are undefined", { ...whole, n: undefined }, true, { n: BLANK }],
  ["required fields that are undefined, of an update", { title: "b", n: undefined }, false, {}, { title: "b" }],
  ["an empty text is kept, where a text may stand", { note: "", at: "" }, false, {}, { note: "", at: null }],
  ["an optional text of spaces is kept", { note: "  " }, false, {}, { note: "  " }],
  ["unknown fields", { ...whole, nope: 1, Title: "x" }, true, {
    nope: ["is not a field of this table"],
    Title: ["is not a field of this table"],
  }],
  ["unknown fields that are null", { nope: null }, false, { nope: ["is not a field of this table"] }],
  ["every fault at once", { n: "1", ok: "yes", at: "x", note: 1 }, false, {
    n: ["must be an integer"],
    ok: ["must be true or false"],
    at: ["must be an ISO 8601 date and time with offset, such as 2026-11-21T08:30:00Z"],
    note: ["must be a string"],
  }],
  ["names that objects have", JSON.parse('{"__proto__":1,"constructor":2,"toString":null}'), false, {
    ["__proto__"]: ["is not a field of this table"],
    constructor: ["is not a field of this table"],
    toString: ["is not a field of this table"],
  }],
];

Deno.test("values: fields that a write sets, clears and refuses", () => {
  for (const [name, sent, is_whole, faults, changes] of WRITES) {
    const read = readValues(table, sent, is_whole);
    assert.deepEqual({ ...read.faults }, faults, name);
    if (changes) assert.deepEqual(read.changes, changes, name);
  }
  assert.equal(Reflect.get({}, "0"), undefined);
});

Deno.test("values: null is never kept", () => {
  assert.deepEqual(keptOf({ a: null, b: 0, c: "", d: false }), { b: 0, c: "", d: false });
});

Deno.test("values: the values that are stored in index slots", () => {
  assert.equal(slotValue("str_1", "text", "ż".repeat(300)), "ż".repeat(255));
  assert.equal(slotValue("str_1", "text", "😀".repeat(300)), "😀".repeat(255), "characters, and no half of one");
  assert.equal(slotValue("str_2", "time", "08:30"), slotValue("str_2", "time", "08:30:00"), "the same time");
  assert.equal(slotValue("str_3", "date", "2026-01-02"), "2026-01-02");
  assert.equal(slotValue("int_1", "integer", -(2 ** 53) + 1), "-9007199254740991");
  assert.deepEqual([slotValue("int_2", "boolean", true), slotValue("int_2", "boolean", false)], ["1", "0"]);
  assert.equal(slotValue("time_1", "date", "2026-01-02"), "2026-01-02T00:00:00+00:00");
  assert.equal(slotValue("time_2", "datetime", "2026-01-02T03:04:05.678+00:00"), "2026-01-02T03:04:05.678+00:00");
  for (const blank of [null, undefined]) {
    assert.deepEqual([
      slotValue("str_1", "date", blank),
      slotValue("int_1", "integer", blank),
      slotValue("time_1", "date", blank),
    ], [
      LOWEST.str,
      LOWEST.int,
      LOWEST.time,
    ]);
  }
  assert.equal(slotValue("str_1", "string", ""), LOWEST.str, "an empty text is a blank");
});

Deno.test("values: a new record fills every slot in use, a change those of the fields that it names", () => {
  const [table = assert.fail()] = readSchema({
    fields: { constructor: "string", n: "integer", at: "datetime", free: "string" },
    indexes: { idx_str_1: "constructor", idx_int_2: "n", idx_time_1: "at" },
  }).values();
  assert.deepEqual(allSlotsOf(table, {} as Data), { str_1: LOWEST.str, int_2: LOWEST.int, time_1: LOWEST.time });
  assert.deepEqual(allSlotsOf(table, { n: 5, free: "x" }), { str_1: "", int_2: "5", time_1: LOWEST.time });
  assert.deepEqual(slotsOf(table, { n: null, free: "x" }), { int_2: LOWEST.int });
  assert.deepEqual(slotsOf(table, {}), {});
});
