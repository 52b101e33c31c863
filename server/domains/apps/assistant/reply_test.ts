import assert from "node:assert/strict";
import { createReplyReader, type Part } from "./reply.ts";

const text = (text: string): Part => ({ kind: "text", text });
const block = (text: string, complete = true): Part => ({ kind: "block", text, complete });

const CASES: [name: string, reply: string, parts: Part[]][] = [
  ["text alone", "One.\nTwo", [text("One.\nTwo")]],
  ["a block", 'A\n```replace\n{"old": "```"}\n```\nB', [text("A\n"), block('{"old": "```"}\n'), text("B")]],
  ["two blocks, indented, with white space", "  ```replace \na\n  ``` \r\n```replace\nb\n```", [
    block("a\n"),
    block("b\n"),
  ]],
  ["another fence", "```js\nlet a;\n```\n", [text("```js\nlet a;\n```\n")]],
  ["a fence within a line", "use ```replace\nit", [text("use ```replace\nit")]],
  ["without an end", "```replace\n{", [block("{", false)]],
  ["a fence that begins like one", "```replaced\n`", [text("```replaced\n`")]],
];

for (const [name, reply, parts] of CASES) {
  Deno.test(`reply: ${name}, in pieces of any length`, () => {
    for (let length = 1; length <= reply.length; length++) {
      const reader = createReplyReader();
      const pieces = reply.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
      const read = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
      assert.deepEqual(joined(read), parts, `pieces of ${length}`);
    }
  });
}

/** Texts that follow each other as one. */
function joined(parts: Part[]): Part[] {
  return parts.reduce<Part[]>((all, part) => {
    const last = all.at(-1);
    if (part.kind === "text" && last?.kind === "text") return [...all.slice(0, -1), text(last.text + part.text)];
    return [...all, part];
  }, []);
}
