import assert from "node:assert/strict";
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { coerce, nest, objectOrForm, plantField } from "./form.ts";
import { Ids, Moment } from "./shapes.ts";

function formOf(fields: [name: string, value: string | Blob][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

/** Compared as JSON: the branches have no prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

Deno.test("form: names with brackets become objects and lists", () => {
  const rows: [fields: [string, string][], tree: unknown][] = [
    [[["a", "1"]], { a: "1" }],
    [[["a", "1"], ["a", "2"]], { a: "2" }],
    [[["d[name]", "x"], ["d[phone]", "y"]], { d: { name: "x", phone: "y" } }],
    [[["d[ids][]", "1"], ["d[ids][]", "2"]], { d: { ids: ["1", "2"] } }],
    [[["d[ids][]", ""]], { d: { ids: [] } }],
    [[["d[ids][]", ""], ["d[ids][]", "3"]], { d: { ids: ["3"] } }],
    [[["a[b][c][d]", "x"]], { a: { b: { c: { d: "x" } } } }],
    [[["a[]", "x"]], { a: ["x"] }],
    [[], {}],
  ];
  for (const [fields, tree] of rows) assert.deepEqual(plain(nest(formOf(fields))), tree, JSON.stringify(fields));
});

Deno.test("form: in an address a blank entry of a list is one", () => {
  const tree = {};
  for (const value of ["", "x,y"]) plantField(tree, "filter[s][in][]", value);
  assert.deepEqual(plain(tree), { filter: { s: { in: ["", "x,y"] } } });
});

Deno.test("form: an invalid path, or two values for one path, is 400", () => {
  const refused: [string, string | Blob][][] = [
    [["", "x"]],
    [["[a]", "x"]],
    [["a[b", "x"]],
    [["a]b[", "x"]],
    [["a[b]c", "x"]],
    [["a", "x"], ["a[b]", "y"]],
    [["a", new Blob(["x"])], ["a[b]", "y"]],
    [["a", new Blob(["x"])], ["a[]", "y"]],
    [["a[]", "x"], ["a[b]", "y"]],
    [["a[b]", "x"], ["a[]", "y"]],
    [[`a${"[b]".repeat(85)}`, "x"]],
    [[`a${"[b]".repeat(1_000_000)}`, "x"]],
  ];
  for (const fields of refused) {
    assert.throws(
      () => nest(formOf(fields)),
      (error) => error instanceof Refusal && error.status === 400,
      JSON.stringify(fields).slice(0, 100),
    );
  }
});

Deno.test("form: a name of a prototype's stays a name", () => {
  const tree = nest(formOf([["__proto__[polluted]", "1"], ["constructor[prototype][polluted]", "1"]]));
  assert.equal("polluted" in {}, false);
  assert.deepEqual(Object.keys(tree), ["__proto__", "constructor"]);
});

Deno.test("coerce: text becomes the type of the schema, or stays for the schema to refuse", () => {
  const rows: [schema: z.ZodType, value: unknown, result: unknown][] = [
    [z.int(), "12", 12],
    [z.int(), "-3", -3],
    [z.number(), "1.5", 1.5],
    [z.int(), "", ""],
    [z.int(), " 1", " 1"],
    [z.int(), "1e3", "1e3"],
    [z.int(), "0x10", "0x10"],
    // Refused for its size, not as a text.
    [z.int(), "99999999999999999999", 1e20],
    [z.int(), "9".repeat(41), "9".repeat(41)],
    [z.boolean(), "true", true],
    [z.boolean(), "1", true],
    [z.boolean(), "false", false],
    [z.boolean(), "0", false],
    [z.boolean(), "yes", "yes"],
    [Moment.optional(), "2026-11-21T00:00:00.000 00:00", "2026-11-21T00:00:00.000+00:00"],
    [z.string(), "12", "12"],
    [z.string(), "", ""],
    [z.string().nullable(), "", null],
    [z.string().nullable().optional(), "", null],
    [z.string().nullable(), "null", "null"],
    [z.int().default(5), "7", 7],
    [z.int().optional(), undefined, undefined],
    [Ids, ["1", "2"], [1, 2]],
    [Ids, "1", "1"],
    [z.object({ n: z.int(), s: z.string() }), { n: "1", s: "1", other: "1" }, { n: 1, s: "1", other: "1" }],
  ];
  for (const [schema, value, result] of rows) assert.deepEqual(coerce(schema, value), result, JSON.stringify(value));
});

Deno.test("form: an input that may be a form is the same object either way, with its file", () => {
  const schema = objectOrForm(
    z.object({ id: z.int(), d: z.object({ on: z.boolean(), ids: Ids, logo: z.file().optional() }) }),
  );
  const json = schema.parse({ id: 1, d: { on: true, ids: [1, 1, 2] } });
  const logo = new File(["x"], "a.png");
  const fields: [string, string | Blob][] = [["id", "1"], ["d[on]", "1"], ["d[ids][]", "1"], ["d[ids][]", "1"]];
  const form = schema.parse(formOf([...fields, ["d[ids][]", "2"], ["d[logo]", logo]]));
  assert.deepEqual({ ...json, d: { ...json.d } }, { id: 1, d: { on: true, ids: [1, 2] } });
  assert.deepEqual([form.id, form.d.on, form.d.ids, form.d.logo?.name], [1, true, [1, 2], "a.png"]);
  assert.equal(schema.safeParse("x").success, false);
});
