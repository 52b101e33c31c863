import assert from "node:assert/strict";
import { readShow, show } from "./shown.ts";

const MOUNT = `import{mount as r}from"react/internal/mount";import*as t from"app:source";r(t.default);\n`;
const CREATE = `import{createApp as e,h as t}from"vue";import o from"app:source";e(()=>t(o)).mount("#o");\n`;

const CASES: { name: string; lines: string; author: string; shown: string | undefined }[] = [
  {
    name: "the default export replaces its name in the lines, with imports under free names",
    lines: CREATE,
    author: `var o={},_1=1;export{_1 as a,o as default};\n`,
    shown: `import{createApp as _0}from"vue";import{h as _2}from"vue";var o={},_1=1;_0(()=>_2(o)).mount("#o");\n`,
  },
  {
    name: "the default of a namespace is the same",
    lines: MOUNT,
    author: `function e(){}export{e as default};\n`,
    shown: `import{mount as _0}from"react/internal/mount";function e(){}_0(e);\n`,
  },
  { name: "without a default export there is nothing to show", lines: MOUNT, author: `var e=1;`, shown: undefined },
  {
    name: "an export of something else's is beyond this",
    lines: MOUNT,
    author: `export*from"a";var e=1;export{e as default};`,
    shown: undefined,
  },
  { name: "lines that only run it", lines: `import"app:source";`, author: `f();export{};`, shown: `f();` },
];

for (const { name, lines, author, shown } of CASES) {
  Deno.test(`shown: ${name}`, () => {
    const read = readShow(lines);
    assert.ok(read);
    assert.equal(show(author, read)?.text, shown);
  });
}

Deno.test("shown: lines with names of their own, or with text that could hold some, are beyond this", () => {
  for (const lines of ["let e=1;f(e)", "f();function g(){}", "f(`a`)", `import*as e from"vue";e.x()`]) {
    assert.equal(readShow(`import o from"app:source";${lines}`), undefined, lines);
  }
});
