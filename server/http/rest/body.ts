/** Request bodies, read within limits of size, time and depth. */
import { Buffer } from "node:buffer";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import { badRequest, Refusal, tooLarge, unsupported } from "../../errors.ts";

/** Enough for a source of 200,000 characters, even if JSON escapes all of them. */
export const JSON_LIMIT = 2 * 1024 * 1024;
/** A logo of 5 MiB and the rest of the form. */
export const FORM_LIMIT = 6 * 1024 * 1024;
/** Lists of ids that are longer come as JSON. */
const PARTS_LIMIT = 2_000;
const READ_TIMEOUT_MS = 30_000;

export type Body = { kind: "json"; value: Record<string, unknown> } | { kind: "form"; value: FormData };

/**
 * @param forms whether multipart/form-data is taken, too
 * @throws {Refusal} 400, 408, 413, 415
 */
export async function readBody(request: Request, forms: boolean): Promise<Body> {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) {
    if (/charset\s*=(?!\s*"?utf-?8\b)/i.test(type)) throw unsupported("JSON is read as UTF-8 only");
    return { kind: "json", value: parseJson(decode(await readBytes(request, JSON_LIMIT))) };
  }
  if (forms && /^multipart\/form-data\s*;/i.test(type)) {
    return { kind: "form", value: await parseForm(await readBytes(request, FORM_LIMIT), type) };
  }
  throw unsupported(`Send application/json${forms ? " or multipart/form-data" : ""}`);
}

/** Whether no body is sent. The runtime gives a request that announces none an empty stream. */
export function hasNone({ headers, body }: Request): boolean {
  const announced = ["content-type", "content-length", "transfer-encoding"].some((name) => headers.has(name));
  return body === null || !announced || headers.get("content-length") === "0";
}

/** No body is an empty one. */
export const optionalBody = async (request: Request): Promise<unknown> =>
  hasNone(request) ? {} : (await readBody(request, false)).value;

/**
 * The whole body, refused before it is read where its length is announced as larger.
 *
 * @param limit bytes
 */
export async function readBytes(
  request: Request,
  limit: number,
  timeout_ms = READ_TIMEOUT_MS,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get("content-length") ?? NaN);
  if (announced > limit) throw tooLarge(limit);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Refusal(408, "The body took too long", { headers: { connection: "close" } })),
    timeout_ms,
  );
  try {
    const reading = Number.isNaN(announced) ? readStream(request, limit) : request.bytes();
    return await Promise.race([reading, late]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw badRequest("The body broke off");
  } finally {
    clearTimeout(timer);
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

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8");
  }
}

/** @throws {Refusal} 400 where the text is no JSON object or nested too deep */
export function parseJson(text: string): Record<string, unknown> {
  if (deeperThan(text, DEPTH_LIMIT)) throw badRequest(`The body is nested deeper than ${DEPTH_LIMIT} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
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
  // The runtime's parser takes what stands before a missing end for the whole.
  if (!boundary || !body.includes(`--${boundary}--`)) throw badRequest("The body is not valid multipart/form-data");
  if (partsOf(body, `--${boundary}`) > PARTS_LIMIT) throw badRequest(`A form has at most ${PARTS_LIMIT} fields`);
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw badRequest("The body is not valid multipart/form-data");
  }
}

/** Counted before they are parsed, which takes 20 µs each. */
function partsOf(body: Buffer, delimiter: string): number {
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) parts++;
  return parts;
}
