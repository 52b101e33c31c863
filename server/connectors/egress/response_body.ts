/** Response bodies: removes the content encoding within a size limit, then parses JSON or text. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType, type ZlibOptions } from "node:zlib";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import { parseExactly } from "../../input/exact_json.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { ConnectorFault } from "../call/fault.ts";

type Decoder = (bytes: InputType, options: ZlibOptions) => Promise<Uint8Array>;

const inflated: Decoder = promisify<InputType, ZlibOptions, Uint8Array>(inflate);
const inflatedRaw: Decoder = promisify<InputType, ZlibOptions, Uint8Array>(inflateRaw);
const gunzipped: Decoder = promisify<InputType, ZlibOptions, Uint8Array>(gunzip);
const unbrotlied: Decoder = promisify<InputType, { maxOutputLength?: number }, Uint8Array>(brotliDecompress);

/** Some servers send `deflate` without the zlib header, whose first byte's low half is always 8. */
const deflated: Decoder = (bytes, options) =>
  bytes instanceof Uint8Array && ((bytes[0] ?? 0) & 0x0f) === 8
    ? inflated(bytes, options)
    : inflatedRaw(bytes, options);

const DECODERS = new Map<string, Decoder>([
  ["gzip", gunzipped],
  ["x-gzip", gunzipped],
  ["deflate", deflated],
  ["br", unbrotlied],
]);
/** Sent as `accept-encoding`. */
export const ENCODINGS = "gzip, deflate, br";
/** Two encodings on top of each other occur in practice; more are an attack. */
const MAX_ENCODINGS = 2;

export const tooLarge = (limit: number) =>
  new ConnectorFault("too_large", `the answer is larger than ${limit.toLocaleString("en")} bytes`);

/** @returns the chunk itself if there is one only */
export function joinedChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * @param encoding the `content-encoding` header
 * @throws {ConnectorFault} `too_large` above `limit` decoded bytes; `network` if the encoding is unknown or broken
 */
export async function decoded(bytes: Uint8Array, encoding: string | undefined, limit: number): Promise<Uint8Array> {
  const names = (encoding ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (bytes.length === 0 || names.length === 0) return bytes;
  const decoders = names.map((name) => DECODERS.get(name)).reverse();
  if (decoders.length > MAX_ENCODINGS || decoders.some((decoder) => !decoder)) {
    throw new ConnectorFault("network", "the answer has a content encoding that the server did not ask for");
  }
  let plain = bytes;
  for (const decoder of decoders) {
    if (decoder) plain = await decoder(plain, { maxOutputLength: limit }).catch((error) => faultOf(error, limit));
  }
  return plain;
}

function faultOf(error: unknown, limit: number): never {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limit);
  throw new ConnectorFault("network", "the answer's compressed body is broken");
}

/**
 * Parses JSON if the content type says so, or if the type is missing or generic and the text begins like JSON.
 *
 * @returns the text if it is not valid JSON or too deep; null for an empty body
 */
export function bodyOf(bytes: Uint8Array, type = ""): JsonValue {
  if (bytes.length === 0) return null;
  const text = textOf(bytes, type);
  const may_be_json = /[/+]json\b/i.test(type) ||
    /^(?:text\/(?:plain|javascript)\b.*)?$/i.test(type) && /^\s*[[{]/.test(text);
  const json = may_be_json ? jsonOf(text) : undefined;
  return json === undefined ? text : json;
}

/** @returns undefined if the text is not JSON, or too deep */
export function jsonOf(text: string): JsonValue | undefined {
  if (deeperThan(text, DEPTH_LIMIT)) return undefined;
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** @param type the content type, whose charset counts */
export const textOf = (bytes: Uint8Array, type = ""): string => decoderFor(type, bytes).decode(bytes);

/** A byte order mark counts more than the header. Without both, zeros beside the first two characters show UTF-16. */
function decoderFor(type: string, [first, second, third, fourth]: Uint8Array): TextDecoder {
  const [, charset] = /charset="?([\w-]+)/i.exec(type) ?? [];
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  if (charset === undefined && first && second === 0 && third && fourth === 0) return new TextDecoder("utf-16le");
  if (charset === undefined && first === 0 && second && third === 0 && fourth) return new TextDecoder("utf-16be");
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
