import assert from "node:assert/strict";
import type { VendorFile } from "../../../server/compiler/compiler.ts";
import { groupOf, isGone } from "./groups.ts";
import { fillSharedStore, memoryStore, openCompiler, sharedStore } from "./scratch.ts";

await fillSharedStore();

const NOTHING: VendorFile = {
  content_type: "application/json",
  body: new TextEncoder().encode(JSON.stringify({ modules: {}, imports: {}, scripts: [] })),
  brotli: new Uint8Array(),
  gzip: new Uint8Array(),
};

/** A store without these runtimes. Of all other runtimes it has at least an empty manifest. */
function storeWithout(...names: string[]) {
  const own = memoryStore();
  const shared = sharedStore();
  const isOneOf = (file: string, names: readonly string[]) => names.some((name) => file.startsWith(`${name}-`));
  return {
    ...own,
    async get(file: string) {
      const known = await own.get(file) ?? (isOneOf(file, names) ? undefined : await shared.get(file));
      const isWanted = isOneOf(file, ["svelte", "platform", ...names]);
      return known ?? (file.endsWith(".json") && !isWanted ? NOTHING : undefined);
    },
    put: (file: string, content: VendorFile) =>
      // A manifest in the shared store must not lack its files.
      (isOneOf(file, ["svelte", "platform"]) || file.endsWith(".js") ? shared : own).put(file, content),
  };
}

const manifestsIn = ({ files }: { files: Map<string, VendorFile> }) =>
  [...files.keys()].filter((file) => file.endsWith(".json")).map((file) => file.split("-")[0]).sort();

async function becomes(so: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 1000 && !so(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return so();
}

Deno.test("prepare: missing runtimes are built in a process that ends afterwards", async () => {
  const store = storeWithout("tailwind_all");
  await using compiler = openCompiler({ vendor_store: store });
  await compiler.warm();
  await compiler.prepare();
  assert.deepEqual(manifestsIn(store), ["tailwind_all"]);
  assert.equal(compiler.logged.at(-1)?.event, "runtimes_ready");
  const living = () => compiler.workers().filter((pid) => groupOf(pid).length > 0);
  assert.ok(compiler.workers().length > 1);
  assert.ok(await becomes(() => living().length === 1));
});

Deno.test("prepare: where all is there, no process is started", async () => {
  await using compiler = openCompiler({ vendor_store: storeWithout() });
  await compiler.warm();
  await compiler.prepare();
  assert.equal(compiler.workers().length, 1);
});

Deno.test("prepare: neither a source nor closing waits for it", async () => {
  const compiler = openCompiler({ vendor_store: storeWithout("vue") });
  await compiler.warm();
  const preparing = compiler.prepare();
  const [first] = compiler.workers();
  assert.ok(await becomes(() => compiler.workers().length === 2));
  const builder = compiler.workers().find((pid) => pid !== first);
  assert.ok(builder);
  Deno.kill(builder, "SIGSTOP");
  assert.match((await compiler.svelte("<p>at once</p>")).code, /at once/);
  await compiler.close();
  await preparing;
  assert.ok(await isGone(builder));
  assert.deepEqual(compiler.logged.filter(({ event }) => event.startsWith("runtimes")), []);
});

Deno.test("prepare: sources of authors go first", async () => {
  const store = storeWithout();
  const { get } = store;
  const [compiling, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  store.get = async (file) => {
    if (file.startsWith("svelte-")) compiling.resolve();
    await held.promise;
    return await get(file);
  };
  const asked: string[] = [];
  await using compiler = openCompiler({
    vendor_store: store,
    prebuilt: (name) => {
      if (name !== "svelte" && name !== "platform") asked.push(name);
      return Promise.resolve(undefined);
    },
  });
  const compiled = compiler.svelte("<p>x</p>").then(() => [...asked]);
  await compiling.promise;
  const preparing = compiler.prepare();
  // As long as a start and a compile take: without waiting for the source it would have begun by then.
  await using other = openCompiler();
  await other.svelte("<p>other</p>");
  held.resolve();
  assert.deepEqual(await compiled, []);
  await preparing;
  assert.equal(asked.length, 4);
});

Deno.test("prepare: who needs a runtime that is being built gets that one", async () => {
  const store = storeWithout("tailwind_all");
  await using compiler = openCompiler({ vendor_store: store });
  await compiler.warm();
  const puts: string[] = [];
  const { put } = store;
  store.put = (file, content) => {
    puts.push(file);
    return put(file, content);
  };
  const preparing = compiler.prepare();
  assert.equal((await compiler.svelte("<p>x</p>", "tailwind_all")).scripts.length, 1);
  await preparing;
  assert.equal(puts.filter((file) => file.startsWith("tailwind_all-")).length, 1);
});

Deno.test("prepare: a failure is logged, and a waiting source has the runtime built again", async () => {
  const store = storeWithout("tailwind_all");
  const { put } = store;
  await using compiler = openCompiler({ vendor_store: store });
  await compiler.warm();
  let away = true;
  store.put = (file, content) => {
    if (!away) return put(file, content);
    away = false;
    return Promise.reject(new Error("the database is away"));
  };
  const started = compiler.workers().length;
  const preparing = compiler.prepare();
  assert.ok(await becomes(() => compiler.workers().length > started));
  const compiling = compiler.svelte("<p>x</p>", "tailwind_all");
  await preparing;
  const told = compiler.logged.find(({ event }) => event === "runtimes_not_ready");
  assert.deepEqual(told?.detail, { fault: "Error: the database is away" });
  assert.equal((await compiling).scripts.length, 1);
});
