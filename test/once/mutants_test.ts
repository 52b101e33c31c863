/** Each planted mistake has its place in the sources as they are now, and its tests exist. `deno task mutants` runs them. */
import assert from "node:assert/strict";
import { planted } from "../faults/plant.ts";
import { readMutants } from "../mutants/mutants.ts";

const TREE = new URL("../../", import.meta.url);

Deno.test("mutants: at least 80, in every part, each with a place and with tests", async () => {
  const mutants = await readMutants();
  assert.ok(mutants.length >= 80, `${mutants.length} mutants`);
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length, "each has a name of its own");
  const texts = new Map<string, string>();
  const read = async (file: string): Promise<string> => {
    const text = texts.get(file) ?? await Deno.readTextFile(new URL(file, TREE));
    texts.set(file, text);
    return text;
  };
  for (const { name, edit, tests } of mutants) {
    assert.notEqual(planted(await read(edit.file), edit), await read(edit.file), name);
    assert.ok(tests.length > 0, name);
    for (const { file, filter } of tests) assert.ok((await read(file)).includes(filter), `${name}: ${file} ${filter}`);
  }
});
