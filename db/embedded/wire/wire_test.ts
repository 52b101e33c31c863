import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { closeStatement, errorResponse, message, messagesOf, query, READY, SYNC, welcome } from "./wire.ts";
import { columnOf, errorOf, parametersOf, readOutcome } from "./wire_backend.ts";
import { type Batch, ProtocolViolation, Splitter, type Word } from "./wire_client.ts";

const opening = (...parts: (string | Uint8Array)[]) => message("-", ...parts).subarray(1);
const STARTUP = opening(Buffer.from([0, 3, 0, 0]), "user\0me\0TimeZone\0Europe/Warsaw\0\0");
const parse = (name: string, sql: string) => message("P", `${name}\0${sql}\0`, Buffer.alloc(2));
const EXECUTE = message("E", "\0", Buffer.alloc(4));
const FLUSH = message("H");

/** What a splitter makes of a stream that comes in chunks of `size` bytes. */
function split(stream: Buffer, size = stream.length): Word[] {
  const splitter = new Splitter();
  const words: Word[] = [];
  for (let at = 0; at < stream.length; at += size) words.push(...splitter.push(stream.subarray(at, at + size)));
  return words;
}

function batches(...messages: Buffer[]): Batch[] {
  return split(Buffer.concat([STARTUP, ...messages])).filter((word) => word.kind === "batch");
}

const types = (bytes: Buffer) => [...messagesOf(bytes)].map(([type = 0]) => String.fromCharCode(type)).join("");

Deno.test("a stream is parsed into the same messages, wherever its chunks are cut", () => {
  const stream = Buffer.concat([
    STARTUP,
    parse("a1", "select 'ż'"),
    FLUSH,
    EXECUTE,
    SYNC,
    query("select 2"),
    message("X"),
  ]);
  const whole = split(stream);
  assert.deepEqual(whole.map(({ kind }) => kind), ["startup", "batch", "batch", "batch", "terminate"]);
  for (let size = 1; size < stream.length; size++) assert.deepEqual(split(stream, size), whole, `chunks of ${size}`);
});

Deno.test("a batch ends with Query, Sync, Flush or FunctionCall, and names its statements", () => {
  const found = batches(parse("a1", "select 1"), parse("", "x"), FLUSH, EXECUTE, SYNC, query("select 2"), message("F"));
  assert.deepEqual(found.map(({ bytes, ends, statements }) => [types(bytes), ends, statements]), [
    ["PPH", "flush", ["a1"]],
    ["ES", "sync", []],
    ["Q", "query", []],
    ["F", "query", []],
  ]);
});

Deno.test("a batch within one chunk is a view of it, not a copy", () => {
  const chunk = Buffer.concat([STARTUP, message("B", Buffer.alloc(100_000)), EXECUTE, SYNC]);
  const [, word] = split(chunk);
  assert.equal(word?.kind === "batch" && word.bytes.buffer, chunk.buffer);
});

Deno.test("startup: settings by name; a cancel with its key; both requests for encryption", () => {
  const key = Buffer.from([0, 0, 0, 9, 255, 255, 255, 254]);
  assert.deepEqual(split(STARTUP), [
    { kind: "startup", settings: new Map([["user", "me"], ["TimeZone", "Europe/Warsaw"]]) },
  ]);
  assert.deepEqual(split(opening(Buffer.from([4, 210, 22, 46]), key)), [{ kind: "cancel", pid: 9, secret: -2 }]);
  for (const last of [47, 48]) {
    const stream = Buffer.concat([opening(Buffer.from([4, 210, 22, last])), STARTUP]);
    assert.deepEqual(split(stream).map(({ kind }) => kind), ["encryption", "startup"]);
  }
});

Deno.test("bytes that are not the protocol are refused", () => {
  for (
    const stream of [
      Buffer.from("GET / HTTP/1.1\r\n\r\n"),
      opening(Buffer.from([0, 2, 0, 0])),
      opening(),
      Buffer.concat([STARTUP, message("y", "zz")]),
      Buffer.concat([STARTUP, Buffer.from("Q\0\0\0\x03")]),
      Buffer.concat([STARTUP, Buffer.from("Q\x7f\xff\xff\xff", "latin1")]),
    ]
  ) assert.throws(() => split(stream), ProtocolViolation, JSON.stringify(stream.toString("latin1")));
});

Deno.test("COPY FROM STDIN is followed by CopyFail, and the client's copy data is dropped", () => {
  assert.deepEqual(batches(query("copy t from STDIN")).map(({ bytes }) => types(bytes)), ["Qf"]);
  const prepared = batches(parse("c", "copy t from stdin"), FLUSH, EXECUTE, FLUSH, SYNC);
  assert.deepEqual(prepared.map(({ bytes }) => types(bytes)), ["PH", "EfH", "S"]);
  const after = batches(
    query("copy t to stdout"),
    message("d", "1\n"),
    message("c"),
    query("select 1"),
    message("f", "no\0"),
  );
  assert.deepEqual(after.map(({ bytes }) => types(bytes)), ["Q", "Q"]);
});

const complete = (tag: string) => message("C", `${tag}\0`);
const notification = message("A", Buffer.from([0, 0, 0, 42]), "news\0hello\0");
const row = (...values: (string | null)[]) =>
  message(
    "D",
    Buffer.from([0, values.length]),
    ...values.map((value) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
      return Buffer.concat([length, Buffer.from(value ?? "")]);
    }),
  );

Deno.test("an outcome has the state of the last ReadyForQuery, and is copied only when needed", () => {
  const output = Buffer.concat([
    row("Z\0\0\0\x05I"),
    complete("SELECT 1"),
    READY,
    complete("BEGIN"),
    message("Z", "T"),
  ]);
  const outcome = readOutcome(output);
  assert.equal(outcome.answer, output);
  assert.equal(outcome.state, "transaction");
  assert.equal(readOutcome(message("Z", "E")).state, "transaction");
  assert.equal(readOutcome(READY).state, "idle");
  assert.equal(readOutcome(row("Z\0\0\0\x05I")).state, "asking");
});

Deno.test("an outcome keeps notifications apart, and sees LISTEN and UNLISTEN", () => {
  const outcome = readOutcome(Buffer.concat([notification, complete("NOTIFY"), notification, READY]));
  assert.deepEqual(outcome.notifications, [notification, notification]);
  assert.equal(types(outcome.answer), "CZ");
  const seen = ["LISTEN", "UNLISTEN", "LOCK TABLE", "UPDATE 1"].map((tag) => readOutcome(complete(tag)));
  assert.deepEqual(seen.map(({ listens, unlistens }) => [listens, unlistens]), [
    [true, false],
    [false, true],
    [false, false],
    [false, false],
  ]);
});

Deno.test("an outcome replaces the message for COPY FROM STDIN only", () => {
  const error = errorResponse({ severity: "ERROR", code: "57014", message: "COPY from stdin failed" });
  const refused = readOutcome(Buffer.concat([message("G", "\0\0\0"), error, READY])).answer;
  assert.equal(types(refused), "EZ");
  assert.match(errorOf(refused) ?? "", /does not work on the embedded database/);
  assert.equal(errorOf(readOutcome(Buffer.concat([error, READY])).answer), "COPY from stdin failed");
});

Deno.test("messages made here can be parsed", () => {
  assert.deepEqual(columnOf(Buffer.concat([row("ż", "2"), row(null), row(""), complete("SELECT 3")])), ["ż", null, ""]);
  const greeting = welcome([["TimeZone", "UTC"], ["server_version", "18.6"]], 7, -1);
  assert.equal(types(greeting), "RSSKZ");
  assert.deepEqual(parametersOf(greeting), [["TimeZone", "UTC"], ["server_version", "18.6"]]);
  assert.equal(errorOf(greeting), undefined);
  assert.equal(errorOf(errorResponse({ severity: "ERROR", code: "XX000", message: "a\0b", hint: "c" })), "ab");
  assert.equal(closeStatement("a1").toString("latin1"), "C\0\0\0\x08Sa1\0");
});
