/** A request body as it arrives, for imports that do not wait for its end. */
import { badRequest, Refusal } from "../../errors.ts";

/** A sender that is silent for this long is taken to be gone. */
const SILENCE_MS = 30_000;

/** @throws {Refusal} 400 if the body breaks off or is not UTF-8; 408 if the sender is silent for too long */
export async function* textsOf(
  body: ReadableStream<Uint8Array>,
  silence_ms = SILENCE_MS,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunksOf(body, silence_ms)) {
    const text = decode(decoder, chunk);
    if (text) yield text;
  }
  const rest = decode(decoder, undefined);
  if (rest) yield rest;
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

/** @param bytes undefined at the end */
function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw badRequest("The body is not valid UTF-8");
  }
}
