import assert from "node:assert/strict";
import type { JsonValue } from "../../../input/json_value.ts";
import { pathsOfTexts, render, type Scope, TemplateError, templateFaults } from "../template.ts";

const SCOPE: Scope = {
  price: 4.565,
  rate: "1.23",
  name: " Ada Lovelace ",
  list: ["a", 2, null, { b: 1 }],
  no: null,
  day: "2026-03-28",
  noon: "2026-03-28T12:00:00+01:00",
  ms: 1_774_695_600_000,
  smile: "a😀b",
};

const rendered = (text: string, scope: Scope = SCOPE) => {
  assert.deepEqual(templateFaults(text), [], text);
  const warnings: string[] = [];
  return { value: render(text, scope, (message) => warnings.push(message)), warnings };
};

Deno.test("filters: each one, and several in a row", () => {
  const rows: [template: string, value: JsonValue][] = [
    ["{price|round}", 5],
    ["{price|round:2}", 4.57],
    ["{price|times:-1|round:2}", -4.57],
    ["{price|times:0.0000001|round:3}", 0],
    ["{name|trim|upper}", "ADA LOVELACE"],
    ["{ name | lower | trim }!", "ada lovelace!"],
    ['{name|trim|split:" "}', ["Ada", "Lovelace"]],
    ['{smile|split:""|join:"-"}', "a-😀-b"],
    ["{list|join}", 'a,2,,{"b":1}'],
    ['{list|join:" | }: "}', 'a | }: 2 | }:  | }: {"b":1}'],
    ['{name|replace:"a":"o"|trim}', "Ado Loveloce"],
    ["{smile|slice:1:2}", "😀"],
    ["{smile|slice:-1}", "b"],
    ["{list|slice:0:2}", ["a", 2]],
    ["{rate|number}", 1.23],
    ["{price|text}", "4.565"],
    ["{list|text}", '["a",2,null,{"b":1}]'],
    ["{list|json}", '["a",2,null,{"b":1}]'],
    ["{no|json}", "null"],
    ["{price|times:rate|round:2}", 5.61],
    ["{price|plus:0.1|minus:rate}", 3.435],
    ["{rate|plus:100|minus:100}", 1.23],
    ["{rate|minus:1.1|minus:1e-7}", 0.1299999],
    ["{rate|plus:1e-150|minus:1.23}", 0],
    ["{ms|by:1000|by:3|times:3}", 1_774_695_600],
    ["{smile|base64}", "YfCfmIBi"],
    ["{name|trim|url}", "Ada%20Lovelace"],
    ["{rate|sha256|slice:0:8}", "5dcdf9da"],
    ["{no|upper}", null],
    ['{gone|upper|default:"-"}', "-"],
    ["{gone|default:2|plus:1}", 3],
    ["{gone|default:10:30}", "10:30"],
    ["{gone|default:a b |upper}", "A B"],
  ];
  for (const [template, value] of rows) {
    assert.deepEqual(rendered(template), { value, warnings: [] }, template);
  }
  assert.deepEqual(rendered("{gone|upper}"), { value: null, warnings: ["{gone} is not there, so it is null"] });
  assert.deepEqual(pathsOfTexts("{a.b|plus:c.d|default:e}").map(({ placeholder }) => placeholder.join(".")), [
    "a.b",
    "c.d",
  ]);
});

Deno.test("filters: dates, in the zone's own time across its changes", () => {
  const rows: [template: string, value: JsonValue][] = [
    ['{day|date:"d. MMMM yyyy, EEEE"}', "28. March 2026, Saturday"],
    ['{day|date:"yy-M \'at\' HH:mm XXX":"Europe/Warsaw"}', "26-3 at 00:00 +01:00"],
    ['{noon|date:"yyyy-MM-dd HH:mm:ss.SSS XXX"}', "2026-03-28 11:00:00.000 +00:00"],
    ['{ms|date:"h:mm a":"America/New_York"}', "7:00 AM"],
    ['{noon|date:"yyyy-MM-dd":"Pacific/Auckland"}', "2026-03-29"],
    ['{day|add:"1 day"}', "2026-03-29"],
    ['{day|add:"-1 day"}', "2026-03-27"],
    ['{day|add:"1 month 3 days"|add:"-1 year"}', "2025-05-01"],
    ['{noon|add:"1 day":"Europe/Warsaw"}', "2026-03-29T12:00:00.000+02:00"],
    ['{noon|add:"24 hours":"Europe/Warsaw"}', "2026-03-29T13:00:00.000+02:00"],
    ['{noon|add:"1 day"}', "2026-03-29T11:00:00.000+00:00"],
    ['{day|add:"26 hours 30 minutes":"Europe/Warsaw"}', "2026-03-29T03:30:00.000+02:00"],
  ];
  for (const [template, value] of rows) assert.deepEqual(rendered(template), { value, warnings: [] }, template);
  const add = (date: string, amount: string) =>
    rendered(`{d|add:${JSON.stringify(amount)}:"Europe/Warsaw"}`, { d: date }).value;
  assert.equal(add("2026-01-31", "1 month"), "2026-02-28");
  assert.equal(add("2024-02-29", "1 year"), "2025-02-28");
  assert.equal(add("2026-03-28T02:30", "1 day"), "2026-03-29T03:30:00.000+02:00", "an hour that is skipped");
  assert.equal(
    add("2026-10-24T02:30", "1 day"),
    "2026-10-25T02:30:00.000+02:00",
    "of an hour that occurs twice the first",
  );
  assert.equal(add("2026-10-25T00:30:00Z", "1 hour"), "2026-10-25T02:30:00.000+01:00", "and the second, of a moment");
});

Deno.test("filters: what cannot be computed is the step's error, which names the filter", () => {
  const rows: [template: string, message: string][] = [
    ["{name|plus:1}", '{name|…}: the filter plus needs a number, not " Ada Lovelace "'],
    ["{price|by:0}", "{price|…}: the filter by cannot divide by 0"],
    ["{list|upper}", "{list|…}: the filter upper needs a text, not a list"],
    ["{price|join}", "{price|…}: the filter join needs a list, not 4.565"],
    ["{name|slice:rate}", '{name|…}: the filter slice needs a whole number, not "1.23"'],
    ['{name|date:"yyyy"}', '{name|…}: the filter date needs a date such as 2026-03-29T10:00:00Z, not "Ada Lovelace"'],
    ['{day|replace:"2026":"2025"|add:"12 months 1 day"|replace:"03-29":"02-29"|date:"d"}', ""],
    ["{ms|times:ms|times:ms}", "{ms|…}: the filter times has a result that is too large to be exact"],
    ["{digits|number}", "{digits|…}: the filter number needs a number of at most 15 digits"],
    ["{day|date:name}", "{day|…}: the filter date has a format with A"],
  ];
  for (const [template, message] of rows) {
    const run = () => rendered(template, { ...SCOPE, digits: "9007199254740993" });
    assert.throws(run, (error) => error instanceof TemplateError && error.message.startsWith(message), template);
  }
});

Deno.test("filters: what they read and write is bounded, and takes linear time", () => {
  const half = "x".repeat(500_000);
  const scope: Scope = { half, needle: `y${"x".repeat(250_000)}`, parts: Array(100_000).fill("") };
  assert.equal(rendered("{half|replace:needle:half|slice:0:1}", scope).value, "x", "a search of quadratic cost");
  for (
    const template of [
      '{half|replace:"x":half}',
      "{parts|join:half}",
      "{half|upper|slice:0:1}".repeat(40),
      `{half${"|url|lower".repeat(10)}}`,
      '{half|split:""}',
      "{half}{half|base64}",
      "{half|slice:0:0}{half|sha256|slice:0:0}".repeat(2_000),
    ]
  ) {
    assert.throws(() => rendered(template, scope), TemplateError, template.slice(0, 60));
  }
});
