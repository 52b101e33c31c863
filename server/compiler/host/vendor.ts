/**
 * The runtimes that apps import. A runtime is read from what ships with this version, or built by a worker when the first
 * app needs it. Its files are kept permanently under names made of their content, so that apps compiled by an earlier
 * version continue to work.
 */
import { LRUCache } from "lru-cache";
import type { Size, VendorFile } from "../compiler.ts";
import { sha256 } from "../hash.ts";
import { type BuiltRuntime, Runtime, type RuntimeName } from "../protocol.ts";
import { recipeOf } from "../toolchain.ts";

/** Where vendor files are kept. A file never changes, so a second `put` of a name may be ignored. */
export interface VendorStore {
  get(file: string): Promise<VendorFile | undefined>;
  put(file: string, content: VendorFile): Promise<void>;
}

export interface RuntimeFiles {
  runtime: Runtime;
  files: { file: string; content: VendorFile }[];
}

export interface VendorOptions {
  store: VendorStore;
  /** Finds the runtime with this identity among those that ship with this version. @returns reads it */
  prebuilt: (name: RuntimeName, identity: string) => Promise<(() => Promise<RuntimeFiles>) | undefined>;
  build: BuildRuntime;
}

type BuildRuntime = (name: RuntimeName) => Promise<BuiltRuntime>;

export interface Vendor {
  runtime(name: RuntimeName): Promise<Runtime>;
  /** Builds the runtime with this function where it neither ships nor has been built. Concurrent callers share it. */
  prepare(name: RuntimeName, build: BuildRuntime): Promise<void>;
  file(name: string): Promise<VendorFile | undefined>;
  /** Zero for a file that does not exist. */
  size(name: string): Promise<Size>;
}

/** Files kept in this process's memory. The largest runtime has 2 MB with its compressed forms. */
const CACHE_BYTES = 16 * 1024 * 1024;

export function createVendor({ store, prebuilt, build }: VendorOptions): Vendor {
  const files = new LRUCache<string, VendorFile>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body, brotli, gzip }) => 1 + body.length + brotli.length + gzip.length,
  });
  /** Files never change, and a server has about a hundred of them. */
  const sizes = new Map<string, Size>();
  const runtimes = new Map<RuntimeName, Promise<Runtime>>();
  const prepared = new Map<RuntimeName, Promise<Runtime>>();

  async function load(name: RuntimeName, build: BuildRuntime): Promise<Runtime> {
    const identity = await identityOf(name);
    const manifest = `${name}-${identity}.json`;
    const known = await store.get(manifest);
    if (known) return Runtime.parse(JSON.parse(new TextDecoder().decode(known.body)));
    const shipped = await prebuilt(name, identity);
    const { runtime, files } = shipped ? await shipped() : decode(await build(name));
    await Promise.all(files.map(({ file, content }) => store.put(file, content)));
    // Written last, because readers of the manifest rely on its files. It is never served, so it is not compressed.
    const body = new TextEncoder().encode(JSON.stringify(runtime));
    const nothing = new Uint8Array();
    await store.put(manifest, { content_type: "application/json", body, brotli: nothing, gzip: nothing });
    return runtime;
  }

  function runtime(name: RuntimeName, build: BuildRuntime): Promise<Runtime> {
    const known = runtimes.get(name);
    if (known) return known;
    const loading = load(name, build);
    runtimes.set(name, loading);
    // The next call may succeed: the database may be back, or the worker replaced.
    loading.catch(() => runtimes.delete(name));
    return loading;
  }

  async function file(name: string): Promise<VendorFile | undefined> {
    if (!/^\w+\.js$/.test(name)) return undefined;
    const kept = files.get(name);
    if (kept) return kept;
    const file = await store.get(name);
    if (file) files.set(name, file);
    return file;
  }

  return {
    async runtime(name) {
      // A failed preparation, such as a killed process, does not fail this call.
      await prepared.get(name)?.catch(() => {});
      return await runtime(name, build);
    },
    async prepare(name, build) {
      if (await prebuilt(name, await identityOf(name))) return;
      const preparing = runtime(name, build);
      prepared.set(name, preparing);
      try {
        await preparing;
      } finally {
        prepared.delete(name);
      }
    },

    file,
    async size(name) {
      const known = sizes.get(name);
      if (known) return known;
      const { body, brotli } = await file(name) ?? {};
      const size = { raw: body?.length ?? 0, brotli: brotli?.length ?? 0 };
      if (body) sizes.set(name, size);
      return size;
    },
  };
}

/** Names what a runtime is built from: package versions and build steps. */
export const identityOf = async (name: RuntimeName): Promise<string> =>
  (await sha256(await recipeOf(name))).slice(0, 32);

const decode = ({ runtime, files }: BuiltRuntime): RuntimeFiles => ({
  runtime,
  files: files.map(({ file, content_type, body, brotli, gzip }) => ({
    file,
    content: {
      content_type,
      body: Uint8Array.fromBase64(body),
      brotli: Uint8Array.fromBase64(brotli),
      gzip: Uint8Array.fromBase64(gzip),
    },
  })),
});
