/**
 * The runtimes that ship with this version, in `prebuilt/`, so that a fresh server builds none: that took 5.7 s for Vue
 * and 300 MB. `deno task build` writes them. One whose recipe has changed since is ignored, and built when an app needs it.
 */
import { brotliDecompress, gzip } from "node:zlib";
import { promisify } from "node:util";
import { z } from "zod";
import type { RuntimeFiles } from "./vendor.ts";
import { Runtime, type RuntimeName } from "../protocol.ts";

export const PREBUILT = new URL("../prebuilt/", import.meta.url);

/** `<runtime>.json` in `prebuilt/`. Each of the files is there as `<file>.br`. */
export const Prebuilt = z.object({
  /** The recipe's hash: what the runtime was built from. */
  identity: z.string(),
  runtime: Runtime,
  files: z.array(z.object({ file: z.string(), content_type: z.string() })),
});
export type Prebuilt = z.output<typeof Prebuilt>;

/** @returns reads the runtime with this identity; undefined where none ships */
export async function findPrebuilt(
  name: RuntimeName,
  identity: string,
): Promise<(() => Promise<RuntimeFiles>) | undefined> {
  const text = await Deno.readTextFile(new URL(`${name}.json`, PREBUILT)).catch(ignoreMissing);
  if (text === undefined) return undefined;
  const prebuilt = Prebuilt.parse(JSON.parse(text));
  return prebuilt.identity === identity ? () => read(prebuilt) : undefined;
}

async function read({ runtime, files }: Prebuilt): Promise<RuntimeFiles> {
  const contents = files.map(async ({ file, content_type }) => {
    const brotli = await Deno.readFile(new URL(`${file}.br`, PREBUILT));
    const body = new Uint8Array(await promisify(brotliDecompress)(brotli));
    const gzipped = new Uint8Array(await promisify(gzip)(body, { level: 9 }));
    return { file, content: { content_type, body, brotli, gzip: gzipped } };
  });
  return { runtime, files: await Promise.all(contents) };
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
