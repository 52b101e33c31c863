import { deepEqual, equal } from "node:assert/strict";
import { highlight } from "./highlight.ts";

const kinds = (code: string, language: string) =>
  highlight(code, language).filter(({ kind }) => kind).map(({ text, kind }) => `${kind} ${text.trim()}`);

Deno.test("highlight: the pieces are the code, in every language", () => {
  const code = `# a\nconst a = "b" + 'c' + \`\${d}\`; // e\n<p class="f">{1.5}</p> <!-- g --> $H -s {"i": null}`;
  for (const language of ["js", "json", "sh", "svelte", "unknown", ""]) {
    equal(highlight(code, language).map(({ text }) => text).join(""), code, language);
  }
});

Deno.test("highlight: each language has its words", () => {
  deepEqual(kinds(`const x = await f("a"); // b`, "ts"), ["k const", "k await", `s "a"`, "c // b"]);
  deepEqual(kinds(`{"a": [1, true, "b"]}`, "json"), [`a "a"`, "d 1", "k true", `s "b"`]);
  deepEqual(kinds(`curl -s $A -H "B" # c`, "sh"), ["k curl", "t -s", "a $A", "t -H", `s "B"`, "c # c"]);
  deepEqual(kinds(`<p class="a">b</p>`, "svelte"), ["t <p", "a class", `s "a"`, "t >", "t </p", "t >"]);
});
