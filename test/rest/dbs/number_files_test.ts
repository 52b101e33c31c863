/** Numbers of every magnitude in exports and imports: what a request accepts comes back as the same value. */
import assert from "node:assert/strict";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";
import { dataOf, get, send } from "./file_stage.ts";

const test = onSharedServer();

const SCHEMA = { fields: { x: "number", n: "integer", s: "string", t: "text" } };

/** As they stand in the JSON of a request. */
const DOUBLES = [
  ...["0", "-0", "0.1", "0.30000000000000004", "1e-7", "1.5e-300", "2.2250738585072014e-308", "5e-324", "1e-400"],
  ...[
    "999999999999999.9",
    "1e15",
    "1e16",
    "9007199254740991",
    "9007199254740992",
    "9007199254740994",
    "123456789012345.6",
  ],
  ...["12345678901234567890.5", "1e20", "1e21", "1.5e21", "1e22", "1e23", "1.1e25", "11000000000000000000000000"],
  ...["18446744073709551616", "18446744073709552000", "1.5e300", "1.7976931348623157e308", "123456789.12345679e20"],
];
/** Digits that a double does not have: they would be rounded. */
const NO_DOUBLES = ["9007199254740993", "12345678901234567890", "11000000000000000000000001", "1e400"];
const INTEGERS = ["0", "-0", "1e3", "5.0", "9007199254740991", "-9007199254740991"];
const NO_INTEGERS = ["9007199254740992", "1e16", "1e21", "1.5", "11000000000000000000000000"];

const negative = (text: string) => text.startsWith("-") ? text.slice(1) : `-${text}`;
const both = (texts: readonly string[]) => [...new Set(texts.flatMap((text) => [text, negative(text)]))];

const post = (ask: Ask, code: string, data: string) =>
  ask("POST", `/platform/dbs/${code}/records.json`, {
    raw: `{"record":{"data":${data}}}`,
    headers: { "content-type": "application/json" },
  });

test("files: every number that a request accepts is the same after an export and an import", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const rows = [
    ...both(DOUBLES).map((x) => `{"x":${x}}`),
    ...both(INTEGERS).map((n) => `{"n":${n}}`),
    // Texts of digits stay texts.
    ...["11000000000000000000000000", "9007199254740993", "1.1e25", "007"].map((s) => `{"s":"${s}","t":"-${s}"}`),
  ];
  await inTurn(rows, async (row) => {
    const { status, body } = await post(ask, code, row);
    assert.equal(status, 201, `${row}: ${JSON.stringify(body)}`);
  });
  const first = await dataOf(ask, code);
  assert.deepEqual(first.slice(0, both(DOUBLES).length).map(({ x }) => x), both(DOUBLES).map((x) => Number(x) + 0));
  await inTurn(["csv", "ndjson"] as const, async (format) => {
    const copy = await addDb(ask, { schema: SCHEMA });
    const { body } = await send(ask, copy, format, await get(ask, code, format));
    assert.deepEqual(body, { created: rows.length, failed: 0, errors: [] }, format);
    assert.deepEqual(await dataOf(ask, copy), first, format);
  });
});

test("files: an import accepts and refuses the same numbers as a request", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const cases: [field: "x" | "n", texts: string[], fits: boolean, fault: string][] = [
    ["x", both(DOUBLES), true, ""],
    ["x", both(NO_DOUBLES), false, "must be a number"],
    ["n", both(INTEGERS), true, ""],
    ["n", both(NO_INTEGERS), false, "must be an integer"],
  ];
  await inTurn(cases, ([field, texts, fits, fault]) =>
    inTurn(texts, async (text) => {
      const sent = await post(ask, code, `{"${field}":${text}}`);
      assert.equal(sent.status, fits ? 201 : 422, `${field} ${text}`);
      if (!fits) assert.deepEqual(sent.body, { [field]: [fault] }, text);
      const files = [["ndjson", `{"data":{"${field}":${text}}}`], ["csv", `${field}\n${text}\n`]] as const;
      await inTurn(files, async ([format, file]) => {
        const { body } = await send(ask, code, format, file);
        const errors = fits ? [] : [{ row: 1, fields: { [field]: [fault] } }];
        assert.deepEqual(body, { created: fits ? 1 : 0, failed: fits ? 0 : 1, errors }, `${format}: ${field} ${text}`);
      });
    }));
});

test("filter: a large number is found by the digits of its export", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await post(ask, code, '{"x":1.1e25}');
  const found = async (x: string) =>
    (await ask("GET", `/platform/dbs/${code}/records.json?filter[x]=${x}`)).body.length;
  assert.deepEqual([await found("11000000000000000000000000"), await found("1.1e25")], [1, 1]);
});
