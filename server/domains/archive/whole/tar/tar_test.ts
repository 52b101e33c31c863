import assert from "node:assert/strict";
import { Refusal } from "../../../../errors.ts";
import { filesOf } from "./read.ts";
import { BLOCK, END, fileOf, sumOf } from "./write.ts";

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);

/** In pieces of this length, as a network brings them. */
async function* inPieces(parts: readonly Uint8Array[], length: number): AsyncGenerator<Uint8Array> {
  const whole = new Uint8Array(await new Blob(parts.map((part) => new Uint8Array(part))).arrayBuffer());
  for (let at = 0; at < whole.length; at += length) yield whole.subarray(at, at + length);
}

async function read(parts: readonly Uint8Array[], length = 10_000, largest?: number): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { name, body } of filesOf(inPieces(parts, length), largest)) {
    found.push([name, new TextDecoder().decode(body)]);
  }
  return found;
}

/** The file with another type, as tar programs write extensions. */
function typed(type: string, name: string, body: string): Uint8Array {
  const file = fileOf(name, bytes(body), 0);
  file.set(bytes(type), 156);
  file.set(bytes(`${sumOf(file.subarray(0, BLOCK)).toString(8).padStart(6, "0")}\0 `), 148);
  return file;
}

const record = (key: string, value: string) => {
  const rest = ` ${key}=${value}\n`;
  const length = rest.length + 2;
  return `${length + (String(length).length - 2)}${rest}`;
};

const refuses = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.status === status && message.test(error.message);

Deno.test("tar: what is written is read, however it is cut into pieces", async () => {
  const files = [["empty", ""], ["one", "1"], ["a block", "x".repeat(BLOCK)], ["folder/more", "y".repeat(3_000)]];
  const parts = [...files.map(([name = "", text = ""]) => fileOf(name, bytes(text), 1e12)), END];
  for (const length of [1, 511, 512, 513, 100_000]) assert.deepEqual(await read(parts, length), files);
  for (const part of parts) assert.equal(part.length % BLOCK, 0);
});

Deno.test("tar: names of up to 255 characters, as ustar, pax and GNU write them", async () => {
  const name = `${"a".repeat(60)}/${"b".repeat(80)}/${"c".repeat(90)}`;
  const body = bytes("body");
  assert.deepEqual(await read([fileOf(name, body, 0), END]), [[name, "body"]]);
  assert.throws(() => fileOf("n".repeat(101), body, 0), RangeError);
  const short = fileOf("short", body, 0);
  assert.deepEqual(await read([typed("x", "pax", record("path", name)), short, short, END]), [
    [name, "body"],
    ["short", "body"],
  ]);
  assert.deepEqual(await read([typed("L", "long", `${name}\0`), short, END]), [[name, "body"]]);
  assert.deepEqual(await read([typed("g", "global", record("comment", "hello")), short, END]), [["short", "body"]]);
});

Deno.test("tar: ./ and folders of tar programs are passed over, and so is what they fill up with", async () => {
  const parts = [typed("5", "./", ""), fileOf("./flows/1", bytes("f"), 0), END, new Uint8Array(20 * BLOCK)];
  assert.deepEqual(await read(parts), [["flows/1", "f"]]);
});

Deno.test("tar: an archive that is cut off anywhere is refused", async () => {
  const whole = new Uint8Array(await new Blob([fileOf("one", bytes("1".repeat(700)), 0), END]).arrayBuffer());
  for (let length = 0; length < whole.length; length += 100) {
    await assert.rejects(read([whole.subarray(0, length)]), refuses(400, /cut off at one|no tar archive/), `${length}`);
  }
});

Deno.test("tar: sizes, extensions and links that are not taken", async () => {
  const file = fileOf("one", bytes("12345"), 0);
  await assert.rejects(read([file, END], 100, 4), refuses(413, /The file one is larger than 4 bytes/));
  await assert.rejects(read([typed("x", "pax", "x".repeat(70_000)), END], 10_000), refuses(413, /larger/));
  await assert.rejects(read([typed("x", "pax", "999 path=a\n"), file, END]), refuses(400, /pax is broken/));
  await assert.rejects(read([typed("x", "pax", "nonsense"), file, END]), refuses(400, /pax is broken/));
  await assert.rejects(read([typed("x", "pax", record("size", "9")), file, END]), refuses(400, /another size/));
  for (const type of ["1", "2", "3", "4", "6", "S"]) {
    await assert.rejects(read([typed(type, "evil", ""), END]), refuses(400, /evil is a link or a device/), type);
  }
});
