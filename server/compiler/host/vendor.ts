/**
 * The runtimes that apps import: built by a worker when the first app asks for them, kept for ever under names that
 * say their content, so that apps compiled before an upgrade go on working.
 */
import type { VendorFile } from "../compiler.ts";
import { sha256 } from "../hash.ts";
import { type BuiltRuntime, Runtime, type RuntimeName } from "../protocol.ts";
import { createRecent } from "./recent.ts";
import { recipeOf } from "../toolchain.ts";

/** Where vendor files are kept. Files never change: a second `put` of a name may be ignored. */
export interface VendorStore {
  get(file: string): Promise<VendorFile | undefined>;
  put(file: string, content: VendorFile): Promise<void>;
}

type BuildRuntime = (name: RuntimeName) => Promise<BuiltRuntime>;

export interface Vendor {
  runtime(name: RuntimeName): Promise<Runtime>;
  /** Has this one build it where it is not there yet; whoever asks for it meanwhile gets the same. */
  prepare(name: RuntimeName, build: BuildRuntime): Promise<void>;
  file(name: string): Promise<VendorFile | undefined>;
}

/** Files that this process keeps at hand. The largest runtime, compressed twice, is 2 MB. */
const CACHE_BYTES = 16 * 1024 * 1024;

export function createVendor(store: VendorStore, build: BuildRuntime): Vendor {
  const files = createRecent<VendorFile>(CACHE_BYTES);
  const runtimes = new Map<RuntimeName, Promise<Runtime>>();
  const prepared = new Map<RuntimeName, Promise<Runtime>>();

  async function load(name: RuntimeName, build: BuildRuntime): Promise<Runtime> {
    const manifest = await manifestName(name);
    const known = await store.get(manifest);
    if (known) return Runtime.parse(JSON.parse(new TextDecoder().decode(known.body)));
    const built = await build(name);
    await Promise.all(built.files.map(({ file, content_type, body, brotli, gzip }) =>
      store.put(file, {
        content_type,
        body: Uint8Array.fromBase64(body),
        brotli: Uint8Array.fromBase64(brotli),
        gzip: Uint8Array.fromBase64(gzip),
      })
    ));
    // Last, because whoever finds it relies on the files that it names. Nobody is sent it: it is not compressed.
    const body = new TextEncoder().encode(JSON.stringify(built.runtime));
    const nothing = new Uint8Array();
    await store.put(manifest, { content_type: "application/json", body, brotli: nothing, gzip: nothing });
    return built.runtime;
  }

  function runtime(name: RuntimeName, build: BuildRuntime): Promise<Runtime> {
    const known = runtimes.get(name);
    if (known) return known;
    const loading = load(name, build);
    runtimes.set(name, loading);
    // What failed once may be mended by the next call: a database that was away, a worker that was killed.
    loading.catch(() => runtimes.delete(name));
    return loading;
  }

  return {
    async runtime(name) {
      const preparing = prepared.get(name);
      // Whatever ended that attempt, such as its process, this one has not failed.
      await preparing?.catch(() => {});
      return await runtime(name, build);
    },
    async prepare(name, build) {
      const preparing = runtime(name, build);
      prepared.set(name, preparing);
      try {
        await preparing;
      } finally {
        prepared.delete(name);
      }
    },

    async file(name) {
      if (!/^\w+\.js$/.test(name)) return undefined;
      const kept = files.get(name);
      if (kept) return kept;
      const file = await store.get(name);
      if (file) files.set(name, file, file.body.length + file.brotli.length + file.gzip.length);
      return file;
    },
  };
}

async function manifestName(name: RuntimeName): Promise<string> {
  return `${name}-${(await sha256(await recipeOf(name))).slice(0, 32)}.json`;
}
