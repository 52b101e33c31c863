import assert from "node:assert/strict";
import { readOptions, usageOf } from "../bench/options.ts";

Deno.test("bench: options have defaults, and an unknown one or one that is no number is named", () => {
  assert.deepEqual(readOptions(["--only=read,update", "--rounds=2"]).only, ["read", "update"]);
  assert.equal(readOptions(["--rounds=2"]).rounds, 2);
  assert.equal(readOptions([]).seconds, 3);
  assert.throws(() => readOptions(["--round=2"]), /--round\b/);
  assert.throws(() => readOptions(["read"]), /read/);
  assert.throws(() => readOptions(["--seconds=many"]), /--seconds must be a number above 0, and is many/);
});

Deno.test("bench: its usage names every option and section", () => {
  const usage = usageOf(["requests", "cold"]);
  for (const name of Object.keys(readOptions([]))) if (name !== "help") assert.match(usage, new RegExp(`--${name}=`));
  assert.match(usage, /Sections: requests, cold\./);
});
