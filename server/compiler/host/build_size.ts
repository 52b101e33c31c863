/** The sizes of a build and of the files that it loads, as an app's `config` shows them. */
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants } from "node:zlib";
import type { PartSizes, Size } from "../compiler.ts";
import type { Runtime } from "../protocol.ts";

/** Quality 5: the size is an indication, and the best quality would double a build's time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Bytes that are compressed on this thread: it takes 0.5 ms, where handing them to another thread takes 2. */
const COMPRESSED_HERE = 32 * 1024;

const compress = async (part: Uint8Array) =>
  part.length > COMPRESSED_HERE ? await promisify(brotliCompress)(part, BROTLI) : brotliCompressSync(part, BROTLI);

/** Undefined for an empty text, which is no file. */
export async function sizeOf(text: string): Promise<Size | undefined> {
  if (!text) return undefined;
  const bytes = new TextEncoder().encode(text);
  return { raw: bytes.length, brotli: (await compress(bytes)).length };
}

export const sumOf = (sizes: readonly (Size | undefined)[]): Size =>
  sizes.reduce<Size>((sum, size) => ({
    raw: sum.raw + (size?.raw ?? 0),
    brotli: sum.brotli + (size?.brotli ?? 0),
  }), { raw: 0, brotli: 0 });

/** @param names vendor files @param size of one @param platform the runtime of the `platform` module */
export async function vendorSizes(
  names: readonly string[],
  size: (file: string) => Promise<Size>,
  platform: Runtime,
  tailwind?: Runtime,
): Promise<PartSizes> {
  const of_platform = new Set([
    ...Object.values(platform.modules).flatMap((names) => Object.values(names).map(([file]) => file)),
    ...Object.keys(platform.imports),
    ...platform.scripts,
  ]);
  const parts = Map.groupBy(
    names,
    (file) => of_platform.has(file) ? "platform" : tailwind?.scripts.includes(file) ? "tailwind" : "runtime",
  );
  return Object.fromEntries(
    await Promise.all([...parts].map(async ([part, files]) => [part, sumOf(await Promise.all(files.map(size)))])),
  );
}
