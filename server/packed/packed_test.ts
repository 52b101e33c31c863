import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { findPacked, hashOfSources } from "./packed.ts";

Deno.test("packed: a packed server is used while its sources are those that it was made of", async () => {
  const folder = await Deno.makeTempDir({ prefix: "atrium_packed_" });
  const root = pathToFileURL(`${folder}/`);
  const write = (path: string, text: string) => Deno.writeTextFile(new URL(path, root), text);
  try {
    assert.deepEqual(await findPacked(root, root), { entry: undefined, reason: "none" });
    await write("a.ts", "1");
    await write("b.ts", "23");
    const sources = ["a.ts", "b.ts"];
    await write("manifest.json", JSON.stringify({ entry: "c.js", sources, hash: await hashOfSources(sources, root) }));
    assert.deepEqual(await findPacked(root, root), { entry: new URL("c.js", root).href });
    const outdated = { entry: undefined, reason: "outdated" };
    await write("a.ts", "12");
    await write("b.ts", "3");
    assert.deepEqual(await findPacked(root, root), outdated, "a character has moved to another file");
    await Deno.remove(new URL("b.ts", root));
    assert.deepEqual(await findPacked(root, root), outdated, "a source has been removed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
