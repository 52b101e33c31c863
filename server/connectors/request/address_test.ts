import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { baseFault, buildAddress, pathFault, queryPairs } from "./address.ts";
import { ConnectorFault } from "../call/fault.ts";

const API = "https://api.test/v1";

Deno.test("address: a value is one encoded piece of a segment", () => {
  const rows: [base: string, path: string, value: unknown, address: string][] = [
    [API, "/rates/{x}", "EUR", "https://api.test/v1/rates/EUR"],
    [`${API}/`, "/rates/{x}", "a/b?c#d", "https://api.test/v1/rates/a%2Fb%3Fc%23d"],
    [API, "/{x}.json", "ł&=+ ", "https://api.test/v1/%C5%82%26%3D%2B%20.json"],
    [API, "/{x}", "%2e%2e", "https://api.test/v1/%252e%252e"],
    [API, "/{x}", "@evil.test", "https://api.test/v1/%40evil.test"],
    ["https://api.test", "/{x}", "/evil.test", "https://api.test/%2Fevil.test"],
    ["https://api.test", "//{x}", "evil.test", "https://api.test//evil.test"],
    [API, "/{x}", 12.5, "https://api.test/v1/12.5"],
    [API, "/{x}", "...", "https://api.test/v1/..."],
    [API, "", 0, "https://api.test/v1"],
    [`${API}/`, "", 0, "https://api.test/v1/"],
    [API, "/", 0, "https://api.test/v1/"],
  ];
  for (const [base, path, x, address] of rows) {
    assert.equal(buildAddress(base, path, { x: x as string }, []).href, address, `${base} ${path} ${x}`);
  }
});

Deno.test("address: values that would climb, vanish or be no value are refused", () => {
  const values = ["", ".", "..", null, {}, [], ["a"], "a/../b", "..\\..", "../x", "x/..", "./x", "\ud800"];
  for (const x of values) assert.throws(() => buildAddress(API, "/a/{x}/b", { x }, []), ConnectorFault, `${x}`);
  // Each parameter is harmless, but together they form dots.
  assert.throws(() => buildAddress(API, "/{x}{x}", { x: "." }, []), ConnectorFault);
  assert.throws(() => buildAddress(API, "/.{x}", { x: "." }, []), ConnectorFault);
  assert.throws(() => buildAddress(API, "/%2{x}", { x: "e" }, []), ConnectorFault);
});

Deno.test("address: property: every address stays below the connector's", () => {
  const nasty = fc.constantFrom(
    ".",
    "..",
    "/",
    "\\",
    "@",
    "%2e",
    "%2F",
    ":",
    "//",
    "?",
    "#",
    "evil.test",
    "\t",
    "{",
    "[",
  );
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join("")),
  );
  const piece = fc.oneof(fc.constant("{x}"), fc.constant("{y}"), nasty, fc.string({ maxLength: 4 }));
  const path = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join("")}`);
  const base = fc.constantFrom(
    "https://api.test",
    "https://api.test:8443/v1",
    "http://api.test/a/b/",
    "https://[2600::1]/x",
  );
  let built = 0;
  fc.assert(
    fc.property(base, path, value, value, (base, path, x, y) => {
      if (pathFault(path)) return;
      let url: URL;
      try {
        url = buildAddress(base, path, { x, y }, [["q", x.toWellFormed()]]);
      } catch (error) {
        return assert.ok(error instanceof ConnectorFault, String(error));
      }
      built++;
      const below = new URL(base);
      assert.equal(url.origin, below.origin);
      assert.ok(url.pathname.startsWith(`${below.pathname.replace(/\/$/, "")}/`), url.href);
      assert.deepEqual([url.username, url.password, url.hash], ["", "", ""]);
      assert.deepEqual([...url.searchParams], [["q", x.toWellFormed()]]);
      const slashes = (text: string) => text.split("/").length;
      assert.equal(
        slashes(url.pathname),
        slashes(below.pathname.replace(/\/$/, "")) + slashes(path) - 1,
        "no segment more",
      );
    }),
    { numRuns: 3_000 },
  );
  assert.ok(built > 300, `${built} addresses were built`);
});

Deno.test("address: bases and paths that are refused when they are saved", () => {
  const bases = [
    "",
    "api.test",
    "//api.test",
    "ftp://api.test",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user:pass@api.test",
    "https://user@api.test",
    "https://@api.test",
    "https://api.test?x=1",
    "https://api.test/#x",
    "https://api.test\\@evil.test",
    "https:api.test",
    "https://",
    "https://a b.test",
  ];
  for (const base of bases) assert.ok(baseFault(base), base);
  for (const base of [API, "http://127.0.0.1:8000/", "HTTPS://API.TEST/x@y", "https://[::1]/"]) {
    assert.equal(baseFault(base), undefined, base);
  }
  for (
    const path of ["x", "/a?b", "/a#b", "/a b", "/../x", "/a/./b", "/%2e%2E/x", "/a\\b", "/a\n", "https://evil.test"]
  ) {
    assert.ok(pathFault(path), path);
  }
  for (const path of ["", "/", "/a/{b}", "/a..b/...", "//x"]) assert.equal(pathFault(path), undefined, path);
});

Deno.test("address: null leaves a query's name out, a list repeats it, an object is refused", () => {
  assert.deepEqual(queryPairs({ a: 1, b: null, c: ["x", null, true], d: "" }), [
    ["a", "1"],
    ["c", "x"],
    ["c", "true"],
    ["d", ""],
  ]);
  assert.throws(() => queryPairs({ a: { b: 1 } }), ConnectorFault);
});
