import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { hashOf, prepared, respond, sizeOf, variantsOf } from "./variants.ts";

const TEXT = "Zażółć gęślą jaźń. ".repeat(100);
const LARGE = variantsOf(TEXT, "text/plain; charset=utf-8");
const SMALL = variantsOf("short", "text/plain; charset=utf-8");

const ask = (headers: Record<string, string>, variants = LARGE) =>
  respond(new Request("http://atrium.test/", { headers }), variants, "public, max-age=60", { "x-more": "yes" });

Deno.test("variants: every form holds the same text; a short one has one form only", () => {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.equal(decode(LARGE.identity), TEXT);
  assert.equal(decode(brotliDecompressSync(LARGE.br ?? new Uint8Array())), TEXT);
  assert.equal(decode(gunzipSync(LARGE.gzip ?? new Uint8Array())), TEXT);
  assert.deepEqual([SMALL.br, SMALL.gzip, sizeOf(SMALL)], [undefined, undefined, 5]);
  assert.ok(sizeOf(LARGE) > LARGE.identity.length);
  assert.match(LARGE.hash, /^[0-9a-f]{32}$/);
  assert.equal(LARGE.hash, hashOf(TEXT));
  assert.notEqual(variantsOf(`${TEXT}.`, LARGE.content_type).hash, LARGE.hash);
});

Deno.test("variants: the form that the client takes", async () => {
  const rows: [accepted: string | undefined, encoding: string | null][] = [
    [undefined, null],
    ["", null],
    ["identity", null],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "br"],
    ["br;q=0, gzip", "gzip"],
    ["BR", "br"],
    ["br;q=0.000, gzip; q=0", null],
    ["brotli", null],
    ["x-gzip", null],
  ];
  for (const [accepted, encoding] of rows) {
    const response = ask(accepted === undefined ? {} : { "accept-encoding": accepted });
    assert.equal(response.headers.get("content-encoding"), encoding, accepted);
    assert.equal(response.headers.get("vary"), "accept-encoding");
    assert.equal(response.headers.get("cache-control"), "public, max-age=60, no-transform");
    assert.equal(response.headers.get("x-more"), "yes");
    assert.equal(response.headers.get("etag"), encoding ? `"${LARGE.hash}-${encoding}"` : `"${LARGE.hash}"`);
    const form = encoding === "br" ? LARGE.br : encoding === "gzip" ? LARGE.gzip : LARGE.identity;
    assert.deepEqual(await response.bytes(), form);
  }
  assert.equal(ask({ "accept-encoding": "br" }, SMALL).headers.get("content-encoding"), null);
});

Deno.test("variants: If-None-Match is answered 304 for the variant that would be sent", async () => {
  const etag = `"${LARGE.hash}"`;
  const rows: [given: string, accepted: string, status: number][] = [
    [etag, "", 304],
    [`W/${etag}`, "", 304],
    [`"other", ${etag}`, "", 304],
    ["*", "", 304],
    [`"${LARGE.hash}-br"`, "br", 304],
    [`"${LARGE.hash}-br"`, "gzip", 200],
    [etag, "br", 200],
    [LARGE.hash, "", 200],
    ['"other"', "", 200],
    ["", "", 200],
  ];
  for (const [given, accepted, status] of rows) {
    const response = ask({ "if-none-match": given, "accept-encoding": accepted });
    assert.equal(response.status, status, given);
    if (status !== 304) {
      await response.body?.cancel();
      continue;
    }
    assert.equal(response.body, null);
    assert.ok(response.headers.get("etag") && response.headers.get("cache-control") && response.headers.get("vary"));
    assert.equal(response.headers.get("content-encoding"), null);
  }
});

Deno.test("variants: prepared answers are those of `respond`, each with headers of its own", async () => {
  const answer = prepared(LARGE, "public, max-age=60", { "x-more": "yes" });
  const sent: Record<string, string>[] = [{}, { "accept-encoding": "br" }, { "accept-encoding": "gzip" }, {
    "if-none-match": "*",
  }];
  for (const headers of sent) {
    const request = new Request("http://atrium.test/", { headers });
    const expected = respond(request, LARGE, "public, max-age=60", { "x-more": "yes" });
    const first = answer(request, { "x-request-id": "1", vary: "cookie" });
    await first.body?.cancel();
    const second = answer(request);
    assert.deepEqual([first.headers.get("x-request-id"), first.headers.get("vary")], ["1", "cookie"]);
    assert.deepEqual([second.status, [...second.headers]], [expected.status, [...expected.headers]]);
    assert.deepEqual(await second.bytes(), await expected.bytes());
  }
});
