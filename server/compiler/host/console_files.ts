/**
 * The console's files: those in client/console/dist/, which ship with the server, if they are of the present sources;
 * else those that a server has built before and kept with the vendor files; else a background process builds them now.
 */
import { brotliDecompress, gzip } from "node:zlib";
import { promisify } from "node:util";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { ConsoleFiles, ConsoleManifest, VendorFile } from "../compiler.ts";
import { DEV_DIST, DIST, hashOfConsole } from "./console_sources.ts";
import type { VendorStore } from "./vendor.ts";

/** The script that builds the console from `client/console/`. */
export const CONSOLE_BUILD = new URL("../console/build.ts", import.meta.url);

const Manifest = z.object({
  entry: z.string(),
  styles: z.array(z.string()),
  preload: z.array(z.string()),
  files: z.array(z.string()),
  sources: z.string(),
});

const Base64 = z.string().transform((text) => Uint8Array.fromBase64(text));

/** A line that the build process prints. The manifest is the last one. */
const BuiltPart = z.union([
  z.strictObject({ file: z.string(), brotli: Base64 }),
  z.strictObject({ manifest: Manifest }),
]);

const NOTHING = new Uint8Array();

/** After a failed build the next one waits this long. */
const PAUSE_MS = 60_000;

interface ConsoleOptions {
  store: VendorStore;
  /** Runs the build. @returns the lines that it prints */
  build: () => AsyncIterable<string>;
  /** Folders with a build, of which the first one wins that has the present sources. */
  folders?: readonly URL[];
  /** Reads the manifest anew at every request, and serves a build of `deno task dev`. */
  dev: boolean;
  log?: { info(event: string, detail?: Record<string, unknown>): void };
}

export function createConsoleFiles({
  store,
  build,
  dev,
  folders = dev ? [DEV_DIST, DIST] : [DIST],
  log,
}: ConsoleOptions): ConsoleFiles {
  const contents = new LRUCache<string, VendorFile>({ max: 300 });
  let known: ConsoleManifest | undefined;
  let building: Promise<void> | undefined;
  let failed: { at: number; fault: string } | undefined;

  async function shipped(sources: string): Promise<ConsoleManifest | undefined> {
    for (const folder of folders) {
      const text = await Deno.readTextFile(new URL("manifest.json", folder)).catch(ignoreMissing);
      const manifest = text === undefined ? undefined : Manifest.parse(JSON.parse(text));
      if (manifest?.sources === sources || dev && manifest?.sources === "dev") return manifest;
    }
    return undefined;
  }

  async function kept(sources: string): Promise<ConsoleManifest | undefined> {
    const file = await store.get(manifestName(sources));
    return file && Manifest.parse(JSON.parse(new TextDecoder().decode(file.body)));
  }

  async function buildAndKeep(sources: string): Promise<void> {
    const started = performance.now();
    try {
      let manifest: ConsoleManifest | undefined;
      for await (const line of build()) {
        const part = BuiltPart.parse(JSON.parse(line));
        if ("manifest" in part) {
          manifest = part.manifest;
          continue;
        }
        const { file, brotli } = part;
        await store.put(keptName(file), { content_type: typeOf(file), body: NOTHING, brotli, gzip: NOTHING });
      }
      if (!manifest) throw new Error("the build has printed no manifest");
      // Last: who reads the manifest relies on its files. It is never served, so it is not compressed.
      const body = new TextEncoder().encode(JSON.stringify(manifest));
      const content = { content_type: "application/json", body, brotli: NOTHING, gzip: NOTHING };
      await store.put(manifestName(sources), content);
      known = manifest;
      failed = undefined;
      log?.info("console_built", { ms: Math.round(performance.now() - started) });
    } catch (error) {
      failed = { at: performance.now(), fault: String(error) };
      log?.info("console_not_built", { fault: String(error) });
    }
  }

  async function manifest(): Promise<ConsoleManifest | undefined> {
    if (known && !dev) return known;
    const sources = await hashOfConsole();
    known = await shipped(sources) ?? await kept(sources);
    if (known || failed && performance.now() - failed.at < PAUSE_MS) return known;
    building ??= buildAndKeep(sources).finally(() => building = undefined);
    return undefined;
  }

  return {
    manifest,
    fault: () => failed?.fault,
    async file(name) {
      if (!NAME.test(name)) return undefined;
      const cached = contents.get(name);
      if (cached) return cached;
      const brotli = await fromFolders(folders, name) ?? (await store.get(keptName(name)))?.brotli;
      if (!brotli) return undefined;
      const content = await contentOf(name, brotli);
      contents.set(name, content);
      return content;
    },
    async prepare() {
      try {
        await manifest();
        await building;
      } catch (error) {
        // The store is away, or the process stops. The next request of a page tries again.
        log?.info("console_not_ready", { fault: String(error) });
      }
    },
  };
}

/** Files are named after their content, so those of several builds are kept beside each other. */
const NAME = /^[\w-]+\.(?:js|css)$/;
const keptName = (file: string) => `console-${file}`;
const manifestName = (sources: string) => `console-${sources.slice(0, 32)}.json`;
const typeOf = (file: string) => `text/${file.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`;

/** The names in the store of everything that a built console has. */
export const storedNames = ({ files, sources }: ConsoleManifest): string[] => [
  ...files.map(keptName),
  manifestName(sources),
];

async function fromFolders(folders: readonly URL[], name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const folder of folders) {
    const body = await Deno.readFile(new URL(`${name}.br`, folder)).catch(ignoreMissing);
    if (body) return body;
  }
  return undefined;
}

/** A file is kept as brotli alone. The other two take some milliseconds, once in each process. */
async function contentOf(name: string, brotli: Uint8Array<ArrayBuffer>): Promise<VendorFile> {
  const body = new Uint8Array(await promisify(brotliDecompress)(brotli));
  return { content_type: typeOf(name), body, brotli, gzip: new Uint8Array(await promisify(gzip)(body)) };
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
