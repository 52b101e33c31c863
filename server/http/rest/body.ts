/** Reads request bodies within limits of size, time and depth. */
import { Buffer } from "node:buffer";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import { parseExactly } from "../../input/exact_json.ts";
import type { BodyDeadlines } from "./body_deadlines.ts";
import { badRequest, Refusal, tooLarge, unsupported } from "../../errors.ts";

/** Enough for a source of 200,000 characters. Escapes count as the characters that they stand for. */
export const JSON_LIMIT = 2 * 1024 * 1024;
/** JSON as sent may be longer by its escapes: an emoji of 4 bytes is an escape of 12. */
const ESCAPES = 3;
export const ESCAPED_JSON_LIMIT = ESCAPES * JSON_LIMIT;
/** A logo of 5 MiB and the other fields of its form. */
export const FORM_LIMIT = 6 * 1024 * 1024;
/** Fields of a form. Longer lists of ids must come as JSON. */
export const PARTS_LIMIT = 2_000;

export type Body = { kind: "json"; value: Record<string, unknown>; text: string } | { kind: "form"; value: FormData };

/**
 * @param forms whether multipart/form-data is accepted, too
 * @param json_limit bytes
 * @throws {Refusal} 400, 408, 413, 415
 */
export async function readBody(
  request: Request,
  forms: boolean,
  deadlines: BodyDeadlines,
  json_limit = JSON_LIMIT,
): Promise<Body> {
  proveUncompressed(request);
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) {
    if (/charset\s*=(?!\s*"?utf-?8\b)/i.test(type)) throw unsupported("JSON is read as UTF-8 only");
    const bytes = await readBytes(request, ESCAPES * json_limit, deadlines);
    const text = decode(bytes);
    if (bytes.length > json_limit && bytes.length - savedByUnescaping(text) > json_limit) throw tooLarge(json_limit);
    return { kind: "json", value: parseJson(text), text };
  }
  if (forms && /^multipart\/form-data\s*;/i.test(type)) {
    return { kind: "form", value: await parseForm(await readBytes(request, FORM_LIMIT, deadlines), type) };
  }
  throw unsupported(`Send application/json${forms ? " or multipart/form-data" : ""}`);
}

/** @throws {Refusal} 415 if the body is compressed */
export function proveUncompressed({ headers }: Request): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && !/^identity$/i.test(encoding)) {
    throw unsupported("Send the body as it is, without Content-Encoding: nothing is decompressed");
  }
}

/**
 * Whether the request has no body. The runtime gives a request without one an empty stream. `body` is looked at last:
 * reading that property makes a stream, through which the body is read at twice the cost.
 */
export function hasNone(request: Request): boolean {
  const { headers } = request;
  const length = headers.get("content-length");
  if (length !== null) return length === "0";
  const is_announced = headers.has("content-type") || headers.has("transfer-encoding");
  return !is_announced || request.body === null;
}

/**
 * The whole body, refused before it is read where its announced length is larger. Hono's `bodyLimit` runs before the
 * caller is proven, buffers streams without a time limit, and has one limit where JSON and forms need two.
 *
 * @param limit bytes
 */
export async function readBytes(
  request: Request,
  limit: number,
  deadlines: BodyDeadlines,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (announced > limit) throw tooLarge(limit);
  try {
    return await deadlines.within(Number.isNaN(announced) ? readStream(request, limit) : request.bytes());
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw badRequest("The body broke off");
  }
}

async function readStream({ body }: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8");
  }
}

/** How many bytes of UTF-8 the text is shorter without its escapes. */
function savedByUnescaping(text: string): number {
  let saved = 0;
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at)) {
    if (text.charAt(at + 1) !== "u") {
      saved += 1;
      at += 2;
      continue;
    }
    const unit = parseInt(text.slice(at + 2, at + 6), 16);
    const is_surrogate = unit >= 0xd800 && unit <= 0xdfff;
    saved += 6 - (unit < 0x80 ? 1 : unit < 0x800 || is_surrogate ? 2 : 3);
    at += 6;
  }
  return saved;
}

/** @throws {Refusal} 400 where the text is no JSON object or nested too deep */
export function parseJson(text: string): Record<string, unknown> {
  if (deeperThan(text, DEPTH_LIMIT)) throw badRequest(`The body is nested deeper than ${DEPTH_LIMIT} levels`);
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    throw badRequest(text.trim() ? "The body is not valid JSON" : "The body is empty; a JSON object is needed");
  }
  if (!isObject(value)) throw badRequest("The body must be a JSON object");
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type)?.slice(1).find(Boolean);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The runtime's parser accepts a form whose end is missing.
  if (!boundary || !body.includes(`--${boundary}--`)) throw badRequest("The body is not valid multipart/form-data");
  if (partsOf(body, `--${boundary}`) > PARTS_LIMIT) throw badRequest(`A form has at most ${PARTS_LIMIT} fields`);
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw badRequest("The body is not valid multipart/form-data");
  }
}

/** Counts the fields before they are parsed: parsing takes 20 µs each. */
function partsOf(body: Buffer, delimiter: string): number {
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) parts++;
  return parts;
}
