import assert from "node:assert/strict";
import { CompileFailure, CompilerBusy } from "../../../compiler/compiler.ts";
import { whenFree } from "./free_compiler.ts";

Deno.test("import: an app is compiled once the compiler is free", async () => {
  const failures = [new CompilerBusy(0.001), new CompilerBusy(0.001)];
  const compile = () => {
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Promise.resolve("built");
  };
  assert.equal(await whenFree(compile), "built");
});

Deno.test("import: a compiler that stays busy, and a source that does not compile, are refused", async () => {
  await assert.rejects(whenFree(() => Promise.reject(new CompilerBusy(0.001)), 10), CompilerBusy);
  const failures = [new CompileFailure(["1:1 no"])];
  await assert.rejects(whenFree(() => Promise.reject(failures.shift())), CompileFailure);
});
