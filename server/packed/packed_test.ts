import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { findPacked, hashOfSources, stampsOf } from "./packed.ts";

Deno.test("packed: a packed server is used while its sources are those that it was made of", async () => {
  const folder = await Deno.makeTempDir({ prefix: "atrium_packed_" });
  const root = pathToFileURL(`${folder}/`);
  const write = (path: string, text: string) => Deno.writeTextFile(new URL(path, root), text);
  try {
    assert.deepEqual(await findPacked(root, root), { entry: undefined, reason: "none" });
    await write("a.ts", "1");
    await write("b.ts", "23");
    const sources = ["a.ts", "b.ts"];
    const stamps = stampsOf(sources, root);
    const manifest = { entry: "c.js", sources, stamps, hash: await hashOfSources(sources, root) };
    await write("manifest.json", JSON.stringify({ ...manifest, hash: "not needed" }));
    assert.deepEqual(await findPacked(root, root), { entry: new URL("c.js", root).href }, "nothing has changed");
    await write("manifest.json", JSON.stringify(manifest));
    await Deno.utime(new URL("a.ts", root), 2e9, 2e9);
    assert.deepEqual(await findPacked(root, root), { entry: new URL("c.js", root).href }, "the files have been copied");
    await Deno.utime(new URL("b.ts", root), 0, 0);
    assert.equal(stampsOf(sources, root), undefined, "a time that an archive gives to all files");
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
