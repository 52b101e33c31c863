import assert from "node:assert/strict";
import { link } from "./links.ts";

const runtime = {
  modules: {
    a: { x: ["A.js", "m"], y: ["A.js", "y"], z: ["B.js", "n"], default: ["A.js", "d"] },
    b: { w: ["A.js", "w"], default: ["A.js", "o"], "*": ["A.js", "o"] },
  },
  imports: {},
  scripts: [],
} satisfies Parameters<typeof link>[2];

const CASES: { name: string; text: string; imports: number; linked: string | undefined }[] = [
  {
    name: "names of several modules, in any order, become one statement per file",
    text: `import{x as e,y}from"a";var t=e(y);import{w as r}from"b";r(t);\n`,
    imports: 2,
    linked: `import{m as e,y,w as r}from"/vendor/A.js";var t=e(y);r(t);\n`,
  },
  {
    name: "a default export beside names",
    text: `import e,{z as t}from"a";e(t);`,
    imports: 1,
    linked: `import{n as t}from"/vendor/B.js";import{d as e}from"/vendor/A.js";e(t);`,
  },
  { name: "an import for its effects", text: `import"a";f();`, imports: 1, linked: "f();" },
  {
    name: "a namespace that is an object there",
    text: `import e,*as t from"b";import*as r from"b";t.w(e,r);`,
    imports: 2,
    linked: `import{o as e,o as t,o as r}from"/vendor/A.js";t.w(e,r);`,
  },
  { name: "a whole namespace", text: `import*as e from"a";e.x();`, imports: 1, linked: undefined },
  { name: "a name that is not there", text: `import{q as e}from"a";e();`, imports: 1, linked: undefined },
  { name: "another module", text: `import{x as e}from"c";e();`, imports: 1, linked: undefined },
  { name: "an export from", text: `export{x}from"a";`, imports: 1, linked: undefined },
  {
    name: "a string that reads like one",
    text: `import{x as e}from"a";e('import{y as o}from"a";');`,
    imports: 1,
    linked: undefined,
  },
];

for (const { name, text, imports, linked } of CASES) {
  Deno.test(`links: ${name}`, () => {
    assert.equal(link(text, Array(imports).fill({ kind: "import-statement" }), runtime)?.text, linked);
  });
}

Deno.test("links: a module that is imported later", () => {
  assert.equal(link(`import("a");`, [{ kind: "dynamic-import" }], runtime), undefined);
});
