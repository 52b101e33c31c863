/** Vendor files: named after their content, compressed with the best quality. */
import { Buffer } from "node:buffer";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { sha256 } from "../hash.ts";
import type { BuiltRuntime } from "../protocol.ts";

export type PackedFile = BuiltRuntime["files"][number];

export async function packModule(text: string): Promise<PackedFile> {
  return pack(`${(await sha256(text)).slice(0, 12)}.js`, new TextEncoder().encode(text));
}

/** A runtime of one file, unchanged, that a page loads as a classic script. */
export async function packScript(contents: Uint8Array<ArrayBuffer>): Promise<BuiltRuntime> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", contents));
  const packed = pack(`${digest.toHex().slice(0, 16)}.js`, contents);
  return { runtime: { modules: {}, imports: {}, scripts: [packed.file] }, files: [packed] };
}

function pack(file: string, contents: Uint8Array): PackedFile {
  const brotli = brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
  });
  return {
    file,
    content_type: "text/javascript; charset=utf-8",
    body: Buffer.from(contents).toString("base64"),
    brotli: brotli.toString("base64"),
    gzip: gzipSync(contents, { level: 9 }).toString("base64"),
  };
}
