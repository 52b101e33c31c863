import assert from "node:assert/strict";
import { join } from "node:path";
import { childEnvironment } from "../../../server/config.ts";
import { FETCHED, fetchPackages, folderOf } from "../../../server/compiler/runtime/fetched_packages.ts";

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
