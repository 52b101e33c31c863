import assert from "node:assert/strict";
import { readExports } from "./runtime.ts";

Deno.test("runtime: a re-exported name is imported from its origin", () => {
  const text = `import{a as b,c}from"./X.js";import"./Y.js";export{b as mount,c as default};\n`;
  assert.deepEqual(readExports(text, "E.js"), {
    origins: { mount: ["X.js", "a"], default: ["X.js", "c"] },
    own: "",
  });
});

Deno.test("runtime: a name that a file defines is imported from that file", () => {
  const text = `import{a as b}from"./X.js";var d=b(),e='import{z}from"./Z.js";';export{b as mount,d as z,e};\n`;
  const { origins, own } = readExports(text, "E.js");
  assert.deepEqual(origins, { mount: ["X.js", "a"], z: ["E.js", "z"], e: ["E.js", "e"] });
  assert.match(own, /^var d=/);
});
