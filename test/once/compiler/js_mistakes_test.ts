import { type Mistake, proveMistakes } from "./mistakes.ts";

const MISTAKES: Mistake[] = [
  {
    name: "a syntax error",
    source: "const a = 1;\nlet b = ;",
    says: ["2:9 Unexpected token\nlet b = ;\n        ^"],
  },
  {
    name: "an import",
    source: `\nimport a from "a";`,
    says: [/^2:1 import and export are not possible: .* classic script/],
  },
  {
    name: "a line separator, which ends no line of an editor",
    source: "// a\u2028b\nlet b = ;",
    says: ["2:9 Unexpected token\nlet b = ;\n        ^"],
  },
  { name: "an export", source: `export default 1;`, says: [/^1:1 import and export are not possible/] },
  {
    name: "await outside of a function",
    source: `const a = 1;\nawait a;`,
    says: [/^2:\d+ await is possible in async functions only/],
  },
];

Deno.test("mistakes: js sources are checked when they are saved", async (test) => {
  await proveMistakes(test, "js", MISTAKES);
});
