/** The list of packages with their licences, and the identity of a release. */
import assert from "node:assert/strict";
import { createRelease } from "../../server/process/release.ts";
import { listSoftware, readSoftware } from "../run/software.ts";

Deno.test("software: the list that ships is that of deno.lock; after a change of packages run `deno task licences`", async () => {
  const shipped = await readSoftware();
  assert.deepEqual(shipped, await listSoftware(shipped));
  assert.deepEqual(
    shipped.filter(({ licence }) => !/^[\w.-]+( (OR|AND) [\w.-]+)*$/.test(licence.replace(/[()]/g, ""))),
    [],
  );
  const of = (name: string) =>
    shipped.filter((one) => one.name === name).map(({ used_by, direct }) => [used_by, direct]);
  assert.deepEqual(of("hono"), [[["server"], true]]);
  assert.deepEqual(of("react"), [[["apps", "server"], true]]);
  assert.deepEqual(of("@codemirror/view"), [[["console"], true]]);
  assert.deepEqual(of("scheduler"), [[["apps", "server"], false]]);
  assert.equal(of("phaser").length, 2);
});

Deno.test("release: its identity changes with each source, and with nothing else", async () => {
  const root = await Deno.makeTempDir({ prefix: "atrium_build_" });
  const at = new URL(`file://${root}/`);
  const write = async (path: string, text: string) => {
    await Deno.mkdir(new URL(".", new URL(path, at)), { recursive: true });
    await Deno.writeTextFile(new URL(path, at), text);
  };
  const sources = ["main.ts", "deno.json", "deno.lock", "server/a/b.ts", "client/mod.ts", "db/1.sql", "docs/a.md"];
  for (const path of sources) await write(path, "1");
  await write("server/compiler/prebuilt/abc.js", "1");
  const id = () => createRelease(at).id();
  const first = await id();
  assert.match(first, /^[0-9a-f]{16}$/);
  await write("test/a_test.ts", "1");
  await write("client/console/dist/a.js", "1");
  await write("main.ts", "1");
  assert.equal(await id(), first);
  const seen = new Set([first]);
  for (const path of sources) {
    await write(path, "2");
    seen.add(await id());
  }
  await write("server/new.ts", "");
  seen.add(await id());
  await Deno.rename(new URL("server/compiler/prebuilt/abc.js", at), new URL("server/compiler/prebuilt/abd.js", at));
  seen.add(await id());
  assert.equal(seen.size, sources.length + 3);
  assert.equal(await createRelease(new URL("none/", at)).id(), createRelease(at).version, "a server without files");
  await Deno.remove(root, { recursive: true });
});
