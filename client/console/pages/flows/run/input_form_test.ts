import assert from "node:assert/strict";
import { faultsOf, inputFields, inputOf } from "./input_form.ts";

Deno.test("input of a run: where the default is a number, other texts are refused at the field", () => {
  const fields = inputFields({}, [{ type: "mutation", set: { price: 0, bike: "" } }]) ?? [];
  assert.deepEqual(fields.map(({ name, kind }) => [name, kind]), [["price", "number"], ["bike", "any"]]);
  assert.deepEqual(faultsOf(fields, { price: "abc", bike: "abc" }), { price: ["must be a number"] });
  for (const price of ["", "12", "-1.5", "1e3"]) assert.deepEqual(faultsOf(fields, { price }), {}, price);
  assert.deepEqual(inputOf(fields, { price: "12", bike: "Bike 7" }), { price: 12, bike: "Bike 7" });
});

Deno.test("input of a run: a declared number is a number", () => {
  const input = { properties: { price: { type: "integer" } } };
  assert.deepEqual(faultsOf(inputFields({ input }, []) ?? [], { price: "many" }), { price: ["must be a number"] });
});
