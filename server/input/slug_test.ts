import assert from "node:assert/strict";
import { slug } from "./slug.ts";

Deno.test("slug: transliterated, lower-cased, cleaned, squeezed, trimmed", () => {
  const rows: [text: string, code: string][] = [
    ["my-counter", "my-counter"],
    ["My Counter!", "my-counter"],
    ["Zażółć Gęślą Jaźń", "zazolc-gesla-jazn"],
    ["Привет, мир", "privet-mir"],
    ["Straße & Söhne", "strasse-sohne"],
    ["a  --  b", "a-b"],
    ["--a--", "a"],
    ["snake_case_stays", "snake_case_stays"],
    ["__a__", "__a__"],
    ["a/b?c=d#e", "a-b-c-d-e"],
    ["../../etc/passwd", "etc-passwd"],
    ["%2e%2e", "2e-2e"],
    ["UPPER_Case-9", "upper_case-9"],
    ["", ""],
    ["!!!", ""],
    ["---", ""],
    ["\0\ud800", ""],
  ];
  for (const [text, code] of rows) assert.equal(slug(text), code, JSON.stringify(text));
});

Deno.test("slug: with _ as the separator hyphens go, too", () => {
  const rows: [text: string, code: string][] = [
    ["My Data-Base", "my_data_base"],
    ["a--b__c", "a_b_c"],
    ["_a_", "a"],
    ["-", ""],
  ];
  for (const [text, code] of rows) assert.equal(slug(text, "_"), code, text);
});

Deno.test("slug: cleaning is idempotent", () => {
  for (const text of ["Mój Licznik 2.0", "a--_--b", "😀 app", "北京"]) assert.equal(slug(slug(text)), slug(text), text);
});
