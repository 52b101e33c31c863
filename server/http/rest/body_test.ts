import assert from "node:assert/strict";
import { Refusal } from "../../errors.ts";
import { deeperThan, DEPTH_LIMIT } from "../../input/depth.ts";
import {
  ESCAPED_JSON_LIMIT,
  FORM_LIMIT,
  JSON_LIMIT,
  readBody as readWithin,
  readBytes as readBytesWithin,
} from "./body.ts";
import { createBodyDeadlines } from "./body_deadlines.ts";

const readBody = (request: Request, forms: boolean) => readWithin(request, forms, createBodyDeadlines());
const readBytes = (request: Request, limit: number, limit_ms?: number) =>
  readBytesWithin(request, limit, createBodyDeadlines(limit_ms));

const JSON_TYPE = "application/json";

function requestOf(body: BodyInit | null, type?: string, headers: Record<string, string> = {}): Request {
  return new Request("http://atrium.test/", {
    method: "POST",
    body,
    headers: { ...(type !== undefined && { "content-type": type }), ...headers },
  });
}

const PART = 'content-disposition: form-data; name="a"\r\n\r\n1';
const streamOf = (...chunks: Uint8Array[]) => ReadableStream.from(chunks);
const bytes = (length: number) => new Uint8Array(length).fill(0x20);

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.status;
  }
}

const nested = (depth: number, open = "[", close = "]") => `{"a":${open.repeat(depth - 1)}${close.repeat(depth - 1)}}`;

Deno.test("body: JSON objects are taken, all else is refused with its status", async () => {
  const rows: [body: BodyInit | null, type: string | undefined, status: number][] = [
    ['{"a":1}', JSON_TYPE, 200],
    ['{"a":1}', "application/json; charset=utf-8", 200],
    ['{"a":1}', 'APPLICATION/JSON;charset="UTF-8"', 200],
    ['\uFEFF{"a":1}', JSON_TYPE, 200],
    [' \n{"a":1} ', JSON_TYPE, 200],
    [nested(DEPTH_LIMIT), JSON_TYPE, 200],
    [JSON.stringify({ text: "[".repeat(1_000) }), JSON_TYPE, 200],
    ["", JSON_TYPE, 400],
    [null, JSON_TYPE, 400],
    ["{", JSON_TYPE, 400],
    ['{"a":1}x', JSON_TYPE, 400],
    ["{'a':1}", JSON_TYPE, 400],
    ["[]", JSON_TYPE, 400],
    ["null", JSON_TYPE, 400],
    ['"text"', JSON_TYPE, 400],
    ["1", JSON_TYPE, 400],
    [Uint8Array.of(0x7b, 0xff, 0x7d), JSON_TYPE, 400],
    [nested(DEPTH_LIMIT + 1), JSON_TYPE, 400],
    ["[".repeat(1_000_000), JSON_TYPE, 400],
    ['{"a":1}', undefined, 415],
    ['{"a":1}', "", 415],
    ['{"a":1}', "text/plain", 415],
    ['{"a":1}', "application/json5", 415],
    ['{"a":1}', "application/json; charset=latin1", 415],
    ["a=1", "application/x-www-form-urlencoded", 415],
    ["--x--", "multipart/form-data; boundary=x", 415],
  ];
  for (const [body, type, status] of rows) {
    const about = `${String(body).slice(0, 40)} as ${type}`;
    assert.equal(await statusOf(readBody(requestOf(body, type), false)), status, about);
  }
});

Deno.test("body: a compressed one is 415", async () => {
  const rows: [encoding: string, status: number][] = [["gzip", 415], ["br", 415], ["identity", 200]];
  for (const [encoding, status] of rows) {
    const request = requestOf('{"a":1}', JSON_TYPE);
    request.headers.set("content-encoding", encoding);
    assert.equal(await statusOf(readBody(request, true)), status, encoding);
  }
});

Deno.test("body: forms are taken where they are, and malformed ones are 400", async () => {
  const form = new FormData();
  form.append("a", "zażółć");
  form.append("file", new File([Uint8Array.of(0, 255, 13, 10)], "f.bin"));
  const { kind, value } = await readBody(requestOf(form), true);
  assert.ok(kind === "form");
  const file = value.get("file");
  assert.ok(file instanceof File);
  assert.deepEqual([value.get("a"), await file.bytes()], ["zażółć", Uint8Array.of(0, 255, 13, 10)]);

  const rows: [body: string, type: string, status: number][] = [
    ["", "multipart/form-data; boundary=x", 400],
    ["nonsense", "multipart/form-data; boundary=x", 400],
    ["--x\r\nnonsense", "multipart/form-data; boundary=x", 400],
    [`--x\r\n${PART}`, "multipart/form-data; boundary=x", 400],
    [`--x\r\n${PART}\r\n--x`, "multipart/form-data; boundary=x", 400],
    [`--x\r\n${PART}\r\n--x--`, "multipart/form-data; boundary=x", 200],
    [`--x y\r\n${PART}\r\n--x y--\r\n`, 'multipart/form-data; boundary="x y"', 200],
    ["--x--", "multipart/form-data; charset=utf-8", 400],
    ["--x--", "multipart/form-data", 415],
    ["--x--", "multipart/mixed; boundary=x", 415],
  ];
  for (const [body, type, status] of rows) {
    assert.equal(await statusOf(readBody(requestOf(body, type), true)), status, `${body} as ${type}`);
  }
});

Deno.test("body: up to the limit it is read, beyond it is 413, announced or not", async () => {
  const json = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`;
  assert.equal(await statusOf(readBody(requestOf(json(JSON_LIMIT), JSON_TYPE), false)), 200);
  assert.equal(await statusOf(readBody(requestOf(json(JSON_LIMIT + 1), JSON_TYPE), false)), 413);
  const announced = requestOf(json(10), JSON_TYPE, { "content-length": String(ESCAPED_JSON_LIMIT + 1) });
  assert.equal(await statusOf(readBody(announced, false)), 413);
  assert.equal(await statusOf(readBytes(requestOf(streamOf(bytes(60), bytes(40))), 100)), 200);
  assert.equal(await statusOf(readBytes(requestOf(streamOf(bytes(60), bytes(41))), 100)), 413);
  const form = requestOf(bytes(FORM_LIMIT + 1), "multipart/form-data; boundary=x");
  assert.equal(await statusOf(readBody(form, true)), 413);
});

Deno.test("body: JSON is measured without its escapes", async () => {
  const sent = async (value: string) => await statusOf(readBody(requestOf(`{"a":"${value}"}`, JSON_TYPE), false));
  assert.equal(await sent("\\ud83d\\ude00".repeat(200_000)), 200);
  const whole = JSON_LIMIT - `{"a":""}`.length;
  for (const [escape, bytes] of [["\\u00e9", 2], ["\\u20ac", 3], ["\\ud83d\\ude00", 4], ["\\n", 1]] as const) {
    const rest = "x".repeat(whole % bytes);
    assert.equal(await sent(escape.repeat(Math.floor(whole / bytes)) + rest), 200, escape);
    assert.equal(await sent(`${escape.repeat(Math.floor(whole / bytes))}${rest}x`), 413, escape);
  }
  // As sent, it may be three times as long.
  assert.equal(await sent("\\u0041".repeat(whole / 2)), 200);
  assert.equal(await sent("\\u0041".repeat(whole)), 413);
});

Deno.test("body: a Content-Length over the limit is refused before a byte is read", async () => {
  let pulls = 0;
  const endless = () =>
    new ReadableStream({ pull: (controller) => (pulls++, controller.enqueue(bytes(64))) }, { highWaterMark: 0 });
  assert.equal(await statusOf(readBytes(requestOf(endless(), undefined, { "content-length": "101" }), 100)), 413);
  assert.equal(pulls, 0);
  assert.equal(await statusOf(readBytes(requestOf(endless()), 100)), 413);
  assert.ok(pulls <= 3, `${pulls} pulls`);
});

Deno.test("body: one that comes too slowly is 408, one that breaks off is 400", async () => {
  const silent = new ReadableStream();
  assert.equal(await statusOf(readBytes(requestOf(silent), 100, 50)), 408);
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  assert.equal(await statusOf(readBytes(requestOf(broken), 100)), 400);
});

Deno.test("body: depth is counted outside of strings", () => {
  const rows: [text: string, limit: number, deeper: boolean][] = [
    ["[[]]", 1, true],
    ["[[]]", 2, false],
    ['{"a":[{"b":[]}]}', 3, true],
    ['{"a":[{"b":[]}]}', 4, false],
    ["[],[],[],[],[]", 1, false],
    ['["[[[[[["]', 1, false],
    ['["\\"[[[[[["]', 1, false],
    ['["\\\\",[[]]]', 2, true],
    ['["\\\\\\"[[[[","x"]', 1, false],
    ['["never closed [[[[[', 1, false],
  ];
  for (const [text, limit, deeper] of rows) assert.equal(deeperThan(text, limit), deeper, text);
});
