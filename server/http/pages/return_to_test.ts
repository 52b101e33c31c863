import assert from "node:assert/strict";
import { HOME, returnPath } from "./return_to.ts";

Deno.test("return_to: paths of this site, written anew", () => {
  const kept = [
    "/a/counter",
    "/a/counter?x=1#part",
    "/",
    "/a/%2F%2Fevil.example",
    "/?return_to=//evil.example",
    "/a b",
  ];
  assert.deepEqual(kept.map(returnPath), [...kept.slice(0, -1), "/a%20b"]);
  assert.equal(returnPath("/a/../b"), "/b");
});

Deno.test("return_to: no spelling leads to another site", () => {
  const signs = [
    "//",
    "///",
    "/\\",
    "\\\\",
    "\\/",
    "/\t/",
    "/\n/",
    "\t//",
    " //",
    "/.//",
    "/..//",
    "/./\\",
    "/%09//x/..//",
    "/a/..//",
  ];
  const schemes = [
    "http:",
    "https:",
    "HtTpS:",
    "javascript:",
    "data:text/html,",
    "ht\ttp:",
    " https:",
    "\u0000https:",
    "ftp:",
    "blob:",
  ];
  const spellings = [
    ...signs.map((sign) => `${sign}evil.example`),
    ...signs.map((sign) => `${sign}user@evil.example/a`),
    ...schemes.map((scheme) => `${scheme}//evil.example`),
    ...schemes.map((scheme) => `${scheme}evil.example`),
    "evil.example",
    "@evil.example",
    ".evil.example",
    ":80",
    "?x",
    "#x",
    "",
    "/sign_in",
    "/sign_in?return_to=/sign_in",
    `/${"a".repeat(3_000)}`,
    "／／evil.example",
    "/／evil.example".slice(1),
  ];
  assert.ok(spellings.length >= 50);
  for (const spelling of spellings) {
    const path = returnPath(spelling);
    const { origin, pathname } = new URL(path, "https://atrium.test");
    assert.equal(origin, "https://atrium.test", JSON.stringify(spelling));
    assert.ok(pathname.startsWith("/") && !/^\/[/\\]/.test(pathname), JSON.stringify([spelling, path]));
  }
  assert.deepEqual([returnPath(null), returnPath(undefined), returnPath("//evil.example")], [HOME, HOME, HOME]);
});
