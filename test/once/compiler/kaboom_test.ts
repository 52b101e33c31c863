import assert from "node:assert/strict";
import { CSS_ENGINES } from "../../../server/compiler/compiler.ts";
import { exportsOf, importsOf, openCompiler, sharedStore } from "./scratch.ts";

/** One compiler for all tests, so that the runtime is built once. */
const vendor_store = sharedStore();

const GAMES: Record<string, { source: string; file: "kaboom" | "kaplay"; name: string }> = {
  "the global": { source: `kaboom(); add([rect(8, 8)]);`, file: "kaboom", name: "default" },
  "the import": { source: `import k from "kaboom"; k().add([]);`, file: "kaboom", name: "default" },
  "its global types": { source: `import "kaboom/global"; kaboom(); add([]);`, file: "kaboom", name: "default" },
  "an import for nothing but the global": { source: `import "kaboom"; kaboom();`, file: "kaboom", name: "default" },
  "TypeScript": {
    source: `import kaboom, { type GameObj } from "kaboom"; kaboom(); const a = add([]) as GameObj; a.use(pos(1));`,
    file: "kaboom",
    name: "default",
  },
  "Kaplay's global": { source: `kaplay(); add([]);`, file: "kaplay", name: "default" },
  "Kaplay's import": { source: `import kaplay from "kaplay"; kaplay();`, file: "kaplay", name: "default" },
  "Kaplay's import by name": { source: `import { kaplay } from "kaplay"; kaplay();`, file: "kaplay", name: "kaplay" },
  "all of Kaplay": { source: `import * as all from "kaplay"; all.kaplay();`, file: "kaplay", name: "kaplay" },
  "Kaplay under the older name": { source: `import kaboom from "kaplay"; kaboom();`, file: "kaplay", name: "default" },
};

Deno.test("kaboom: a game imports the library that it names, and no other", async () => {
  await using compiler = openCompiler({ vendor_store });
  const files = new Map<string, Set<string>>();
  for (const [name, { source, file, name: exported }] of Object.entries(GAMES)) {
    const { code, css, imports, scripts, config } = await compiler.compile({
      engine: "kaboom",
      css_engine: "none",
      source_code: source,
    });
    const [[imported = "", names] = [], ...others] = importsOf(code);
    assert.deepEqual([[...names ?? []], others, css, scripts, config.warnings], [[exported], [], "", [], []], name);
    assert.deepEqual(imports, [`/vendor/${imported}`], name);
    files.set(file, (files.get(file) ?? new Set()).add(imported));
    const vendor = await compiler.vendor(imported);
    assert.ok(vendor && exportsOf(vendor).has(exported), name);
    assert.match(new TextDecoder().decode(vendor.body.slice(0, 60)), new RegExp(`^/\\* ${file} 300`), name);
  }
  assert.deepEqual([...files.values()].map(({ size }) => size), [1, 1]);
});

Deno.test("kaboom: globals of the library are left to it", async () => {
  await using compiler = openCompiler({ vendor_store });
  const source_code =
    `import { db } from "platform";\nkaboom();\nscene("a", () => add([text("hi"), pos(4, 4)]));\ngo("a");`;
  const { code, imports } = await compiler.compile({ engine: "kaboom", css_engine: "none", source_code });
  for (const call of [`scene("a",`, "add([", `text("hi")`, "pos(4,4)", `go("a")`]) assert.ok(code.includes(call), call);
  assert.equal(imports.length, 1);
});

Deno.test("games: CSS engines do not apply", async () => {
  await using compiler = openCompiler({ vendor_store });
  const source_code = `kaboom({ background: "#fff" });\nadd([text("flex p-4 text-white")]);`;
  const builds = await Promise.all(
    CSS_ENGINES.map((css_engine) => compiler.compile({ engine: "kaboom", css_engine, source_code })),
  );
  for (const { css, css_build_time, scripts, config } of builds) {
    assert.deepEqual([css, css_build_time, scripts], ["", 0, []]);
    assert.deepEqual(Object.keys(config.compiler), ["kaboom", "kaplay", "esbuild"]);
  }
  assert.equal(new Set(builds).size, 1, "one build for all");
});
