import assert from "node:assert/strict";
import { ELSEWHERE } from "../../../test/stage/redirects.ts";
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
  assert.ok(ELSEWHERE.length >= 50);
  for (const spelling of ELSEWHERE) {
    const path = returnPath(spelling);
    const { origin, pathname } = new URL(path, "https://atrium.test");
    assert.equal(origin, "https://atrium.test", JSON.stringify(spelling));
    assert.ok(pathname.startsWith("/") && !/^\/[/\\]/.test(pathname), JSON.stringify([spelling, path]));
  }
  assert.deepEqual([returnPath(null), returnPath(undefined), returnPath("//evil.example")], [HOME, HOME, HOME]);
});
