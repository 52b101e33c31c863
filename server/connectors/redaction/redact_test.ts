import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "../../../test/packages/fast_check.ts";
import { createRedactor, REDACTED } from "./redact.ts";

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
  ];
  for (const form of forms) assert.match(text(`before ${form} after`), /^before \[redacted\]=* after$/, form);
});

Deno.test("redact: inside what is base64, wherever the secret falls", () => {
  const { text } = createRedactor(["canary-0123456789"]);
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    const encoded = Buffer.from(`${before}canary-0123456789 and more`).toString("base64");
    const left = Buffer.from(text(encoded).replace(REDACTED, ""), "base64").toString();
    assert.ok(text(encoded).includes(REDACTED), before);
    assert.doesNotMatch(left, /anary|0123/, before);
  }
});

Deno.test("redact: keys, numbers and nested values of JSON; the rest stays", () => {
  const { json } = createRedactor(["12345678"]);
  assert.deepEqual(json({ a12345678: [12345678, 5, null, true, { b: "x12345678" }], c: "1234567" }), {
    "a[redacted]": [REDACTED, 5, null, true, { b: "x[redacted]" }],
    c: "1234567",
  });
});

Deno.test("redact: whatever the secret and the text around it are, it is gone", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 4, maxLength: 40 }).filter((text) =>
    !REDACTED.includes(text)
  );
  fc.assert(fc.property(secret, fc.string(), fc.string(), (secret, before, after) => {
    const shown = createRedactor([secret]).text(`${before}${secret}${after}`);
    assert.ok(shown.includes(REDACTED));
    assert.ok(shown.split(REDACTED).every((part) => !part.includes(secret)), shown);
  }));
});

Deno.test("redact: what has many readings is read in time, each secret of its own", () => {
  for (const sign of ["\\", '"', '\\"', "%25", "&amp;", "a", "+ "]) {
    const secret = sign.repeat(2_000) + "b";
    const { text } = createRedactor([secret]);
    for (const count of [70, 4_096, 200_000]) text(sign.repeat(count) + "!");
    assert.match(text(JSON.stringify([sign.repeat(3_000) + "b"])), /\[redacted\]"\]$/, sign);
  }
});

Deno.test("redact: what overlaps is one word, what stands side by side is two", () => {
  const { text } = createRedactor(["abcabc", "xyzxyz"]);
  assert.equal(text("-abcabcabc-"), "-[redacted]-");
  assert.equal(text("-abcabcXYZxyz-"), "-[redacted][redacted]-");
  assert.equal(text("-abcab-xyzxy-"), "-abcab-xyzxy-");
});

Deno.test("redact: nothing is blotted out without a secret", () => {
  const { text, json } = createRedactor(["", "abc"]);
  assert.equal(text("abc"), "abc");
  assert.deepEqual(json({ a: ["abc"] }), { a: ["abc"] });
});
