/** Text of cells, and ranges as tab-separated text. */
import { deepEqual, equal } from "node:assert/strict";
import { fromTsv, readText, toTsv } from "./cells.ts";

Deno.test("cells: what is copied can be pasted", () => {
  const hard = [["a", "", 'say "x"'], ["two\nlines", "tab\there", '"'], ["", "", ""]];
  deepEqual(fromTsv(toTsv(hard)), hard);
});

Deno.test("cells: ranges of spreadsheets", () => {
  deepEqual(fromTsv("a\tb\r\nc\td\r\n"), [["a", "b"], ["c", "d"]], "the last line end begins no row");
  deepEqual(fromTsv('"a\nb"\tc'), [["a\nb", "c"]]);
  deepEqual(fromTsv('6" pipe\t"open'), [['6" pipe', '"open']], "a quote inside a cell is a character");
  deepEqual(fromTsv("a\t\n\t"), [["a", ""], ["", ""]]);
});

Deno.test("cells: text becomes the field's type, or stays for the server to refuse", () => {
  equal(readText("integer", " 1 200 "), 1200);
  equal(readText("number", "1.5e3"), 1500);
  equal(readText("integer", "12 pieces"), "12 pieces");
  equal(readText("integer", "9007199254740993"), "9007199254740993");
  equal(readText("number", "1e400"), "1e400");
  equal(readText("boolean", "Yes"), true);
  equal(readText("boolean", "perhaps"), "perhaps");
  equal(readText("date", ""), null);
  equal(readText("datetime", "2026-11-21T08:30:00+01:00"), "2026-11-21T08:30:00+01:00");
  equal(readText("string", " x "), " x ");
});
