import assert from "node:assert/strict";
import { parseCondition } from "./condition_text.ts";
import { FUNCTIONS } from "./expression_variables.ts";
import { after, renderIn, type Rendering } from "./rendering.ts";
import { pathsOfTexts, render, TemplateError, templateFaults, unsetVariablesOf } from "./template.ts";
import { readTemplate } from "./template_text.ts";

/** Evaluates an expression to its own text. */
const echo = (errors: Record<string, string> = {}) => {
  const batches: string[][] = [];
  const rendering: Rendering = {
    scope: { n: 1 },
    warn() {},
    evaluate(expressions) {
      batches.push([...expressions]);
      const results = expressions.map((one) =>
        [one, one in errors ? { error: errors[one] ?? "" } : { value: [one] }] as const
      );
      return Promise.resolve(new Map(results));
    },
  };
  return { batches, rendering };
};

Deno.test("expression: it ends at its own brace, whatever stands in texts, comments and regular expressions", () => {
  const rows: [text: string, expression: string][] = [
    ["{= a + b }", "a + b"],
    ['{={"a": {"b": 1}}}', '{"a": {"b": 1}}'],
    [`{= "}" & '}' & \`a}\` }`, `"}" & '}' & \`a}\``],
    ['{= "a\\"}" }', '"a\\"}"'],
    ["{= $match(a, /}\"'/) }", "$match(a, /}\"'/)"],
    ["{= a / b } / {= c / d }", "a / b"],
    ["{= (a) / 2 /* } */ }", "(a) / 2 /* } */"],
  ];
  for (const [text, expression] of rows) {
    const read = readTemplate(text);
    assert.ok("template" in read, text);
    const [first] = read.template;
    assert.ok(typeof first === "object" && "expression" in first, text);
    assert.equal(first.expression, expression);
    assert.equal(text.slice(first.at, first.at + expression.length), expression);
  }
  assert.deepEqual(parseCondition("{= $count(items) } > 2"), {
    condition: { left: "{= $count(items) }", operator: "gt", right: 2 },
  });
  assert.deepEqual(parseCondition("not ({= a > b }) and {= c }"), {
    condition: {
      all: [
        { not: { left: "{= a > b }", operator: "eq", right: true } },
        { left: "{= c }", operator: "eq", right: true },
      ],
    },
  });
});

Deno.test("expression: faults have their position", () => {
  const rows: [text: string, fault: RegExp][] = [
    ["{= a + }", /^has an expression at character 4 that is no JSONata: .*, at character 3$/],
    ["x {=}", /^has an expression at character 5 that is blank$/],
    ["{= a", /^has a \{= that is never closed$/],
    ['{= $eval("1") }', /^has an expression at character 4 that uses \$eval, which is not available, at character 5$/],
    ["{= a }{= $f := $eval }", /^has an expression at character 10 that uses \$eval/],
    [`{= ${"(".repeat(9_000)}1${")".repeat(900)} }`, /nested too deeply|no JSONata/],
    [`{= ${"1 + ".repeat(3_000)}1 }`, /more than 10000 characters/],
  ];
  for (const [text, fault] of rows) {
    const [first, ...more] = templateFaults({ a: text });
    assert.match(first?.message ?? "", fault, text.slice(0, 40));
    assert.deepEqual([first?.path, more], [["a"], []]);
  }
});

Deno.test("expression: the names it needs are those on which it is evaluated, not those of items", () => {
  const rows: [text: string, paths: string][] = [
    ["{= $sum(items.price) * rate + steps.fx.body[x > limit].y }", "items.price rate steps.fx.body.y"],
    ["{= $map(items, function($i) { $i.a + b }) }", "items"],
    ["{= items^(>price){name: $sum(v)} }", "items"],
    ['{= {"a": x, "b": [y, z]} }', "x y z"],
    ["{= (  $q := a; b ? $q : c ) }", "a b c"],
  ];
  for (const [text, paths] of rows) {
    assert.equal(pathsOfTexts(text).map(({ placeholder }) => placeholder.join(".")).join(" "), paths, text);
  }
});

Deno.test("expression: variables that nothing sets are found, such as functions that do not exist", async () => {
  const rows: [text: string, variables: string][] = [
    ["{= $sums(items.price) + $count(items) }", "sums"],
    ["{= items ~> $foo ~> $bar(2) } and {= $map(x, $sum2) }", "foo bar sum2"],
    ["{= ($total := 3; $f := function($a, $b) { $a + $b + $total }; $f(1, 2)) }", ""],
    ["{= items@$i#$n.{'i': $i, 'n': $n, 'all': $$.x, 'here': $.y} }", ""],
    ["{= $power(?, 2)(n) + $lookup($rates, 'EUR') }", "rates"],
    ["{n|round:2}", ""],
  ];
  for (const [text, variables] of rows) {
    assert.equal(unsetVariablesOf(text).map(({ variable }) => variable).join(" "), variables, text);
  }
  const source = await Deno.readTextFile(new URL(import.meta.resolve("jsonata")));
  const bound = [...source.matchAll(/(?:staticFrame|environment)\.bind\('(\w+)'/g)].map(([, name]) => name);
  assert.deepEqual([...FUNCTIONS].sort(), bound.sort());
});

Deno.test("expression: all of a value are evaluated together; a text that is one keeps its type", async () => {
  const { batches, rendering } = echo();
  const value = await renderIn({ a: "{= x }", b: ["<{= y }>{n}", "{= x }"], c: "{n}" }, rendering);
  assert.deepEqual(value, { a: ["x"], b: ['<["y"]>1', ["x"]], c: 1 });
  assert.deepEqual(batches, [["x", "y"]]);
  assert.equal(renderIn("{n}", rendering), 1, "without an expression there is no promise");
  assert.equal(after(1, (one) => one + 1), 2);
  await assert.rejects(
    async () => await renderIn("{= bad }", echo({ bad: "took longer than 1 s" }).rendering),
    (error) => error instanceof TemplateError && error.message === "{= bad } took longer than 1 s",
  );
  assert.throws(() => render("{= x }", {}, () => {}), TemplateError);
});
