import assert from "node:assert/strict";
import { join } from "node:path";
import { CompilerBusy } from "../../../server/compiler/compiler.ts";
import { findPrebuilt } from "../../../server/compiler/host/prebuilt.ts";
import { childEnvironment } from "../../../server/config.ts";
import { FETCHED, fetchPackages, folderOf } from "../../../server/compiler/runtime/fetched_packages.ts";
import { memoryStore, openCompiler } from "./scratch.ts";

const environment = childEnvironment(Deno.env.toObject());

Deno.test("fetched packages: each is one exact version, found beside the packages that Deno fetched itself", async () => {
  await fetchPackages(Object.keys(FETCHED), Deno.execPath(), environment);
  for (const specifier of Object.values(FETCHED)) {
    const [, name, version] = /^npm:([a-z]+)@(\d+\.\d+\.\d+)$/.exec(specifier) ?? [];
    const manifest = JSON.parse(await Deno.readTextFile(join(folderOf(specifier), "package.json")));
    assert.deepEqual([manifest.name, manifest.version], [name, version]);
  }
});

Deno.test("fetched packages: a package that is present or unknown starts no process", async () => {
  await fetchPackages(Object.keys(FETCHED), Deno.execPath(), environment);
  await fetchPackages([...Object.keys(FETCHED), "esbuild"], "/no/such/deno", environment);
});

Deno.test("fetched packages: where they cannot be fetched the app's author reads which, and the next save tries again", async () => {
  let fetches = 0;
  // The other runtimes of an app are read beside the one that is missing, and must not outlive the test.
  const reads: Promise<unknown>[] = [];
  const noted = <T>(read: Promise<T>): Promise<T> => {
    reads.push(read);
    return read;
  };
  await using compiler = openCompiler({
    vendor_store: memoryStore(),
    prebuilt: (name, identity) => noted(findPrebuilt(name, identity).then((read) => read && (() => noted(read())))),
    fetch_packages: (name) => {
      if (name === "phaser") fetches++;
      return name === "phaser" ? Promise.reject(new Error("Read-only file system")) : Promise.resolve();
    },
  });
  const source = { engine: "phaser", css_engine: "none", source_code: "new Phaser.Game({ width: 8 });" } as const;
  for (const _ of [1, 2]) {
    await assert.rejects(
      compiler.compile(source),
      (error) => error instanceof CompilerBusy && /The packages of phaser cannot be fetched/.test(error.message),
    );
  }
  assert.equal(fetches, 2);
  for (const read of reads) await read;
});
