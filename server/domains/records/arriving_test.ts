import assert from "node:assert/strict";
import { Refusal } from "../../errors.ts";
import { textsOf } from "./arriving.ts";

const chunks = (...parts: (string | Uint8Array)[]) =>
  ReadableStream.from(parts.map((part) => typeof part === "string" ? new TextEncoder().encode(part) : part));

const whole = async (body: ReadableStream<Uint8Array>, silence_ms?: number) =>
  (await Array.fromAsync(textsOf(body, silence_ms))).join("");

const refused = (work: Promise<unknown>, status: number, message: RegExp) =>
  assert.rejects(work, (error) => error instanceof Refusal && error.status === status && message.test(error.message));

Deno.test("texts of a body: a character may span two chunks, and a BOM is dropped", async () => {
  const bytes = new TextEncoder().encode("\uFEFFżółw 🐢\n");
  assert.equal(await whole(chunks(...[...bytes].map((byte) => new Uint8Array([byte])))), "żółw 🐢\n");
});

Deno.test("texts of a body: invalid and incomplete UTF-8 are refused", async () => {
  await refused(whole(chunks("a", new Uint8Array([0xff]))), 400, /UTF-8/);
  await refused(whole(chunks("a", new Uint8Array([0xc5]))), 400, /UTF-8/);
});

Deno.test("texts of a body: the text before a fault is read, however the chunks divide it", async () => {
  for (const start of ["", "\uFEFF", "a\uFEFF", "żółw 🐢\n", "🐢🐢\uFEFFż", "\uFFFD\r"]) {
    const bytes = [...new TextEncoder().encode(`${start}x`), 0xc5, 0x20, 0x61, 0xff];
    for (let size = 1; size <= bytes.length; size++) {
      const parts = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, i) => bytes.slice(i * size, (i + 1) * size),
      );
      const texts: string[] = [];
      const reading = (async () => {
        for await (const text of textsOf(chunks(...parts.map((part) => new Uint8Array(part))))) texts.push(text);
      })();
      await refused(reading, 400, /UTF-8/);
      assert.equal(texts.join(""), `${start.replace(/^\uFEFF/, "")}x`, `${JSON.stringify(start)} in chunks of ${size}`);
    }
  }
});

Deno.test("texts of a body: one that breaks off, or is silent, is refused", async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new TypeError("reset")) });
  await refused(whole(broken), 400, /broke off/);
  await refused(whole(new ReadableStream({ pull: () => new Promise(() => {}) }), 1), 408, /too long/);
});

Deno.test("texts of a body: a reader that stops cancels the sender", async () => {
  const stopped = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array([97])),
    cancel: () => stopped.resolve(),
  });
  for await (const text of textsOf(endless)) {
    assert.equal(text, "a");
    break;
  }
  await stopped.promise;
});
