import assert from "node:assert/strict";
import { Fault, readFiles, writeText } from "./files.ts";

Deno.test("files: a file is replaced, never rewritten in place, and what is left of an interrupted write is no file", async () => {
  const root = await Deno.makeTempDir({ prefix: "atrium_files_" });
  const path = "apps/counter.html";
  await writeText(root, path, "<p>one</p>");
  await Deno.link(`${root}/${path}`, `${root}/before`);
  await Deno.symlink(`${root}/elsewhere`, `${root}/apps/.counter.html.part`);
  assert.deepEqual([...await readFiles(root)], [[path, "<p>one</p>"]]);
  await writeText(root, path, "<p>two</p>");
  assert.deepEqual([...await readFiles(root)], [[path, "<p>two</p>"]]);
  assert.equal(await Deno.readTextFile(`${root}/before`), "<p>one</p>");
  await assert.rejects(Deno.stat(`${root}/elsewhere`), Deno.errors.NotFound);
  await Deno.remove(root, { recursive: true });
});

Deno.test("files: a file that cannot be written is named, and leaves nothing", async () => {
  const root = await Deno.makeTempDir({ prefix: "atrium_files_" });
  await Deno.mkdir(`${root}/apps/counter.html/inside`, { recursive: true });
  await assert.rejects(
    writeText(root, "apps/counter.html", "<p>one</p>"),
    (error) => error instanceof Fault && error.message.startsWith("apps/counter.html cannot be written: "),
  );
  assert.deepEqual(await Array.fromAsync(Deno.readDir(`${root}/apps`), ({ name }) => name), ["counter.html"]);
  await Deno.remove(root, { recursive: true });
});
