/** The rows of files as people have them: cut anywhere, with mistakes. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { previewOf, type Row, rowsOf } from "./file_rows.ts";

async function read(name: string, content: string | Uint8Array<ArrayBuffer>) {
  const file = new File([content], name);
  const preview = await previewOf(file);
  const found: string[] = [];
  let bytes = 0;
  const rows: Row[] = [];
  const ons = { onbytes: (more: number) => (bytes += more), oncolumn: (column: string) => void found.push(column) };
  for await (const row of rowsOf(file, preview, ons)) rows.push(row);
  equal(bytes, file.size);
  return { preview, found, rows, short: rows.map(({ number, cells, fault }) => [number, fault ?? cells]) };
}

Deno.test("rows of NDJSON: a line that is no object is refused, and is no value of the first column", async () => {
  const { preview, short, rows } = await read(
    "a.ndjson",
    '\uFEFF{"name":"Ada"}\r\nno json\r\n\r\n[1]\r\n{"data":{"name":"Eve","n":1},"id":"x"}\r\n"text"',
  );
  deepEqual(preview.columns, ["name", "n"]);
  deepEqual(short, [
    [1, ["Ada", undefined]],
    [2, "is not a JSON object"],
    [3, "is not a JSON object"],
    [4, ["Eve", 1]],
    [5, "is not a JSON object"],
  ]);
  equal(rows[1]?.line, "no json\r");
});

Deno.test("rows of NDJSON: a number that JavaScript would round keeps its digits", async () => {
  const { rows } = await read(
    "a.ndjson",
    '{"n":9007199254740993}\n{"n":9007199254740991}\n{"n":{"m":[1e400,1.5e300]}}\n{"n":0.1234567890123456}',
  );
  deepEqual(rows.map(({ cells: [n] }) => n), [
    "9007199254740993",
    9007199254740991,
    { m: ["1e400", 1.5e300] },
    0.1234567890123456,
  ]);
});

Deno.test("rows of NDJSON: a key behind the preview is a further column", async () => {
  const many = Array.from({ length: 30_000 }, (_, i) => `{"name":"n${i}"}\n`).join("");
  const { preview, found, rows } = await read("a.jsonl", `${many}{"name":"last","stars":5}\n{"stars":6,"name":"x"}`);
  deepEqual(preview.columns, ["name"]);
  deepEqual(found, ["stars"]);
  deepEqual(rows.slice(-2).map(({ cells }) => cells), [["last", 5], ["x", 6]]);
  deepEqual((await read("a.jsonl", '{"a":1}\n'.repeat(30) + '{"b":2}')).preview.columns, ["a", "b"]);
});

Deno.test("rows of CSV: names are unique, and rows that do not fit the header are refused", async () => {
  const { preview, short } = await read("a.csv", "name,name,,n\na,b,c,1\nHello, world,,2,3\nshort\ntail,b,c,1,,\n");
  deepEqual(preview.columns, ["name", "name (2)", "Column 3", "n"]);
  deepEqual(short, [
    [1, ["a", "b", "c", "1"]],
    [2, "has 5 cells, and the header has 4"],
    [3, ["short"]],
    [4, ["tail", "b", "c", "1", "", ""]],
  ]);
});

Deno.test("rows of CSV: a quotation mark that is not closed is named", async () => {
  const { short } = await read("a.csv", 'name,n\na,1\n"b,2\nc,3\n');
  deepEqual(short, [[1, ["a", "1"]], [2, "has a quotation mark that is not closed"]]);
  deepEqual((await read("a.csv", 'name,n\n"b",2\n"c,3"')).short, [[1, ["b", "2"]], [2, ["c,3"]]]);
});

Deno.test("rows: one that is too long is refused, and those behind it are read", async () => {
  const long = "ż".repeat(1_200_000);
  deepEqual((await read("a.csv", `name,n\n${long},1\nb,2`)).short, [[1, "is longer than 2 MiB"], [2, ["b", "2"]]]);
  const json = await read("a.ndjson", `{"name":"${long}"}\n{"name":"b"}`);
  deepEqual(json.short, [[1, "is longer than 2 MiB"], [2, ["b"]]]);
});

Deno.test("rows: UTF-16 with its mark is read, another encoding is named", async () => {
  const text = "\uFEFFname;n\nŻółw;1\n";
  const utf16 = new Uint8Array(new Uint16Array([...text].map((letter) => letter.charCodeAt(0))).buffer);
  deepEqual((await read("a.csv", utf16)).short, [[1, ["Żółw", "1"]]]);
  const latin = new Uint8Array([...new TextEncoder().encode("name\nJ"), 0xfc, 0x72]);
  await rejects(previewOf(new File([latin], "a.csv")), /not UTF-8/);
  await rejects(previewOf(new File(['[{"a":1}]'], "a.json")), /one JSON array/);
  await rejects(previewOf(new File([""], "a.csv")), /no names of columns/);
});
