/** A request body as it arrives, for imports that do not wait for its end. */
import { badRequest, Refusal } from "../../errors.ts";

/** A sender that is silent for this long is taken to be gone. */
const SILENCE_MS = 30_000;

/**
 * Yields all text before the place where the body breaks off or is not UTF-8.
 *
 * @throws {Refusal} 400 if the body breaks off or is not UTF-8; 408 if the sender is silent for too long
 */
export async function* textsOf(
  body: ReadableStream<Uint8Array>,
  silence_ms = SILENCE_MS,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let before: number[] = [];
  for await (const chunk of chunksOf(body, silence_ms)) {
    const text = decode(decoder, chunk);
    const readable = text ?? textBeforeFault(before, chunk);
    if (readable) yield readable;
    if (text === undefined) throw badRequest(NOT_UTF_8);
    before = [...before, ...chunk.subarray(-LONGEST_CHARACTER)].slice(-LONGEST_CHARACTER);
  }
  if (decode(decoder, undefined) === undefined) throw badRequest(NOT_UTF_8);
}

const NOT_UTF_8 = "The body is not valid UTF-8";
/** In bytes. */
const LONGEST_CHARACTER = 4;

/**
 * @param bytes undefined at the end
 * @returns undefined if they are not UTF-8
 */
function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string | undefined {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    return undefined;
  }
}

/**
 * Decodes byte by byte, because a decoder does not say where the fault is.
 *
 * @param before the last bytes that came before the chunk: a character, or the byte order mark, may have begun there
 */
function textBeforeFault(before: readonly number[], chunk: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: before.length === LONGEST_CHARACTER });
  const start = before.findIndex((byte) => (byte & 0xc0) !== 0x80);
  decoder.decode(new Uint8Array(start === -1 ? [] : before.slice(start)), { stream: true });
  const texts: string[] = [];
  for (let at = 0; at < chunk.length; at++) {
    const text = decode(decoder, chunk.subarray(at, at + 1));
    if (text === undefined) break;
    texts.push(text);
  }
  return texts.join("");
}

/** @throws {Refusal} 400 if the body breaks off; 408 if the sender is silent for too long */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  silence_ms = SILENCE_MS,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await soon(reader.read(), silence_ms);
      if (done) return;
      yield value;
    }
  } finally {
    // The reader may stop before the end: the sender must stop, too.
    reader.cancel().catch(() => {});
  }
}

async function soon<Value>(reading: Promise<Value>, silence_ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Refusal(408, "The body took too long", { headers: { connection: "close" } })),
    silence_ms,
  );
  try {
    return await Promise.race([reading, late]);
  } catch (error) {
    throw error instanceof Refusal ? error : badRequest("The body broke off");
  } finally {
    clearTimeout(timer);
  }
}
