import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "../../../test/packages/fast_check.ts";
import { createRedactor, REDACTED } from "./redact.ts";
import { SLICE } from "./slices.ts";

const SECRET = "s3cr&t/+<tök\"en>'";

Deno.test("redact: the secret in every way that an answer may write it", () => {
  const { text } = createRedactor([SECRET]);
  const forms = [
    SECRET,
    JSON.stringify(SECRET).slice(1, -1),
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).toLowerCase(),
    new URLSearchParams([["k", SECRET]]).toString().slice(2),
    Buffer.from(SECRET).toString("base64"),
    Buffer.from(SECRET).toString("base64url"),
    Buffer.from(SECRET).toString("hex"),
    JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/"),
    // A URL with plain slashes, as some servers normalize it, and an encoded URL inside a URL.
    encodeURIComponent(SECRET).replaceAll("%2F", "/"),
    encodeURIComponent(encodeURIComponent(SECRET)),
    SECRET.replace(/[^A-Za-z0-9]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
    SECRET.replace(/[^A-Za-z0-9]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`),
    SECRET.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&apos;"),
    SECRET.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#039;").replaceAll("/", "&#x02F;"),
    // HTML inside JSON, and added slashes.
    JSON.stringify(SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;")).slice(1, -1),
    SECRET.replace(/["'\\]/g, "\\$&"),
    encodeURIComponent(Buffer.from(SECRET).toString("base64")),
    SECRET.toUpperCase().replace("TÖK", "TöK"),
    // By a service that reads UTF-8 as a code of one byte, and writes what it has read as JSON or as UTF-8.
    Buffer.from(SECRET).toString("latin1"),
    JSON.stringify(new TextDecoder("windows-1252").decode(Buffer.from(SECRET))).slice(1, -1),
    new TextDecoder("iso-8859-2").decode(Buffer.from(SECRET)),
  ];
  for (const form of forms) assert.match(text(`before ${form} after`), /^before \[redacted\]=* after$/, form);
});

Deno.test("redact: inside base64, at every alignment", () => {
  const { text } = createRedactor(["canary-0123456789"]);
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    const encoded = Buffer.from(`${before}canary-0123456789 and more`).toString("base64");
    const left = Buffer.from(text(encoded).replace(REDACTED, ""), "base64").toString();
    assert.ok(text(encoded).includes(REDACTED), before);
    assert.doesNotMatch(left, /anary|0123/, before);
  }
});

Deno.test("redact: keys, numbers and nested values of JSON; the rest stays", async () => {
  const { json } = createRedactor(["12345678"]);
  assert.deepEqual(await json({ a12345678: [12345678, 5, null, true, { b: "x12345678" }], c: "1234567" }), {
    "a[redacted]": [REDACTED, 5, null, true, { b: "x[redacted]" }],
    c: "1234567",
  });
});

Deno.test("redact: property: no secret is left in any text", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 4, maxLength: 40 }).filter((text) =>
    !REDACTED.includes(text)
  );
  fc.assert(fc.property(secret, fc.string(), fc.string(), (secret, before, after) => {
    const shown = createRedactor([secret]).text(`${before}${secret}${after}`);
    assert.ok(shown.includes(REDACTED));
    assert.ok(shown.split(REDACTED).every((part) => !part.includes(secret)), shown);
  }));
});

Deno.test("redact: a text with many readings is processed in linear time", () => {
  for (const sign of ["\\", '"', '\\"', "%25", "&amp;", "a", "+ "]) {
    const secret = sign.repeat(2_000) + "b";
    const { text } = createRedactor([secret]);
    for (const count of [70, 4_096, 200_000]) text(sign.repeat(count) + "!");
    assert.match(text(JSON.stringify([sign.repeat(3_000) + "b"])), /\[redacted\]"\]$/, sign);
  }
});

Deno.test("redact: overlapping matches become one mark, adjacent ones two", () => {
  const { text } = createRedactor(["abcabc", "xyzxyz"]);
  assert.equal(text("-abcabcabc-"), "-[redacted]-");
  assert.equal(text("-abcabcXYZxyz-"), "-[redacted][redacted]-");
  assert.equal(text("-abcab-xyzxy-"), "-abcab-xyzxy-");
});

Deno.test("redact: nothing is blotted out without a secret", async () => {
  const { text, json } = createRedactor(["", "abc"]);
  assert.equal(text("abc"), "abc");
  assert.deepEqual(await json({ a: ["abc"] }), { a: ["abc"] });
});

Deno.test("redact: a secret that is stored with spaces and echoed without them", () => {
  const { text } = createRedactor(["  canary-012345\n"]);
  const encoded = Buffer.from("canary-012345");
  for (const form of ["canary-012345", "  canary-012345\n", encoded.toString("base64"), encoded.toString("hex")]) {
    assert.match(text(`before${form}after`), /^before\[redacted\]=*after$/, form);
  }
});

Deno.test("redact: base64 and hexadecimal digits that are split by white space; the text around stays", () => {
  const secret = "canary-0123456789-and-more";
  const { text } = createRedactor([secret]);
  const base64 = Buffer.from(secret).toString("base64");
  const hex = Buffer.from(secret).toString("hex");
  const split = (code: string, every: number, by: string) =>
    code.match(new RegExp(`.{1,${every}}`, "g"))?.join(by) ?? "";
  for (const code of [base64, hex]) {
    for (const [every, by] of [[20, "\n"], [8, "\r\n\t"], [2, " "], [4, "\\n"], [8, "%0A"]] as const) {
      const form = split(code, every, by);
      assert.match(text(`some text ${form} and more`), /^some text \[redacted\]=* and more$/, form);
    }
  }
  assert.equal(text("the canary sings\nat noon"), "the canary sings\nat noon");
});

Deno.test("redact: UTF-16 that is read as another code", () => {
  for (const secret of ["canary-0123456789", "cänary-żółć"]) {
    const { text } = createRedactor([secret]);
    const little = Buffer.from(`before ${secret} after`, "utf16le");
    for (const bytes of [little, Buffer.from(little).swap16()]) {
      for (const charset of ["utf-8", "iso-8859-1"]) {
        const read = new TextDecoder(charset).decode(bytes);
        if (charset !== "utf-8" && secret !== "canary-0123456789") continue;
        assert.match(text(read).replaceAll("\0", ""), /^before \[redacted\] ?after$/, `${secret} ${charset}`);
      }
    }
  }
});

/** A clock on which each slice of work takes as long as the event loop waits. */
function countingPace() {
  let time = 0;
  const counted = { pauses: 0 };
  return {
    counted,
    now: () => time += 10,
    pause: () => Promise.resolve(void counted.pauses++),
  };
}

Deno.test("redact: more than 64 KiB is processed in slices, one text as well as many", async () => {
  const size = 2 ** 20;
  for (
    const value of [
      "a".repeat(size),
      "\\u0061".repeat(size / 6),
      "%5Cu0061 ".repeat(size / 9),
      Array.from({ length: size / 16 }, () => "sixteen letters."),
      Object.fromEntries(Array.from({ length: size / 16 }, (_, n) => [`key ${String(n).padStart(12)}`, n])),
      Array.from({ length: size }, (_, n) => n),
    ]
  ) {
    const pace = countingPace();
    await createRedactor(["canary-0123456789"], pace).json(value);
    assert.ok(pace.counted.pauses >= size / SLICE / 2, `${pace.counted.pauses} pauses`);
  }
});

Deno.test("redact: a secret across slices is found, and slices do not change the result", async () => {
  const { json, text } = createRedactor(["canary-0123456789"], countingPace());
  for (const form of ["canary-0123456789", "c\\u0061nary-0123456789", "%63anary-0123456789"]) {
    for (let shift = 0; shift <= form.length; shift++) {
      const whole = `${"-".repeat(SLICE - shift)}${form}${"-".repeat(2 * SLICE)}`;
      assert.equal(await json(whole), whole.replace(form, REDACTED));
      assert.equal(text(whole), whole.replace(form, REDACTED));
    }
  }
});

Deno.test("redact: short values are processed synchronously", async () => {
  const pace = countingPace();
  const body = { a: "x".repeat(SLICE / 2), b: [1, 2, 3] };
  assert.deepEqual(await createRedactor(["canary-0123456789"], pace).json(body), body);
  assert.equal(pace.counted.pauses, 0);
});

Deno.test("redact: an aborted call ends at the next pause", async () => {
  const { json } = createRedactor(["canary-0123456789"], countingPace());
  const long = "a".repeat(20 * SLICE);
  await assert.rejects(json(long, AbortSignal.abort(new Error("the call was cancelled"))), /the call was cancelled/);
});
