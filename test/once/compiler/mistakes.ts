import assert from "node:assert/strict";
import { CompileFailure, type CssEngine, type Engine } from "../../../server/compiler/compiler.ts";
import { openCompiler } from "./scratch.ts";

/** What an author gets wrong, and every message: its headline and excerpt. */
export interface Mistake {
  name: string;
  source: string;
  /** `none` where it is omitted. */
  css?: CssEngine;
  says: (string | RegExp)[];
}

/** Each row's messages, all of them, in their order. */
export async function proveMistakes(test: Deno.TestContext, engine: Engine, rows: Mistake[]) {
  await using compiler = openCompiler();
  for (const { name, source, css = "none", says } of rows) {
    await test.step(name, async () => {
      const building = compiler.compile({ engine, css_engine: css, source_code: source });
      const failure = await building.then(() => undefined, (error) => error);
      assert.ok(failure instanceof CompileFailure, `${failure ?? "it compiles"}`);
      assert.equal(failure.messages.length, says.length, failure.messages.join("\n"));
      for (const [i, expected] of says.entries()) {
        if (typeof expected === "string") assert.equal(failure.messages[i], expected);
        else assert.match(failure.messages[i] ?? "", expected);
      }
    });
  }
}
