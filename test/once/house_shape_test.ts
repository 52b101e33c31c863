/** The shape of the source tree: no long files, no crowded folders. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { files } from "./source_files.ts";

const LONGEST = 400;

Deno.test(`house: no file is longer than ${LONGEST} lines`, () => {
  const lines = [...files].map(([file, { text }]): [string, number] => [file, text.split("\n").length - 1]);
  assert.deepEqual(lines.filter(([, count]) => count > LONGEST), []);
});

const MOST_FILES = 16;

Deno.test(`house: no folder holds more than ${MOST_FILES} modules beside their tests`, () => {
  const modules = [...files.keys()].filter((file) => !file.endsWith("_test.ts"));
  const folders = [...Map.groupBy(modules, dirname)].map((
    [folder, inside],
  ): [string, number] => [folder, inside.length]);
  assert.deepEqual(folders.filter(([, count]) => count > MOST_FILES), []);
});

Deno.test("house: each migration has a number of its own; of two with one number the second is never applied", async () => {
  const numbers: string[] = [];
  for await (const { name } of Deno.readDir(new URL("../../db/migrations/", import.meta.url))) {
    numbers.push(name.slice(0, 4));
  }
  assert.deepEqual(numbers.filter((number, index) => numbers.indexOf(number) < index), []);
});
