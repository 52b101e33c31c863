/** Which options fit words. */
import { deepEqual, equal } from "node:assert/strict";
import { fitting } from "./options.ts";

const OPTIONS = [
  { value: "1", name: "Spare parts", note: "parts" },
  { value: "2", name: "Parts", note: "p" },
  { value: "3", name: "Ärger", note: "code_of_parts" },
  { value: "4", name: "Rest", note: "r" },
];
const valuesOf = (words: string) => fitting(OPTIONS, words).map(({ value }) => value).join();

Deno.test("options: all without words; names that begin with the words are the first; notes are searched", () => {
  equal(valuesOf("  "), "1,2,3,4");
  equal(valuesOf("PARTS "), "2,1,3");
  deepEqual(valuesOf("none"), "");
});

Deno.test("options: letters are folded, in either form of Unicode", () => {
  equal(valuesOf("ärger"), "3");
  equal(valuesOf("A\u0308"), "3");
});
