import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { sha256 } from "../../../server/compiler/hash.ts";
import { findPrebuilt, PREBUILT } from "../../../server/compiler/host/prebuilt.ts";
import { identityOf } from "../../../server/compiler/host/vendor.ts";
import { SHIPPED } from "../../../server/compiler/runtime/prebuild.ts";
import { memoryStore, openCompiler, sharedStore } from "./scratch.ts";

const ADVICE = "run `deno task build` and commit server/compiler/prebuilt";

Deno.test("prebuilt: every runtime that ships is one that this version builds, file by file", async (test) => {
  const store = sharedStore();
  await using compiler = openCompiler({ vendor_store: store });
  for (const name of SHIPPED) {
    await test.step(name, async () => {
      const identity = await identityOf(name);
      const read = await findPrebuilt(name, identity);
      assert.ok(read, `${name} has changed: ${ADVICE}`);
      const { runtime, files } = await read();
      // Compiling an app builds its runtime into the store.
      if (name === "tailwind_all") await compiler.svelte("<p>x</p>", "tailwind_all");
      else if (name !== "platform") {
        await compiler.compile({ engine: name, css_engine: "none", source_code: APPS[name] });
      }
      const manifest = await store.get(`${name}-${identity}.json`);
      assert.ok(manifest);
      assert.deepEqual(JSON.parse(new TextDecoder().decode(manifest.body)), runtime, ADVICE);
      for (const { file, content } of files) {
        assert.deepEqual((await store.get(file))?.body, content.body, `${file}: ${ADVICE}`);
        assert.deepEqual(new Uint8Array(gunzipSync(content.gzip)), content.body);
        assert.ok((await sha256(new TextDecoder().decode(content.body))).startsWith(file.replace(/\.js$/, "")), file);
      }
    });
  }
});

const APPS = {
  svelte: "<p>x</p>",
  vue: "<template>x</template>",
  react: "export default () => 1",
  kaboom: "kaboom()",
};

Deno.test("prebuilt: the folder has nothing else", async () => {
  const listed = await Promise.all(SHIPPED.map(async (name) => {
    const read = await findPrebuilt(name, await identityOf(name));
    const { files } = await read?.() ?? { files: [] };
    return [`${name}.json`, ...files.map(({ file }) => `${file}.br`)];
  }));
  const names = ["LICENSES.txt", ...listed.flat()];
  assert.deepEqual([...Deno.readDirSync(PREBUILT)].map(({ name }) => name).sort(), names.sort());
});

Deno.test("prebuilt: a fresh server builds no runtime for the first app of an engine", async () => {
  const vendor_store = memoryStore();
  await using compiler = openCompiler({ vendor_store, prebuilt: findPrebuilt });
  const { imports } = await compiler.compile({ engine: "vue", css_engine: "none", source_code: APPS.vue });
  assert.ok(imports.length > 0);
  for (const path of imports) assert.ok(vendor_store.files.has(path.slice("/vendor/".length)), path);
  await compiler.prepare();
  assert.equal(compiler.workers().length, 1, "no process for builds in the background");
  assert.deepEqual(compiler.logged.map(({ event }) => event), ["compile_worker_started", "runtimes_ready"]);
});

Deno.test("prebuilt: one with another recipe is not used", async () => {
  assert.equal(await findPrebuilt("vue", "0".repeat(32)), undefined);
  assert.equal(await findPrebuilt("phaser", await identityOf("phaser")), undefined);
});
