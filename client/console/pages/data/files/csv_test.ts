/** CSV in pieces of every size. */
import { deepEqual, equal } from "node:assert/strict";
import { csvLine, CsvReader, separatorOf } from "./csv.ts";

const read = (text: string, size: number, separator = ","): string[][] => {
  const reader = new CsvReader(separator);
  const rows: string[][] = [];
  for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
  return [...rows, ...reader.end()];
};

Deno.test("csv: quotes, line ends and blanks, however the file is cut into pieces", () => {
  const text = '\uFEFFname,note\r\n"Ada, ""the"" first","two\nlines"\r\n\r\n,""\nlast,5" pipe';
  for (const size of [1, 2, 3, 7, 100]) {
    deepEqual(
      read(text, size),
      [["name", "note"], ['Ada, "the" first', "two\nlines"], ["", ""], ["last", '5" pipe']],
      `pieces of ${size}`,
    );
  }
  deepEqual(read("a;b\n1;2", 4, ";"), [["a", "b"], ["1", "2"]]);
});

Deno.test("csv: what is written is read", () => {
  const rows = [["a", 'say "x"', " padded "], ["two\r\nlines", ",", ""]];
  deepEqual(read(rows.map(csvLine).join("\n"), 5), rows);
});

Deno.test("csv: the separator is found", () => {
  equal(separatorOf("a;b;c\n1,2;3"), ";");
  equal(separatorOf('"x,y,z"\tb\n'), "\t");
  equal(separatorOf("single\n"), ",");
});
