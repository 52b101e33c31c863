import assert from "node:assert/strict";
import { CompileFailure, type CssEngine, type Engine } from "../../../server/compiler/compiler.ts";
import { openCompiler } from "./scratch.ts";

/** Sources with mistakes, and all messages that the author gets: headline and excerpt. */
export interface Mistake {
  name: string;
  source: string;
  /** Default: `none`. */
  css?: CssEngine;
  says: (string | RegExp)[];
}

/** Checks that each row has exactly these messages, in this order. */
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
