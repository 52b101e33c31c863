import { deepEqual, equal } from "node:assert/strict";
import { search } from "./search.ts";

const SECTIONS = [
  { page: "apps", heading: "", anchor: "", text: "An app is one source file." },
  { page: "apps", heading: "Caching", anchor: "caching", text: "A page has a strong ETag." },
  {
    page: "flows",
    heading: "Limits",
    anchor: "limits",
    text: `${"word ".repeat(60)}An app may start 20 runs. ${"end ".repeat(90)}`,
  },
];
const find = (query: string) => search(SECTIONS, query, (page) => page === "apps" ? "Apps" : "Flows");

Deno.test("docs search: every word must occur; headings come before text", () => {
  deepEqual(find("app").map(({ section }) => section.anchor), ["", "caching", "limits"]);
  deepEqual(find("LIM app").map(({ section }) => section.anchor), ["limits"]);
  deepEqual(find("etag start"), []);
  deepEqual(find("  "), []);
  deepEqual(find("(").length, 0, "what is special in a pattern is a text");
});

Deno.test("docs search: the excerpt surrounds the first word, and marks each", () => {
  const [{ excerpt } = { excerpt: [] }] = find("runs 20");
  equal(excerpt[0]?.startsWith("… word"), true);
  deepEqual(excerpt.filter((_, index) => index % 2 === 1), ["20", "runs"]);
  equal(excerpt.at(-1)?.endsWith("end …"), true);
});
