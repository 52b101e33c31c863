import assert from "node:assert/strict";
import { CompileFailure } from "../compiler.ts";
import { CostlySource, createCostlySources } from "./costly_sources.ts";

Deno.test("costly sources: a source that timed out is refused for a while, then compiled again", () => {
  let time = 0;
  const sources = createCostlySources(60_000, () => time);
  sources.note("a", new CostlySource(["compile timed out"]));
  time = 1;
  assert.throws(() => sources.refuse("a"), { messages: ["compile timed out; try again in 60 s"] });
  time = 59_999;
  assert.throws(() => sources.refuse("a"), { messages: ["compile timed out; try again in 1 s"] });
  sources.refuse("b");
  time = 60_000;
  sources.refuse("a");
});

Deno.test("costly sources: a source with mistakes is compiled again without a delay", () => {
  const sources = createCostlySources(60_000);
  sources.note("a", new CompileFailure(["1:1 Unexpected token"]));
  sources.note("a", new Error("the server is closing"));
  sources.refuse("a");
});
