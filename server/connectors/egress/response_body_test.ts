import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { bodyOf, decoded, joinedChunks } from "./response_body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const TEXT = bytes('{"a":"zażółć"}');

Deno.test("decode: each encoding that is asked for, and one on another", async () => {
  const rows: [encoding: string | undefined, coded: Uint8Array][] = [
    [undefined, TEXT],
    ["identity", TEXT],
    ["gzip", gzipSync(TEXT)],
    ["X-GZIP", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["gzip, br", brotliCompressSync(gzipSync(TEXT))],
  ];
  for (const [encoding, coded] of rows) {
    assert.deepEqual(new Uint8Array(await decoded(coded, encoding, 1000)), TEXT, encoding);
  }
  assert.deepEqual(await decoded(new Uint8Array(), "gzip", 10), new Uint8Array());
  const three = gzipSync(gzipSync(gzipSync(TEXT)));
  await assert.rejects(decoded(three, "gzip, gzip, gzip", 1000), { kind: "network" }, "more than two");
});

Deno.test("decode: the limit counts decoded bytes", async () => {
  const zeros = new Uint8Array(1_000_000);
  for (
    const [encoding, bomb] of [["gzip", gzipSync(zeros)], ["br", brotliCompressSync(zeros)], [
      "deflate",
      deflateSync(zeros),
    ]]
  ) {
    await assert.rejects(decoded(bomb as Uint8Array, encoding as string, 999_999), { kind: "too_large" });
  }
  await assert.rejects(decoded(TEXT, "gzip", 1000), { kind: "network" });
  await assert.rejects(decoded(gzipSync(TEXT).subarray(0, 20), "gzip", 1000), { kind: "network" });
  await assert.rejects(decoded(TEXT, "zstd", 1000), { kind: "network" });
  await assert.rejects(decoded(TEXT, "gzip, gzip, gzip", 1000), { kind: "network" });
});

Deno.test("decode: chunks are joined", () => {
  const one = bytes("abc");
  assert.equal(joinedChunks([one]), one);
  assert.deepEqual(joinedChunks([one, bytes("de")]), bytes("abcde"));
  assert.deepEqual(joinedChunks([]), bytes(""));
});

Deno.test("decode: JSON where it is JSON, else text, null where there is nothing", () => {
  const deep = "[".repeat(100_000);
  const too_deep = `${"[".repeat(65)}${"]".repeat(65)}`;
  const rows: [body: string, type: string | undefined, value: unknown][] = [
    ["", "application/json", null],
    ['{"a":1}', "application/json; charset=utf-8", { a: 1 }],
    ["12", "application/problem+json", 12],
    ["null", "application/json", null],
    ['{"a":1}', undefined, { a: 1 }],
    [" [1]", "text/plain", [1]],
    ["12", "text/plain", "12"],
    ['{"a":1}', "text/html", '{"a":1}'],
    ["{broken", "application/json", "{broken"],
    [deep, "application/json", deep],
    [too_deep, "application/json", too_deep],
  ];
  for (const [body, type, value] of rows) assert.deepEqual(bodyOf(bytes(body), type), value, body.slice(0, 20));
  assert.equal(bodyOf(new Uint8Array([0xb1]), "text/plain; charset=iso-8859-2"), "ą");
  assert.equal(bodyOf(bytes("x"), "text/plain; charset=nonsense"), "x");
});

Deno.test("response body: UTF-16, by its mark or by its zeros, is read as UTF-16", () => {
  const little = Buffer.from(`{"a":"ż"}`, "utf16le");
  const big = Buffer.from(little).swap16();
  const rows: [Uint8Array, type: string][] = [
    [little, "application/json"],
    [big, "application/json"],
    [little, "application/json; charset=utf-16"],
    [Buffer.concat([Buffer.from([0xff, 0xfe]), little]), "application/json; charset=utf-8"],
    [Buffer.concat([Buffer.from([0xfe, 0xff]), big]), ""],
  ];
  for (const [body, type] of rows) assert.deepEqual(bodyOf(body, type), { a: "ż" }, type);
});
